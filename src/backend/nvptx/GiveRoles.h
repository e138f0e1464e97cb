// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "target/NvidiaTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::nvptx {

/// Gives the kernel's fetches, and what they need, to a warp of its own (nv.produce), and lets the
/// `warps` others say when they have read a slot. How many warps more run a program: none if there
/// is nothing to fetch; four, of which three do nothing, where two warpgroups want the registers
/// that only a whole third one can give them.
unsigned giveRoles(mlir::func::FuncOp kernel, const target::NvidiaTarget &target, unsigned warps);

} // namespace nereid::backend::nvptx
