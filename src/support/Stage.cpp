// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/Stage.h"

#include <algorithm>

namespace nereid {
namespace {

constexpr Stage allStages[] = {
#define STAGE(enumerator, name, meaning) Stage::enumerator,
#include "nereid/stages.def"
};

constexpr std::string_view stageNames[] = {
#define STAGE(enumerator, name, meaning) name,
#include "nereid/stages.def"
};

constexpr std::string_view meanings[] = {
#define STAGE(enumerator, name, meaning) meaning,
#include "nereid/stages.def"
};

} // namespace

std::span<const Stage> stages() { return allStages; }
std::string_view name(Stage stage) { return stageNames[static_cast<size_t>(stage)]; }
std::string_view meaning(Stage stage) { return meanings[static_cast<size_t>(stage)]; }

std::optional<Stage> parseStage(std::string_view name) {
  const auto *found = std::find(std::begin(stageNames), std::end(stageNames), name);
  if (found == std::end(stageNames))
    return std::nullopt;
  return static_cast<Stage>(found - std::begin(stageNames));
}

} // namespace nereid
