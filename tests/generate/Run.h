// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nereid::generate {

/// Which kernels to run, and how.
struct Options {
  uint64_t seed = 1;
  int64_t first = 0, count = 500;
  int64_t seconds = 0; // 0: as many as `count` says
  unsigned jobs = 0;   // 0: one a core
  bool printsAll = false, keepsGoing = false;
  /// As code that runs once (Tuning::isBrief), where a kernel has little to do.
  bool isBrief = false;
  /// To compile for. Nothing is what NEREID_CPU says, or this machine.
  std::vector<std::string> cpus = {""};
  /// To run on instead of CPUs: "cuda", "cuda:1". Empty: CPUs.
  std::string gpu = {};
  int64_t shrunk = 10; // failures that are made smaller before they are shown
};

/// Tests the kernels in as many processes as there are jobs, so that a kernel that crashes or hangs
/// ends none but its own. Prints each failure when it is found and a summary at the end; returns
/// the exit code.
int runKernels(const Options &options);

} // namespace nereid::generate
