// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "target/NvidiaTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>

namespace nereid::backend::nvptx {

/// How many blocks of `warps` warps run on an SM at a time, if a thread has this many registers and
/// a block this many bytes of shared memory. ("Occupancy", CUDA C++ Best Practices Guide. A warp's
/// registers lie in one quarter of the SM: nine warps of 112 registers do not fit twice.)
unsigned residentBlocks(const target::NvidiaTarget &target, unsigned warps, unsigned registers,
                        uint64_t sharedBytes);

/// Of shared memory that rings and rooms have together: where `place` is reached, or, if that is
/// null, at most. Rings stay, as they do where programs follow one another in a block.
uint64_t bytesOfRooms(mlir::func::FuncOp kernel, mlir::Operation *place = nullptr);

} // namespace nereid::backend::nvptx
