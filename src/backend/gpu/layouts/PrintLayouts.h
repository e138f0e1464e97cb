// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "layout/SharedLayout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/Support/raw_ostream.h"

namespace nereid::backend::gpu {

/// For people, of a kernel whose tiles have layouts: what each access to global memory asks of it
/// (sectors), what each access to shared memory costs (wavefronts, bank conflicts), how tiles that
/// change hands do so, and a drawing of each layout. Every line is a comment of MLIR's.
void printLayouts(mlir::func::FuncOp function, layout::MatrixInstructions matrices,
                  unsigned sparedStores, llvm::raw_ostream &out);

} // namespace nereid::backend::gpu
