// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace nereid::backend::nvptx {

/// ptxas 13 loses negations (random kernels found each of these on an H200, where the emulator,
/// which runs the PTX, agreed with the checked device):
/// - It makes one instruction (VIMNMX3, on Hopper) of a signed maximum or minimum of three numbers:
///   max(max(a, -b), c) becomes max(a, b, c). It also takes one of a - b and b - a for the other's
///   negation, and loses that.
/// - Of 16 bits it widens before it negates: the negative of -32768 becomes 32768. Seen where the
///   number is converted; hidden wherever its sign is read.
/// Where that could be, -x is the complement of x, plus 1, in a form that neither LLVM nor ptxas
/// joins. To be the last thing done to the module: LLVM knows no more of such an x than that it is
/// there.
void hideNegations(llvm::Module &module);

} // namespace nereid::backend::nvptx
