// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values known while compiling, and Python's arithmetic on them.
#pragma once

#include "frontend/ast/Ast.h"
#include "frontend/sema/Type.h"

#include <string>
#include <variant>

namespace nereid::sema {

using Integer = __int128;

/// None, a bool, an integer of up to 64 bits (signed or not), a float, a string, or a dtype. A
/// class of its own for the compiler's sake: what copies, moves and destroys it, and values that
/// hold one, is compiled once (Constant.cpp) and not in each file that names it.
struct ConstantValue
    : std::variant<std::monostate, bool, Integer, double, std::string, ScalarType> {
  ConstantValue() noexcept; // None
  ConstantValue(std::monostate) noexcept : ConstantValue() {}
  template <typename T>
    requires(std::is_integral_v<T> || std::is_same_v<T, Integer>)
  ConstantValue(T number) noexcept : ConstantValue(Integer(number), std::is_same_v<T, bool>) {}
  ConstantValue(double number) noexcept;
  ConstantValue(std::string text) noexcept;
  ConstantValue(const char *text);
  ConstantValue(ScalarType type) noexcept;

  ConstantValue(const ConstantValue &);
  ConstantValue(ConstantValue &&) noexcept;
  ConstantValue &operator=(const ConstantValue &);
  ConstantValue &operator=(ConstantValue &&) noexcept;
  ~ConstantValue();

private:
  ConstantValue(Integer number, bool isBool) noexcept;
};

/// The value of a literal; an integer of more than 64 bits is a mistake.
ConstantValue valueOf(const ast::Constant &literal);
/// As diagnostics write it: "None", "True", "3", "0.5", "'text'", "float32".
std::string toString(const ConstantValue &value);
/// Python's str(value): text without quotes, "fp32".
std::string str(const ConstantValue &value);
/// Python's repr(value): "'text'", "triton.language.float32".
std::string repr(const ConstantValue &value);
/// "int", "str" ...: the Python type's name.
std::string typeName(const ConstantValue &value);
/// Python's bool(value).
bool isTrue(const ConstantValue &value);
/// The integer of an int or bool; nothing otherwise.
std::optional<Integer> asInteger(const ConstantValue &value);
/// The number of an int, bool or float; nothing otherwise.
std::optional<double> asNumber(const ConstantValue &value);
/// What float("...") gives: a decimal number, inf or nan; nothing for any other text.
std::optional<double> parseFloat(std::string_view text);
bool isEqual(const ConstantValue &lhs, const ConstantValue &rhs);
/// For who makes a text of so many bytes, before it is made: it may have grown beyond the limit.
void checkTextSize(Integer size, SourceRange range);

/// Folds with Python's semantics: // and % floor, / of ints is a float, ** may be negative. Throws
/// SourceError at `range` for mistakes (division by zero, unsupported operand types, over 64 bits).
ConstantValue fold(ast::UnaryOp op, const ConstantValue &operand, SourceRange range);
ConstantValue fold(ast::BinaryOp op, const ConstantValue &lhs, const ConstantValue &rhs,
                   SourceRange range);
bool fold(ast::CompareOp op, const ConstantValue &lhs, const ConstantValue &rhs, SourceRange range);

} // namespace nereid::sema
