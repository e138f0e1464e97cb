// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How what rounds of a loop load follows one another.
#pragma once

#include "mlir/IR/Operation.h"

namespace nereid::analyzer {

/// The share of a round's wait that is left of a load: what a loop loads for its next round alone
/// has that round and this one's to come, so that two are on their way at once.
double waitLeftOf(mlir::Operation *load);

/// Whether what the loop loads decides where a load of its is, so that rounds wait for one another
/// however the assembler writes them. `load` is in an scf.for.
bool dependsOnLoads(mlir::Operation *load);

} // namespace nereid::analyzer
