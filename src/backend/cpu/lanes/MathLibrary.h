// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What mathematical functions are called in the C library.
#pragma once

#include "target/CpuTarget.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace nereid::backend::cpu {

struct VectorFunction {
  std::string symbol;
  unsigned lanes = 1; // 1: there is none, use the scalar function lane by lane
};

/// "expf" or "exp"
std::string scalarSymbol(llvm::StringRef name, bool isDouble);
/// The widest libmvec function that the target runs and a vector of `width` lanes fills, or the
/// narrowest there is. Names follow the x86-64 vector function ABI: _ZGV<isa>N<lanes>v_<name>.
VectorFunction findVectorFunction(llvm::StringRef name, bool isDouble, unsigned arity,
                                  unsigned width, const target::CpuTarget &target);

} // namespace nereid::backend::cpu
