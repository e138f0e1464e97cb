// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/Export.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace nereid {

/// A step of a compilation, named for what it makes.
enum class Stage : uint8_t {
#define STAGE(enumerator, name, meaning) enumerator,
#include "nereid/stages.def"
};

/// All of them, in order.
NEREID_API std::span<const Stage> stages();
/// "tile"
NEREID_API std::string_view name(Stage stage);
/// "the kernel in the tile dialect, as the front end made it"
NEREID_API std::string_view meaning(Stage stage);
NEREID_API std::optional<Stage> parseStage(std::string_view name);

/// What a stage made. Times apart, equal input gives equal output.
struct StageOutput {
  Stage stage;
  /// Tells several outputs of one stage apart: of Stage::Passes, the pass. Empty if there is one.
  std::string detail;
  /// What the work took, without that of writing it down.
  double milliseconds;
  /// Of Stage::Object, the bytes of an ELF file.
  std::string text;
};
using StageSink = std::function<void(const StageOutput &output)>;

} // namespace nereid
