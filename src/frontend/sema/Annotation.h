// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the annotation of a parameter or a variable says.
#pragma once

#include "frontend/ast/Ast.h"
#include "frontend/sema/Type.h"

#include <optional>
#include <string_view>

namespace nereid::sema {

struct Annotation {
  bool isConstexpr = false;
  /// tl.const: a pointer that nothing is stored through.
  bool isConst = false;
  /// Overrides the type that the argument of a kernel would give.
  std::optional<ScalarType> type;
};

/// Understands `tl.constexpr`, `tl.const`, `tl.int64`, "i64", "fp32" and "*fp16", each quoted or
/// not and with what may stand in brackets after it (`tl.constexpr[int]`); anything else says
/// nothing, and neither does no annotation at all.
Annotation readAnnotation(const ast::Expr *annotation);

/// "f32", "float32", "fp32", and each with a leading "*" for a pointer to it.
std::optional<ScalarType> parseTypeName(std::string_view text);

} // namespace nereid::sema
