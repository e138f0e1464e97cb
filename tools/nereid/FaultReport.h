// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/nereid.h"

#include <csignal>
#include <string>

namespace nereid::command {

/// While it lives, a fault (SIGSEGV, SIGBUS) is blamed on the kernel that runs and the way to its
/// line is shown, before the process ends by the signal as it would have. Compiled code looks at no
/// bounds, so this is how most mistakes in a kernel's addresses end.
///
/// The command line owns its process and may do this. The library may not: its host may have
/// handlers of its own, for a collector or a crash report, and those see a kernel's faults because
/// nothing stands before them.
class FaultReport {
public:
  FaultReport(const std::string &kernel, const std::string &file, Grid grid);
  ~FaultReport();
  FaultReport(const FaultReport &) = delete;
  FaultReport &operator=(const FaultReport &) = delete;

private:
  static constexpr int faults[] = {SIGSEGV, SIGBUS};
  struct sigaction previous[2];
};

} // namespace nereid::command
