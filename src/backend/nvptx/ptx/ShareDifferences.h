// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace nereid::backend::nvptx {

/// Differences of sums that are alike but for constants become one difference and a constant each,
/// where that makes fewer numbers of them: the distances between the rows and the columns that a
/// thread has of a tile are few, and what is computed of each is computed once.
void shareDifferences(llvm::Function &function);

} // namespace nereid::backend::nvptx
