// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Kernel.h"

#include "nereid/nereid.h"

namespace nereid::generate {

/// What came of running a kernel on all executors.
struct Outcome {
  /// Names the way it failed, without names and numbers; empty if all agree.
  std::string failure;
  std::string details;
};

/// Runs kernels on the checked device and on the cpu, and compares all arrays. Since each of the
/// cpu's devices compiles anew, most kernels run with either one thread or two, and some with both.
class Differential {
public:
  /// The CPUs to compile for, by the names that DeviceOptions knows. Kernels run on each of them.
  explicit Differential(const std::vector<std::string> &cpus);
  Outcome run(const Kernel &kernel) const;

private:
  struct CpuDevice {
    std::string description; // what failures say of it
    Device device;
  };
  bool takesPart(const CpuDevice &candidate, const Kernel &kernel) const;

  Device check;
  std::vector<CpuDevice> devices;
};

} // namespace nereid::generate
