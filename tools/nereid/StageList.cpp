// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StageList.h"

#include "jit/Suggest.h"
#include "nereid/nereid.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace nereid::command {

std::string describeStages() {
  std::string text = "Stages\n";
#define STAGE(enumerator, name, meaning)                                                           \
  text += llvm::formatv("    {0,-8}{1}\n", name, meaning).str();
#include "support/stages.def"
  return text;
}

std::vector<Stage> parseStages(const std::string &text) {
  std::vector<Stage> stages;
  for (llvm::StringRef name : llvm::split(text, ',')) {
    name = name.trim();
    if (name.empty())
      continue;
    std::optional<Stage> stage = parseStage(name);
    if (!stage)
      throw Error(
          Error::Kind::Usage,
          "no stage '" + name.str() + "'; " +
              jit::suggest(name, {stageNames().begin(), stageNames().end()}, "stages", "stage"));
    if (*stage == Stage::Object)
      throw Error(Error::Kind::Usage, "an object file is no text; --emit=object -o FILE writes it");
    stages.push_back(*stage);
  }
  if (stages.empty() && !text.empty())
    throw Error(Error::Kind::Usage, "--dump " + text + " names no stage");
  return stages;
}

/// The stages before the back end are every target's; the others are its own.
void requireStages(const std::vector<Stage> &wanted, const backend::Backend &backend) {
  std::string list;
  for (auto [index, name] : llvm::enumerate(stageNames())) {
    auto stage = static_cast<Stage>(index);
    if (stage <= Stage::Passes || llvm::is_contained(backend.stages, stage))
      list += (list.empty() ? "" : ", ") + name.str();
    else if (llvm::is_contained(wanted, stage))
      throw Error(Error::Kind::Usage, "target " + std::string(backend.name) + " has no stage '" +
                                          name.str() + "'; its stages are " + list);
  }
}

} // namespace nereid::command
