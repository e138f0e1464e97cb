// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the declaration of a kernel's parameter says about its argument.
#pragma once

#include "frontend/ast/Ast.h"
#include "frontend/sema/Type.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::jit {

struct Annotation {
  bool isConstexpr = false;
  /// Overrides the type that the argument would give.
  std::optional<sema::ScalarType> type;
};

/// Understands `tl.constexpr`, `tl.int64`, "i64", "fp32" and "*fp16"; anything else says nothing.
Annotation readAnnotation(const ast::Parameter &parameter);

/// "f32", "float32", "fp32", and each with a leading "*" for a pointer to it.
std::optional<sema::ScalarType> parseTypeName(std::string_view text);

/// "did you mean 'add'?", or else a list of what there is.
std::string suggest(std::string_view name, const std::vector<std::string> &candidates,
                    std::string_view plural, std::string_view singular);

} // namespace nereid::jit
