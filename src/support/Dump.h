// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What to show of a compilation: the artifact after each stage that was asked for, with the time
// that the stage took. Times apart, equal input gives equal text.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <optional>
#include <vector>

namespace nereid {

enum class Stage {
#define STAGE(enumerator, name, meaning) enumerator,
#include "support/stages.def"
};

/// In the order of `Stage`.
llvm::ArrayRef<llvm::StringLiteral> stageNames();
std::optional<Stage> parseStage(llvm::StringRef name);

class Dump {
public:
  using Duration = std::chrono::duration<double, std::milli>;
  using Print = llvm::function_ref<void(llvm::raw_ostream &)>;

  /// Shows nothing.
  Dump() = default;
  Dump(std::vector<Stage> stages, llvm::raw_ostream &out);

  /// Has the artifact of one stage written to `to` as well, bare.
  void write(Stage stage, llvm::raw_ostream &to) {
    written = stage;
    writtenTo = &to;
  }

  bool isEmpty() const { return stages.empty() && !writtenTo; }
  bool wants(Stage stage) const;
  bool wantsLaterThan(Stage stage) const;
  /// The time since the last lap ended; a new one begins.
  Duration lap();
  /// Ends the lap, which the stage took, and prints the artifact if the stage was asked for.
  /// Printing counts in no lap.
  void show(Stage stage, Print print);
  /// The same for work whose time is known. `detail` tells several artifacts of a stage apart.
  void show(Stage stage, Duration time, Print print, llvm::StringRef detail = "");

private:
  std::vector<Stage> stages;
  llvm::raw_ostream *out = nullptr;
  Stage written = {};
  llvm::raw_ostream *writtenTo = nullptr;
  std::chrono::steady_clock::time_point lapBegan = std::chrono::steady_clock::now();
};

} // namespace nereid
