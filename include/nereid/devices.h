// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels can run on, and what they can be compiled for.
#pragma once

#include "nereid/Export.h"

#include <string>
#include <string_view>
#include <vector>

namespace nereid {

/// One that Device::open() knows.
struct DeviceInfo {
  std::string name, description;
  /// Why it cannot be opened on this machine; empty if it can.
  std::string unavailableBecause;
  /// A part that machines have several of, or none: "cuda:0".
  bool isOptional = false;
};
NEREID_API std::vector<DeviceInfo> devices();

/// What CompileOptions::target accepts.
NEREID_API std::vector<std::string> targetNames();

/// What DeviceOptions::cpu and CompileOptions::cpu accept: "host" and LLVM's names.
NEREID_API std::vector<std::string> cpuNames();
struct CpuInfo {
  std::string name; ///< LLVM's, also of the host
  /// What it has, sorted, by LLVM's names: "avx2".
  std::vector<std::string> features;
};
/// Throws Error(Usage) for names that are not among cpuNames().
NEREID_API CpuInfo cpuInfo(std::string_view name = "host");

} // namespace nereid
