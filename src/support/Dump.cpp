// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Dump.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace nereid {

static constexpr llvm::StringLiteral names[] = {
#define STAGE(enumerator, name, meaning) name,
#include "support/stages.def"
};

llvm::ArrayRef<llvm::StringLiteral> stageNames() { return names; }

std::optional<Stage> parseStage(llvm::StringRef name) {
  const auto *found = llvm::find(names, name);
  if (found == std::end(names))
    return std::nullopt;
  return static_cast<Stage>(found - std::begin(names));
}

Dump::Dump(std::vector<Stage> stages, llvm::raw_ostream &out)
    : stages(std::move(stages)), out(&out) {}

bool Dump::wants(Stage stage) const {
  return llvm::is_contained(stages, stage) || (writtenTo && written == stage);
}

bool Dump::wantsLaterThan(Stage stage) const {
  return (writtenTo && written > stage) ||
         llvm::any_of(stages, [&](Stage wanted) { return wanted > stage; });
}

Dump::Duration Dump::lap() {
  auto now = std::chrono::steady_clock::now();
  return now - std::exchange(lapBegan, now);
}

void Dump::show(Stage stage, Print print) { show(stage, lap(), print); }

void Dump::show(Stage stage, Duration time, Print print, llvm::StringRef detail) {
  if (writtenTo && written == stage)
    print(*writtenTo);
  if (llvm::is_contained(stages, stage)) {
    *out << llvm::formatv("// ---- {0}{1}{2}, {3:f2} ms ----\n", names[static_cast<size_t>(stage)],
                          detail.empty() ? "" : ": ", detail, time.count());
    print(*out);
    out->flush();
  }
  lap();
}

} // namespace nereid
