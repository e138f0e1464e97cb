// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "target/NvidiaTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::nvptx {

/// A product made from another of the same round (attention's P V) is begun one round later, beside
/// the next round's first product, so that the tensor cores work while threads compute:
///
///   for: s = finish(q * k); p = f(s); sums = finish(sums * scale + p * v)
///
///   first round, without the last product
///   for: s = begin(q * k); last = begin(sums + p * v); p = f(finish(s))
///        sums = finish(last) * scale
///   sums = finish(sums + p * v)
///
/// Its left factor then takes registers beside the next round's first sums. Where an SM has more
/// warpgroups without that, and few with it, they take turns instead, and nothing is delayed.
void delayProducts(mlir::func::FuncOp kernel, const target::NvidiaTarget &target, unsigned warps);

} // namespace nereid::backend::nvptx
