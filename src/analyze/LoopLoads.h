// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How what rounds of a loop load follows one another.
#pragma once

#include "mlir/IR/Operation.h"

namespace nereid::analyzer {

/// The share of a round's wait that is left of a load: what a loop loads for its next round alone
/// has that round and this one's to come, so that two are on their way at once.
double waitLeftOf(mlir::Operation *load);

/// Whether the load cannot set out before earlier rounds have theirs, however the assembler writes
/// them: what they load decides where it is, or they write to arrays, which might be this one as
/// far as the assembler knows. `load` is in an scf.for.
bool waitsForEarlierRounds(mlir::Operation *load);

} // namespace nereid::analyzer
