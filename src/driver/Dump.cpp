// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/Dump.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid::driver {

static constexpr llvm::StringLiteral names[] = {
#define STAGE(enumerator, name, meaning) name,
#include "driver/stages.def"
};

llvm::StringRef nameOf(Stage stage) { return names[static_cast<size_t>(stage)]; }

std::optional<Stage> parseStage(llvm::StringRef name) {
  const auto *found = llvm::find(names, name);
  if (found == std::end(names))
    return std::nullopt;
  return static_cast<Stage>(found - std::begin(names));
}

bool Dump::wants(Stage stage) const { return out && llvm::is_contained(stages, stage); }

void Dump::show(Stage stage, llvm::function_ref<void(llvm::raw_ostream &)> print) const {
  if (!wants(stage))
    return;
  *out << "// ---- " << nameOf(stage) << " ----\n";
  print(*out);
  out->flush();
}

} // namespace nereid::driver
