// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace nereid::backend::nvptx {

/// The SM converts floats of 8 bits in pairs, and lanes are emitted one by one, each as half of a
/// pair. Where two of them are neighbours in a vector, one conversion takes the place of both. It
/// is called before optimisation, which would make shuffles of them.
void pairConversions(llvm::Function &function);

} // namespace nereid::backend::nvptx
