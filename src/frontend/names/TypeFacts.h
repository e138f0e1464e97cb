// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel may ask of a type: `tl.float32.itemsize`, `x.type.is_block()`.
#pragma once

#include "frontend/sema/Constant.h"
#include "frontend/sema/Type.h"

#include <optional>
#include <string>
#include <variant>

namespace nereid::names {

struct TypeFact {
  std::variant<sema::ConstantValue, sema::Shape> value;
  /// Whether the name is a method without arguments, which gives the value.
  bool isMethod = false;
};

/// Of an element type, or a pointer to one; nothing if it has no such attribute.
std::optional<TypeFact> factOf(sema::ScalarType type, const std::string &name);
/// Of the type of a scalar or a tile.
std::optional<TypeFact> factOf(const sema::ValueType &type, const std::string &name);

} // namespace nereid::names
