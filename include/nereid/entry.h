// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compiled kernel for other launchers: code, and all that is needed to call it without this
// library, as packages of PyTorch do.
#pragma once

#include "nereid/Export.h"
#include "nereid/compile.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nereid {

/// For cuLaunchKernel: a block is one program, and the parameters are the run-time parameters of
/// the kernel in order, an array being its address.
struct GpuEntry {
  std::string symbol, ptx;
  unsigned threads = 0; ///< of a block, along x
  /// Of a block, dynamic: more than 48 KiB must be asked for
  /// (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES).
  unsigned sharedBytes = 0;
};
/// Where the kernel's own launch copies boxes of arrays, which takes more than its arguments, this
/// is the code of launches that do not. Throws Error(Usage) if it is not for a GPU, and for what
/// our launcher must do more for than give arguments: prints and assertions, clusters, threads
/// along y.
NEREID_API GpuEntry gpuEntry(const Artifact &artifact);

/// For a CPU: an image of code that may lie at any multiple of `alignment`, once its addresses are
/// filled in. The entry is
///
///   void entry(const Slot *arguments, const uint32_t grid[3], uint64_t begin, uint64_t end,
///              void *scratch, const void *context);
///
/// where Slot is struct { uint64_t bits, extentBytes; }: a number, in the low bytes, or an address
/// and how many bytes lie there. It runs the programs from `begin` to `end`, counted along x first,
/// of which any thread may run any; `scratch` is the thread's own, a multiple of 64, and `context`
/// null.
struct CpuEntry {
  /// Eight bytes at `offset` hold an address: of a function, or of the image's own byte `addend`.
  struct Address {
    uint64_t offset = 0;
    /// Of the C library, libm ("expf"), libmvec ("_ZGVdN8v_expf"), or "nereidLookUp", which may do
    /// nothing (it takes the context); empty for the image's own.
    std::string symbol;
    uint64_t addend = 0;
  };
  std::vector<uint8_t> bytes;
  uint64_t alignment = 1, entry = 0, scratchBytes = 0;
  std::vector<Address> addresses;
  std::string cpu; ///< LLVM's name of the one that it is for
  /// It may multiply by AMX, for which a process of Linux asks once (arch_prctl,
  /// ARCH_REQ_XCOMP_PERM).
  bool usesAmx = false;
};
/// Throws Error(Usage) if it is not for a CPU, and for a kernel that prints or asserts.
NEREID_API CpuEntry cpuEntry(const Artifact &artifact);

} // namespace nereid
