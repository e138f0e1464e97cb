// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels of one GPU may reach of another's memory.
#pragma once

#include "runtime/cuda/Abi.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace nereid::runtime::cuda {

class Context;

/// Of a context: the GPUs whose memory its kernels may access.
class Peers {
public:
  /// Lets kernels of `from`, whose peers these are, access memory of cuda:<ordinal>, if the driver
  /// allows it, until that GPU's primary context is gone. Why it does not, as the end of a
  /// sentence; empty if all is well. Throws Error if a GPU is lost.
  std::string whyNoAccess(Context &from, unsigned ordinal);

private:
  std::mutex mutex;
  /// Those whose memory may be accessed; access ends with a context.
  std::map<unsigned, std::weak_ptr<Context>> reached;
};

struct PointerInfo;

/// The same of memory of another GPU, which the driver describes so: what its owner mapped
/// (cuMemMap) can be accessed by whom the owner said, and by nobody else.
std::string whyNoAccess(Context &from, const PointerInfo &info, CUdeviceptr address);

} // namespace nereid::runtime::cuda
