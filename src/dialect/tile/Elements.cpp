// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/Elements.h"

#include "support/Check.h"

using namespace mlir;

namespace nereid::tile {

std::optional<DType> dtypeOf(Type scalar, bool isSigned) {
#define INTEGER_DTYPE(enumerator, name, shortName, signature, bits, kind, numpy)                   \
  if (scalar.isSignlessInteger(bits) &&                                                            \
      DTypeKind::kind != (isSigned ? DTypeKind::Unsigned : DTypeKind::Signed))                     \
    return DType::enumerator;
#define FLOAT_DTYPE(enumerator, name, shortName, signature, exponentBits, mantissaBits, bias,      \
                    specials, overflow, numpy)                                                     \
  if (llvm::isa<enumerator##Type>(scalar))                                                         \
    return DType::enumerator;
#define SOFTWARE_FLOAT_DTYPE(...)
#include "nereid/dtypes.def"
  return std::nullopt;
}

Type scalarOf(DType type, MLIRContext *context) {
  switch (type) {
#define INTEGER_DTYPE(enumerator, name, shortName, signature, bits, kind, numpy)                   \
  case DType::enumerator:                                                                          \
    return IntegerType::get(context, bits);
#define FLOAT_DTYPE(enumerator, name, shortName, signature, exponentBits, mantissaBits, bias,      \
                    specials, overflow, numpy)                                                     \
  case DType::enumerator:                                                                          \
    return enumerator##Type::get(context);
#define SOFTWARE_FLOAT_DTYPE(enumerator, name, shortName, signature, exponentBits, mantissaBits,   \
                             bias, specials, overflow, numpy)                                      \
  case DType::enumerator:                                                                          \
    return IntegerType::get(context, 1 + (exponentBits) + (mantissaBits));
#include "nereid/dtypes.def"
  }
  NEREID_UNREACHABLE("unknown dtype");
}

} // namespace nereid::tile
