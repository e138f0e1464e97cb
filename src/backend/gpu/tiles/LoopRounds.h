// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::backend::gpu {

/// Whether the loop has a round, i1: its bounds leave room for one, and its step leads upwards,
/// without which there is none (docs/decisions/0007). For passes that begin the first round apart.
mlir::Value buildHasRounds(mlir::scf::ForOp loop, mlir::OpBuilder &builder);

} // namespace nereid::backend::gpu
