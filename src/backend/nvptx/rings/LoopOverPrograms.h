// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks that stay on their SM and run one program after the other: while one's results are stored,
// the copy engine fetches for the next.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::nvptx {

/// Whether programs of the kernel may follow one another in a block, blocks having as much to do:
/// its loops do not depend on the program, or grow along x alone (OrderPrograms), and it orders no
/// accesses, by which programs might wait for one another. Where products are made from one another
/// and programs are alike, that gains nothing; where some are short, it does.
bool mayLoopOverPrograms(mlir::func::FuncOp kernel);

/// The last of the boxes and rings that are there for all programs of a block. There is one.
mlir::Operation *lastOfAllPrograms(mlir::func::FuncOp kernel);

} // namespace nereid::backend::nvptx
