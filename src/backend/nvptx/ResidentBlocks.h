// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "target/NvidiaTarget.h"

#include <cstdint>

namespace nereid::backend::nvptx {

/// How many blocks of `warps` warps run on an SM at a time, if a thread has this many registers and
/// a block this many bytes of shared memory. ("Occupancy", CUDA C++ Best Practices Guide. A warp's
/// registers lie in one quarter of the SM: nine warps of 112 registers do not fit twice.)
unsigned residentBlocks(const target::NvidiaTarget &target, unsigned warps, unsigned registers,
                        uint64_t sharedBytes);

} // namespace nereid::backend::nvptx
