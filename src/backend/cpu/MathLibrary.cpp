// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/MathLibrary.h"

#include "llvm/ADT/StringMap.h"

#include <cmath>
#include <dlfcn.h>

namespace nereid::backend::cpu {
namespace {

struct VectorIsa {
  char letter;
  unsigned bytes;
};
/// The ABI's names for AVX-512, AVX2 and SSE.
constexpr VectorIsa isas[] = {{'e', 64}, {'d', 32}, {'b', 16}};

std::string vectorSymbol(VectorIsa isa, unsigned lanes, llvm::StringRef scalar, unsigned arity) {
  return std::string("_ZGV") + isa.letter + "N" + std::to_string(lanes) + std::string(arity, 'v') +
         "_" + scalar.str();
}

/// libmvec belongs to glibc, but older ones lack some functions; the scalar ones then serve.
const llvm::StringMap<void *> &vectorSymbols() {
  static const llvm::StringMap<void *> symbols = [] {
    llvm::StringMap<void *> found;
    void *library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return found;
    auto look = [&](llvm::StringRef name, bool isDouble, unsigned arity) {
      for (VectorIsa isa : isas) {
        std::string symbol =
            vectorSymbol(isa, isa.bytes / (isDouble ? 8 : 4), scalarSymbol(name, isDouble), arity);
        if (void *address = dlsym(library, symbol.c_str()))
          found[symbol] = address;
      }
    };
#define MATH_FUNCTION(operation, name, arity)                                                      \
  look(#name, false, arity);                                                                       \
  look(#name, true, arity);
#include "backend/cpu/math_functions.def"
    return found;
  }();
  return symbols;
}

template <typename Function> void *addressOf(Function *function) {
  return reinterpret_cast<void *>(function);
}

} // namespace

std::string scalarSymbol(llvm::StringRef name, bool isDouble) {
  return isDouble ? name.str() : name.str() + "f";
}

VectorFunction findVectorFunction(llvm::StringRef name, bool isDouble, unsigned arity,
                                  unsigned width, const target::CpuTarget &target) {
  VectorFunction best;
  for (VectorIsa isa : isas) {
    if (isa.bytes > target.vectorBytes)
      continue;
    unsigned lanes = isa.bytes / (isDouble ? 8 : 4);
    std::string symbol = vectorSymbol(isa, lanes, scalarSymbol(name, isDouble), arity);
    if (!vectorSymbols().contains(symbol))
      continue;
    best = {symbol, lanes};
    if (lanes <= width)
      break;
  }
  return best;
}

static const llvm::StringMap<void *> &scalarSymbols() {
  static const llvm::StringMap<void *> symbols = {
#define MATH_FUNCTION(operation, name, arity)                                                      \
  {#name "f", addressOf(::name##f)},                                                               \
      {#name, addressOf(static_cast<double (*)(MATH_ARGUMENTS_##arity)>(::name))},
#define MATH_ARGUMENTS_1 double
#define MATH_ARGUMENTS_2 double, double
#include "backend/cpu/math_functions.def"
#undef MATH_ARGUMENTS_1
#undef MATH_ARGUMENTS_2
      {"fmodf", addressOf(::fmodf)},
      {"fmod", addressOf(static_cast<double (*)(double, double)>(::fmod))},
      {"fmaf", addressOf(::fmaf)},
      {"fma", addressOf(static_cast<double (*)(double, double, double)>(::fma))}};
  return symbols;
}

void *findMathFunction(llvm::StringRef symbol) {
  if (void *scalar = scalarSymbols().lookup(symbol))
    return scalar;
  // Only then: opening libmvec costs a tenth of a millisecond that most kernels need not pay.
  return symbol.starts_with("_ZGV") ? vectorSymbols().lookup(symbol) : nullptr;
}

} // namespace nereid::backend::cpu
