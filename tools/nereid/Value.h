// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The VALUE of NAME=VALUE on the command line.
#pragma once

#include "Fill.h"
#include "nereid/expression.h"

#include <optional>
#include <string>
#include <variant>

namespace nereid::command {

/// @file.npy, or @file.npy:DTYPE to convert
struct FileValue {
  std::string path;
  std::optional<DType> type;
};

/// zeros:f32[1823,781] and its like
struct FilledValue {
  Fill fill;
  DType type;
  Expression shape;
};

/// blocks[64,64]:VALUE: a tensor descriptor of an array
struct BlocksValue {
  Expression blockShape;
  std::variant<FileValue, FilledValue, Expression> array;
};

/// Anything else is an expression, of which a literal is the simplest.
using Value = std::variant<FileValue, FilledValue, Expression, BlocksValue>;

/// Throws Error(Usage) that says what is accepted.
Value parseValue(const std::string &name, const std::string &text);

struct Assignment {
  std::string name, text;
};
/// Splits NAME=TEXT; `what` says in messages what it is.
Assignment parseAssignment(const std::string &argument, const char *what);

/// "i1 i8 ... f64": for messages.
std::string acceptedDTypes();

} // namespace nereid::command
