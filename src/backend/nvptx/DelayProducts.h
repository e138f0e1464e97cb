// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::nvptx {

/// A product made from another of the same round (attention's P V) is begun one round later, beside
/// the next round's first product, so that the tensor cores work while threads compute:
///
///   for: s = finish(q * k); p = f(s); sums = finish(sums * scale + p * v)
///
///   first round, without the last product
///   for: s = begin(q * k); last = begin(sums + p * v); p = f(finish(s)); sums = finish(last) *
///   scale sums = finish(sums + p * v)
void delayProducts(mlir::func::FuncOp kernel);

} // namespace nereid::backend::nvptx
