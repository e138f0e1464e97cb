// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels can run on, and what they can be compiled for.
#pragma once

#include "nereid/Export.h"

#include <cstdint>
#include <optional>
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

/// A GPU, as its driver describes it. Sizes are in bytes, clocks in kHz.
struct GpuInfo {
  std::string name;   ///< "NVIDIA H200"
  std::string target; ///< what is compiled for it: "sm_90a"; empty if nothing can be
  unsigned smMajor, smMinor;
  uint64_t memory;
  unsigned multiprocessors, threadsPerBlock, registersPerBlock, sharedPerBlock;
  unsigned threadsPerMultiprocessor, registersPerMultiprocessor, sharedPerMultiprocessor;
  unsigned clock, memoryClock, memoryBusBits, l2;
};
/// Of "cuda:<number>". Throws Error(Environment) without a driver, Error(Usage) without that GPU.
NEREID_API GpuInfo gpuInfo(unsigned number = 0);
/// How many bytes of its memory nobody has at present. Throws as gpuInfo does.
NEREID_API uint64_t gpuFreeMemory(unsigned number = 0);

/// Which GPU has memory at an address; nothing if none has, or there is no driver.
NEREID_API std::optional<unsigned> gpuOf(const void *address);

/// Why kernels on "cuda:<gpu>" cannot use what lies there, and what would do; empty if they can: it
/// is memory of that GPU, managed or pinned memory, or memory of another GPU, to which the driver
/// allows access. The access is given when it is first asked for, and stays as long as both GPUs
/// are open. Throws Error(Environment) if a GPU is lost.
NEREID_API std::string whyOutOfReach(unsigned gpu, const void *address, size_t bytes);

/// What the command line does for a process that compiles many kernels for a GPU at once, since the
/// driver's compiler does one at a time in a process: makes machine code of what comes through a
/// socket, until that is closed. Returns the exit code. For `nereid` alone.
NEREID_API int serveAssembly(unsigned gpu, int socket);

} // namespace nereid
