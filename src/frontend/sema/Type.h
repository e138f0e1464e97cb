// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types of values in the kernel language. Unlike the tile dialect's, integers know their sign.
#pragma once

#include "nereid/DType.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <string>

namespace nereid::sema {

/// What one lane holds: a number, or a pointer to one.
struct ScalarType {
  DType dtype = DType::Int32; // of a pointer, what it points at
  bool isPointer = false;
  bool isConst = false; // nothing is stored through the pointer

  bool operator==(const ScalarType &) const = default;
};

using Shape = llvm::SmallVector<int64_t, 4>;

/// A scalar (empty shape) or a tile.
struct ValueType {
  ScalarType scalar;
  Shape shape;

  bool isTile() const { return !shape.empty(); }
  int64_t elements() const;
  ValueType with(ScalarType other) const { return {other, shape}; }
  bool operator==(const ValueType &) const = default;
};

/// "float32", "pointer to float32"
std::string toString(ScalarType type);
/// What `dtype.name` is, by which programs of Triton tell types apart: "fp32", "int8",
/// "pointer<fp32>".
std::string languageName(ScalarType type);
/// "(64, 32)"; "()" for a scalar.
std::string toString(llvm::ArrayRef<int64_t> shape);
/// "float32" or "float32 tile of shape (64, 32)"
std::string toString(const ValueType &type);

} // namespace nereid::sema
