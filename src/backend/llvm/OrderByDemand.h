// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
}

namespace nereid::backend {

/// Puts what is computed without side effects right before the first access, barrier or branch of
/// its block that needs it, in the order in which that one's operands need it. What tiles are
/// computed by, all elements of one operation and then all of the next, becomes all operations of
/// the elements that are stored first, and so on: fewer values are there at once. What is read in
/// the address space `closeSpace`, whose answers come soon, is combined as it comes.
void orderByDemand(llvm::Function &function, unsigned closeSpace);

} // namespace nereid::backend
