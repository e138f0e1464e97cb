// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace nereid::backend::nvptx {

/// A float whose bits are 1 or 0 by a predicate, the least subnormal one or zero, and which is
/// converted to another float, becomes the choice of two that are converted already. ptxas (12.8 to
/// 13.0) takes the conversion for one of a boolean integer, and gives 1.0: seen behind loops and
/// sorts. A random kernel found it on an H200.
void convertBitsOfPredicates(llvm::Function &function);

} // namespace nereid::backend::nvptx
