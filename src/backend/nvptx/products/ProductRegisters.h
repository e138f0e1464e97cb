// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many registers of a thread products of warpgroups take.
#pragma once

#include "backend/nvptx/Configuration.h"
#include "dialect/nv/Nv.h"

#include <string>

namespace nereid::backend::nvptx {

unsigned sumRegisters(nv::MultiplyOp multiply);
/// The registers of all products of a round together.
unsigned sumRegisters(mlir::Block &round);
/// The most that those hold at the same time, each begun as soon as its factors are there: one that
/// is made from another has that one's registers if nothing reads its sums any more. With the
/// largest left factor of those that add to what loops carry, which is made beside them. (H200,
/// attention's backward in one loop: 208 of 128 columns, 453 TFLOP/s for 443 one after the other;
/// 224 of 64, which spill, 402 for 416.)
unsigned sumRegistersAtOnce(mlir::Block &round);
/// None if it lies in shared memory.
unsigned leftRegisters(nv::MultiplyOp multiply);

/// Why a thread has no room for a product, with its left factor, that goes on beside the largest
/// other of its round, which take `registers` together; empty if it has.
std::string whyNotBeside(unsigned registers, const Configuration &configuration);
/// The same of a warpgroups' product to whose round its factors are not given yet.
std::string whyNotBeside(tile::DotOp dot, const Configuration &configuration);

} // namespace nereid::backend::nvptx
