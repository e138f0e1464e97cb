// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What to show of a compilation: the artifact after each stage that was asked for.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid::driver {

enum class Stage {
#define STAGE(enumerator, name, meaning) enumerator,
#include "driver/stages.def"
};

llvm::StringRef nameOf(Stage stage);
std::optional<Stage> parseStage(llvm::StringRef name);

struct Dump {
  std::vector<Stage> stages;
  llvm::raw_ostream *out = nullptr;

  bool wants(Stage stage) const;
  /// Prints the artifact if the stage was asked for.
  void show(Stage stage, llvm::function_ref<void(llvm::raw_ostream &)> print) const;
};

} // namespace nereid::driver
