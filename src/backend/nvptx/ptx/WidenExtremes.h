// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace nereid::backend::nvptx {

/// Minima and maxima of 16 bits that are compared become such of 32. ptxas 13.0 makes one
/// instruction (VIMNMX.S16x2, on Hopper) of a minimum and of the comparison that says which of the
/// two it is, with both of that instruction's predicates in one register: what is kept is the upper
/// half's, which is nobody's number. A random kernel, argmin of bytes, found it on an H200.
void widenExtremes(llvm::Function &function);

} // namespace nereid::backend::nvptx
