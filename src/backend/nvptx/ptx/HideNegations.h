// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace nereid::backend::nvptx {

/// ptxas 13.0 makes one instruction (VIMNMX3, on Hopper) of a signed maximum or minimum of three
/// numbers, and loses the negation of one: max(max(a, -b), c) becomes max(a, b, c). In functions
/// that have such, -x is the complement of x, plus 1, in a form that neither LLVM nor ptxas joins.
/// To be the last thing done to the module: LLVM knows no more of such an x than that it is there.
void hideNegations(llvm::Module &module);

} // namespace nereid::backend::nvptx
