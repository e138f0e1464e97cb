// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many registers of a thread products of warpgroups take.
#pragma once

#include "dialect/nv/Nv.h"

namespace nereid::backend::nvptx {

unsigned sumRegisters(nv::MultiplyOp multiply);
/// The registers of all products of a round together.
unsigned sumRegisters(mlir::Block &round);
/// None if it lies in shared memory.
unsigned leftRegisters(nv::MultiplyOp multiply);

} // namespace nereid::backend::nvptx
