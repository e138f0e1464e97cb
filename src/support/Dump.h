// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hands on what the stages of a compilation make, as far as somebody asks for it, with the time
// that each took.
#pragma once

#include "nereid/Stage.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <string>
#include <vector>

namespace nereid {

class Dump {
public:
  using Duration = std::chrono::duration<double, std::milli>;
  using Print = llvm::function_ref<void(llvm::raw_ostream &)>;

  /// Shows nothing.
  Dump() = default;
  /// Of Stage::Passes, those of these names, if there are any.
  Dump(std::vector<Stage> stages, StageSink sink, std::vector<std::string> passes = {})
      : wanted(std::move(stages)), passes(std::move(passes)), sink(std::move(sink)) {}

  bool isEmpty() const { return wanted.empty(); }
  bool wants(Stage stage) const;
  bool wantsLaterThan(Stage stage) const;
  /// The passes of which more than a change is wanted. Empty: of all, what they change.
  const std::vector<std::string> &namedPasses() const { return passes; }
  /// The time since the last lap ended; a new one begins.
  Duration lap();
  /// Ends the lap, which the stage took, and prints the artifact if the stage was asked for.
  /// Printing counts in no lap.
  void show(Stage stage, Print print);
  /// The same for work whose time is known. `detail` tells several artifacts of a stage apart.
  void show(Stage stage, Duration time, Print print, llvm::StringRef detail = "");

private:
  std::vector<Stage> wanted;
  std::vector<std::string> passes;
  StageSink sink;
  std::chrono::steady_clock::time_point lapBegan = std::chrono::steady_clock::now();
};

} // namespace nereid
