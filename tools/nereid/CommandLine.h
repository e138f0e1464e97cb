// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace nereid::command {

/// All that the program `nereid` is; gives its exit code, or ends the process with it.
int runCommandLine(int argc, char **argv);

} // namespace nereid::command
