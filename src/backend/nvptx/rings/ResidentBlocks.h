// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "target/NvidiaTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>

namespace nereid::backend::nvptx {

/// How many blocks of `warps` warps run on an SM at a time, if a thread has this many registers and
/// a block this many bytes of shared memory. (target/SmShares.h)
unsigned residentBlocks(const target::NvidiaTarget &target, unsigned warps, unsigned registers,
                        uint64_t sharedBytes);

/// The most registers that each thread of a block of `warps` warps can have, if the block has an SM
/// for itself.
unsigned registersOfThread(const target::NvidiaTarget &target, unsigned warps);

inline constexpr unsigned warpsOfTwoGroups = 8;
/// What each thread of two warpgroups has where another one gives most of its own; and where that
/// one keeps some to turn tiles.
inline constexpr unsigned movedRegisters = 240, movedRegistersBesideTurning = 232;

/// Whether a block of two warpgroups that has this many bytes of shared memory has an SM for
/// itself.
bool fillsSm(const target::NvidiaTarget &target, unsigned warps, uint64_t sharedBytes);

/// Whether two warpgroups, whose threads take so many registers, and a warp that fetches have no
/// room on an SM unless registers are moved to those that multiply.
bool needsMovedRegisters(const target::NvidiaTarget &target, unsigned warps, unsigned registers);

/// The bytes that rings and rooms have together where `place` is reached. What is not freed
/// stays; rings are freed by GiveRoles.
uint64_t bytesAt(mlir::Operation *place, mlir::func::FuncOp kernel);
/// The same where it is most.
uint64_t mostBytes(mlir::func::FuncOp kernel);

} // namespace nereid::backend::nvptx
