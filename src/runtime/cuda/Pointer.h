// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/cuda/Context.h"

namespace nereid::runtime::cuda {

/// What the driver knows of an address.
struct PointerInfo {
  enum class Kind {
    Unknown, ///< nothing: freed, never allocated, or the host's own memory
    PinnedHost,
    Managed,
    Device,
  };
  Kind kind = Kind::Unknown;
  unsigned ordinal = 0; // Device: whose memory
  CUdeviceptr start = 0;
  size_t bytes = 0; // of the whole allocation
  /// Device: of cuMemAlloc. What its owner mapped, and a pool's, is not.
  bool isPlain = false;
};
PointerInfo inspect(Context &context, const void *address);
/// The same, asked in any GPU's context. Throws Error if no GPU can be used.
PointerInfo inspect(const void *address);

/// Why kernels on the context's device cannot use `bytes` bytes at `address`, and what would do:
/// "... lies in memory of cuda:1, which ..."; empty if they can. Of memory of another GPU it asks
/// the driver for access, which stays as long as both are open.
std::string whyUnreachable(Context &context, const void *address, size_t bytes);

} // namespace nereid::runtime::cuda
