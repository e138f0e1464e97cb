// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/tile/Tile.h"
#include "target/NvidiaTarget.h"

#include "mlir/IR/Operation.h"

#include <optional>
#include <string>

namespace nereid::backend::nvptx {

/// What stands behind `atom.global.gpu.relaxed.`, for a tile.atomic_rmw or tile.atomic_cas:
/// "max.s32";
/// for one that is a load, behind `ld.relaxed.gpu.global.`: "b8". Nothing if the target has no such
/// instruction, or for any other operation.
std::optional<std::string> atomicInstruction(mlir::Operation *op,
                                             const target::NvidiaTarget &target);

/// How many neighbouring elements one instruction takes at most: more than one for sums of floats
/// whose old values nobody asks for, from sm_90 on.
unsigned mostAtomicsTogether(tile::AtomicRmwOp op, const target::NvidiaTarget &target);

} // namespace nereid::backend::nvptx
