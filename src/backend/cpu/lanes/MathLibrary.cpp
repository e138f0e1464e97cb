// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/lanes/MathLibrary.h"

#include "llvm/ADT/StringSwitch.h"

#include <limits>

namespace nereid::backend::cpu {
namespace {

struct VectorIsa {
  char letter;
  unsigned bytes;
};
/// The ABI's names for AVX-512, AVX2 and SSE.
constexpr VectorIsa isas[] = {{'e', 64}, {'d', 32}, {'b', 16}};

/// The minor version of glibc 2 that brought the vector form of a function.
unsigned libmvecSince(llvm::StringRef name) {
  return llvm::StringSwitch<unsigned>(name)
      .Cases({"cos", "exp", "log", "pow", "sin"}, 22)
      .Cases({"acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cosh"}, 35)
      .Cases({"erf", "erfc", "exp2", "expm1", "log10", "log1p", "log2"}, 35)
      .Cases({"sinh", "tan", "tanh"}, 35)
      .Default(std::numeric_limits<unsigned>::max());
}

} // namespace

std::string scalarSymbol(llvm::StringRef name, bool isDouble) {
  return isDouble ? name.str() : name.str() + "f";
}

VectorFunction findVectorFunction(llvm::StringRef name, bool isDouble, unsigned arity,
                                  unsigned width, const target::CpuTarget &target) {
  VectorFunction best;
  for (VectorIsa isa : isas) {
    if (isa.bytes > target.vectorBytes || libmvecSince(name) > target.libmvec)
      continue;
    unsigned lanes = isa.bytes / (isDouble ? 8 : 4);
    best = {std::string("_ZGV") + isa.letter + "N" + std::to_string(lanes) +
                std::string(arity, 'v') + "_" + scalarSymbol(name, isDouble),
            lanes};
    if (lanes <= width)
      break;
  }
  return best;
}

} // namespace nereid::backend::cpu
