// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/Type.h"

#include "support/Check.h"

#include "llvm/ADT/ArrayRef.h"

namespace nereid::sema {

int64_t ValueType::elements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

std::string toString(ScalarType type) {
  std::string text(name(type.dtype));
  return type.isPointer ? (type.isConst ? "pointer to const " : "pointer to ") + text : text;
}

static std::string_view signatureName(DType type) {
  switch (type) {
#define INTEGER_DTYPE(enumerator, name, ...)                                                       \
  case DType::enumerator:                                                                          \
    return name;
#define FLOAT_DTYPE(enumerator, name, shortName, signature, ...)                                   \
  case DType::enumerator:                                                                          \
    return signature;
#include "nereid/dtypes.def"
  }
  NEREID_UNREACHABLE("an element type of no row");
}

std::string languageName(ScalarType type) {
  std::string text(signatureName(type.dtype));
  return type.isPointer ? (type.isConst ? "const_pointer<" : "pointer<") + text + ">" : text;
}

std::string toString(llvm::ArrayRef<int64_t> shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string toString(const ValueType &type) {
  std::string text = toString(type.scalar);
  return type.isTile() ? text + " tile of shape " + toString(type.shape) : text;
}

} // namespace nereid::sema
