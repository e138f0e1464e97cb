// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Some rounds of a thread's loop at a time where they are short (rounds_together of policy.def).
#pragma once

#include "backend/gpu/emit/EmitContext.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::backend::gpu {

/// What a round that has atomics begins with: loads from arrays of the launch and what is computed
/// of them, where its atomics and stores reach memory of the block alone. These of several rounds
/// can come before what is done with them.
llvm::SmallVector<mlir::Operation *> leadOf(EmitContext &c, mlir::scf::ForOp op);
/// Whether rounds are short and may be written several times over.
bool goesTogether(EmitContext &c, mlir::scf::ForOp op);
/// How many of a program's rounds load before the first one's are used, where its author has them
/// ahead (`tl.range(num_stages=)`), or their number is known, and they do nothing but load and
/// compute; 1 elsewhere.
unsigned roundsAhead(EmitContext &c, mlir::scf::ForOp op, std::optional<uint64_t> known);
/// Whether a program's rounds are so few and short that all are written out: what later ones load
/// for their branches is on its way with the first one's.
bool isWrittenOut(EmitContext &c, mlir::scf::ForOp op, uint64_t rounds);

} // namespace nereid::backend::gpu
