// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stages of a compilation, as the command line names them.
#pragma once

#include "backend/Backend.h"
#include "support/Dump.h"

#include <string>
#include <vector>

namespace nereid::command {

/// For --help: a line for each stage.
std::string describeStages();
/// "tile,asm". Throws Error(Usage) for names that are none.
std::vector<Stage> parseStages(const std::string &text);
/// Throws Error(Usage) if the target has not every stage that is wanted.
void requireStages(const std::vector<Stage> &wanted, const backend::Backend &backend);

} // namespace nereid::command
