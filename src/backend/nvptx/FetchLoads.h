// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "target/NvidiaTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace nereid::backend::nvptx {

/// Where every load that feeds warpgroups' products in loops is a box of an array, they become
/// fetches into rings, which a warp of its own will do (giveRoles), and reads of their slots:
///
///   ring; box
///   for: fetch box -> ring; i = await_slot ring; read slot i; multiply
///
/// Then stores of sums that can be sent are (SendStores), and programs of a block follow one
/// another where they can (LoopOverPrograms): both share its memory with the rings.
///
/// False, and nothing is changed, if some load is no box, or the way to it cannot be run apart, or
/// threads compute with several sums of a round, whose waits ringLoads' products overlap.
/// `stages` is how many slots a ring should have; unset: as many as fit and help.
bool fetchLoads(mlir::func::FuncOp kernel, const target::NvidiaTarget &target, unsigned warps,
                std::optional<unsigned> stages);

} // namespace nereid::backend::nvptx
