// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/Constant.h"

#include "support/Check.h"
#include "support/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace nereid::sema {

ConstantValue::ConstantValue() noexcept = default;
ConstantValue::ConstantValue(Integer number, bool isBool) noexcept : variant(number) {
  if (isBool)
    emplace<bool>(number != 0);
}
ConstantValue::ConstantValue(double number) noexcept : variant(number) {}
ConstantValue::ConstantValue(std::string text) noexcept : variant(std::move(text)) {}
ConstantValue::ConstantValue(const char *text) : variant(std::string(text)) {}
ConstantValue::ConstantValue(ScalarType type) noexcept : variant(type) {}
ConstantValue::ConstantValue(const ConstantValue &) = default;
ConstantValue::ConstantValue(ConstantValue &&) noexcept = default;
ConstantValue &ConstantValue::operator=(const ConstantValue &) = default;
ConstantValue &ConstantValue::operator=(ConstantValue &&) noexcept = default;
ConstantValue::~ConstantValue() = default;

namespace {

std::string integerText(Integer value) {
  bool isNegative = value < 0;
  unsigned __int128 rest = isNegative ? -static_cast<unsigned __int128>(value) : value;
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  } while (rest != 0);
  return isNegative ? "-" + digits : digits;
}

/// Python's repr: the shortest digits that read back, positional between 1e-4 and 1e16.
std::string floatText(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[64];
  double size = std::fabs(value);
  bool isPositional = size == 0 || (size >= 1e-4 && size < 1e16);
  auto format = isPositional ? std::chars_format::fixed : std::chars_format::scientific;
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value, format).ptr);
  return isPositional && text.find('.') == std::string::npos ? text + ".0" : text;
}

[[noreturn]] void failOperands(std::string_view op, const ConstantValue &lhs,
                               const ConstantValue &rhs, SourceRange range) {
  fail(range, DiagnosticId::operand_types, op, typeName(lhs), typeName(rhs));
}

Integer checkRange(Integer value, SourceRange range) {
  if (value < std::numeric_limits<int64_t>::min() ||
      value > static_cast<Integer>(std::numeric_limits<uint64_t>::max()))
    fail(range, DiagnosticId::constant_overflow);
  return value;
}

Integer floorDivide(Integer lhs, Integer rhs) {
  Integer quotient = lhs / rhs;
  return lhs % rhs != 0 && (lhs < 0) != (rhs < 0) ? quotient - 1 : quotient;
}

Integer power(Integer base, Integer exponent, SourceRange range) {
  Integer result = 1;
  if (base == 0 || base == 1)
    return exponent == 0 ? 1 : base;
  if (base == -1)
    return exponent % 2 == 0 ? 1 : -1;
  // Any other base leaves 64 bits within 64 steps.
  for (Integer i = 0; i < exponent; ++i)
    result = checkRange(result * base, range);
  return result;
}

Integer shiftLeft(Integer value, Integer amount, SourceRange range) {
  if (value == 0)
    return 0;
  if (amount >= 64)
    fail(range, DiagnosticId::constant_overflow);
  return checkRange(value << amount, range);
}

ConstantValue foldIntegers(ast::BinaryOp op, Integer lhs, Integer rhs, SourceRange range) {
  using Op = ast::BinaryOp;
  if (rhs == 0 && (op == Op::Div || op == Op::FloorDiv || op == Op::Mod))
    fail(range, DiagnosticId::constant_division_by_zero);
  if (rhs < 0 && (op == Op::Shl || op == Op::Shr))
    fail(range, DiagnosticId::negative_shift);
  switch (op) {
  case Op::Add:
    return checkRange(lhs + rhs, range);
  case Op::Sub:
    return checkRange(lhs - rhs, range);
  case Op::Mul: {
    Integer product;
    if (__builtin_mul_overflow(lhs, rhs, &product))
      fail(range, DiagnosticId::constant_overflow);
    return checkRange(product, range);
  }
  case Op::Div:
    return static_cast<double>(static_cast<long double>(lhs) / static_cast<long double>(rhs));
  case Op::FloorDiv:
    return checkRange(floorDivide(lhs, rhs), range);
  case Op::Mod:
    return lhs - floorDivide(lhs, rhs) * rhs;
  case Op::Pow:
    return power(lhs, rhs, range);
  case Op::Shl:
    return shiftLeft(lhs, rhs, range);
  case Op::Shr:
    return rhs >= 64 ? Integer(lhs < 0 ? -1 : 0) : lhs >> rhs;
  case Op::And:
    return lhs & rhs;
  case Op::Or:
    return lhs | rhs;
  case Op::Xor:
    return lhs ^ rhs;
  case Op::MatMul:
    break;
  }
  failOperands(spelling(op), lhs, rhs, range);
}

/// Python's divmod of floats: the remainder takes the divisor's sign.
std::pair<double, double> floorDivide(double lhs, double rhs) {
  double remainder = std::fmod(lhs, rhs);
  double quotient = (lhs - remainder) / rhs;
  if (remainder == 0) {
    remainder = std::copysign(0.0, rhs);
  } else if ((rhs < 0) != (remainder < 0)) {
    remainder += rhs;
    quotient -= 1;
  }
  if (quotient == 0)
    return {std::copysign(0.0, lhs / rhs), remainder};
  double floored = std::floor(quotient);
  return {quotient - floored > 0.5 ? floored + 1 : floored, remainder};
}

double powerOfFloats(double lhs, double rhs, SourceRange range) {
  if (lhs == 0 && rhs < 0)
    fail(range, DiagnosticId::constant_division_by_zero);
  double result = std::pow(lhs, rhs);
  if (std::isinf(result) && std::isfinite(lhs) && std::isfinite(rhs))
    fail(range, DiagnosticId::constant_overflow);
  if (std::isnan(result) && !std::isnan(lhs) && !std::isnan(rhs)) // complex in Python
    failOperands("**", lhs, rhs, range);
  return result;
}

ConstantValue foldFloats(ast::BinaryOp op, double lhs, double rhs, SourceRange range) {
  using Op = ast::BinaryOp;
  if (rhs == 0 && (op == Op::Div || op == Op::FloorDiv || op == Op::Mod))
    fail(range, DiagnosticId::constant_division_by_zero);
  switch (op) {
  case Op::Add:
    return lhs + rhs;
  case Op::Sub:
    return lhs - rhs;
  case Op::Mul:
    return lhs * rhs;
  case Op::Div:
    return lhs / rhs;
  case Op::FloorDiv:
    return floorDivide(lhs, rhs).first;
  case Op::Mod:
    return floorDivide(lhs, rhs).second;
  case Op::Pow:
    return powerOfFloats(lhs, rhs, range);
  default:
    failOperands(spelling(op), lhs, rhs, range);
  }
}

std::string join(const std::string &lhs, const std::string &rhs, SourceRange range) {
  checkTextSize(Integer(lhs.size() + rhs.size()), range);
  return lhs + rhs;
}

std::string repeat(const std::string &text, Integer count, SourceRange range) {
  if (count > 0)
    checkTextSize(Integer(text.size()) * count, range);
  std::string result;
  for (Integer i = 0; i < count && !text.empty(); ++i)
    result += text;
  return result;
}

/// Below, equal or above zero as lhs is to rhs; nothing when a NaN takes part.
std::optional<int> order(const ConstantValue &lhs, const ConstantValue &rhs) {
  if (const auto *text = std::get_if<std::string>(&lhs))
    return text->compare(std::get<std::string>(rhs));
  auto leftInteger = asInteger(lhs), rightInteger = asInteger(rhs);
  if (leftInteger && rightInteger)
    return *leftInteger < *rightInteger ? -1 : *leftInteger > *rightInteger;
  // A long double holds every 64-bit integer and every double exactly.
  auto wide = [](const ConstantValue &value, std::optional<Integer> integer) {
    return integer ? static_cast<long double>(*integer) : std::get<double>(value);
  };
  long double left = wide(lhs, leftInteger), right = wide(rhs, rightInteger);
  if (std::isnan(left) || std::isnan(right))
    return std::nullopt;
  return left < right ? -1 : left > right;
}

bool isOrdered(const ConstantValue &lhs, const ConstantValue &rhs) {
  bool areStrings =
      std::holds_alternative<std::string>(lhs) && std::holds_alternative<std::string>(rhs);
  return areStrings || (asNumber(lhs) && asNumber(rhs));
}

} // namespace

ConstantValue valueOf(const ast::Constant &literal) {
  using Kind = ast::Constant::Kind;
  switch (literal.valueKind) {
  case Kind::None:
    return std::monostate();
  case Kind::Bool:
    return literal.intValue != 0;
  case Kind::Int:
    if (literal.intValue > UINT64_MAX)
      fail(literal.range, DiagnosticId::constant_overflow);
    return static_cast<Integer>(literal.intValue);
  case Kind::Float:
    return literal.floatValue;
  case Kind::Imaginary:
    fail(literal.range, DiagnosticId::unsupported_syntax, "an imaginary number");
  case Kind::String:
    return literal.stringValue;
  case Kind::Bytes:
    failWithNote(literal.range, {{}, "kernels of threads write such to NumPy's texts of bytes"},
                 DiagnosticId::unsupported_syntax, "a bytes literal");
  case Kind::Ellipsis:
    fail(literal.range, DiagnosticId::unsupported_syntax, "'...'");
  }
  NEREID_UNREACHABLE("a literal of unknown kind");
}

std::string toString(const ConstantValue &value) {
  switch (value.index()) {
  case 0:
    return "None";
  case 1:
    return std::get<bool>(value) ? "True" : "False";
  case 2:
    return integerText(std::get<Integer>(value));
  case 3:
    return floatText(std::get<double>(value));
  case 4:
    return "'" + std::get<std::string>(value) + "'";
  default:
    return toString(std::get<ScalarType>(value));
  }
}

std::string str(const ConstantValue &value) {
  if (const auto *text = std::get_if<std::string>(&value))
    return *text;
  const auto *type = std::get_if<ScalarType>(&value);
  return type ? languageName(*type) : toString(value);
}

std::string repr(const ConstantValue &value) {
  const auto *type = std::get_if<ScalarType>(&value);
  if (!type)
    return toString(value);
  std::string name = "triton.language." + std::string(nereid::name(type->dtype));
  return type->isPointer ? "triton.language.pointer_type(" + name + ")" : name;
}

std::string typeName(const ConstantValue &value) {
  constexpr const char *names[] = {"None", "bool", "int", "float", "str", "dtype"};
  return names[value.index()];
}

bool isTrue(const ConstantValue &value) {
  if (const auto *text = std::get_if<std::string>(&value))
    return !text->empty();
  if (std::holds_alternative<ScalarType>(value))
    return true;
  return asNumber(value).value_or(0) != 0;
}

std::optional<Integer> asInteger(const ConstantValue &value) {
  if (const bool *flag = std::get_if<bool>(&value))
    return *flag;
  if (const Integer *integer = std::get_if<Integer>(&value))
    return *integer;
  return std::nullopt;
}

std::optional<double> asNumber(const ConstantValue &value) {
  if (const double *number = std::get_if<double>(&value))
    return *number;
  if (auto integer = asInteger(value))
    return static_cast<double>(*integer);
  return std::nullopt;
}

std::optional<double> parseFloat(std::string_view text) {
  llvm::StringRef trimmed = llvm::StringRef(text).trim();
  bool isNegative = trimmed.consume_front("-");
  if (!isNegative)
    trimmed.consume_front("+");
  double number = 0;
  std::string lower = trimmed.lower();
  if (lower == "inf" || lower == "infinity")
    number = std::numeric_limits<double>::infinity();
  else if (lower == "nan")
    number = std::numeric_limits<double>::quiet_NaN();
  else if (trimmed.empty() || !(llvm::isDigit(trimmed[0]) || trimmed[0] == '.') ||
           trimmed.getAsDouble(number) || trimmed.contains_insensitive("x"))
    return std::nullopt;
  return isNegative ? -number : number;
}

void checkTextSize(Integer size, SourceRange range) {
  constexpr Integer longest = 1 << 20;
  if (size > longest)
    fail(range, DiagnosticId::constant_too_long, toString(ConstantValue(size)),
         toString(ConstantValue(longest)));
}

bool isEqual(const ConstantValue &lhs, const ConstantValue &rhs) {
  if (isOrdered(lhs, rhs))
    return order(lhs, rhs) == 0;
  return lhs.index() == rhs.index() && lhs == rhs;
}

ConstantValue fold(ast::UnaryOp op, const ConstantValue &operand, SourceRange range) {
  if (op == ast::UnaryOp::Not)
    return !isTrue(operand);
  if (const double *number = std::get_if<double>(&operand); number && op != ast::UnaryOp::Invert)
    return op == ast::UnaryOp::Minus ? -*number : *number;
  auto integer = asInteger(operand);
  if (!integer)
    fail(range, DiagnosticId::operand_type, spelling(op), typeName(operand));
  switch (op) {
  case ast::UnaryOp::Minus:
    return checkRange(-*integer, range);
  case ast::UnaryOp::Invert:
    return checkRange(~*integer, range);
  default:
    return *integer;
  }
}

ConstantValue fold(ast::BinaryOp op, const ConstantValue &lhs, const ConstantValue &rhs,
                   SourceRange range) {
  using Op = ast::BinaryOp;
  auto leftInteger = asInteger(lhs), rightInteger = asInteger(rhs);
  if (leftInteger && rightInteger) {
    bool areBools = lhs.index() == 1 && rhs.index() == 1;
    if (areBools && (op == Op::And || op == Op::Or || op == Op::Xor))
      return asInteger(foldIntegers(op, *leftInteger, *rightInteger, range)) != Integer(0);
    if (op == Op::Pow && *rightInteger < 0)
      return foldFloats(op, *asNumber(lhs), *asNumber(rhs), range);
    return foldIntegers(op, *leftInteger, *rightInteger, range);
  }
  bool isOfIntegers = op == Op::Shl || op == Op::Shr || op == Op::And || op == Op::Or ||
                      op == Op::Xor || op == Op::MatMul;
  if (asNumber(lhs) && asNumber(rhs) && !isOfIntegers)
    return foldFloats(op, *asNumber(lhs), *asNumber(rhs), range);
  const auto *leftText = std::get_if<std::string>(&lhs),
             *rightText = std::get_if<std::string>(&rhs);
  if (leftText && rightText && op == Op::Add)
    return join(*leftText, *rightText, range);
  if (leftText && rightInteger && op == Op::Mul)
    return repeat(*leftText, *rightInteger, range);
  if (rightText && leftInteger && op == Op::Mul)
    return repeat(*rightText, *leftInteger, range);
  failOperands(spelling(op), lhs, rhs, range);
}

bool fold(ast::CompareOp op, const ConstantValue &lhs, const ConstantValue &rhs,
          SourceRange range) {
  using Op = ast::CompareOp;
  switch (op) {
  case Op::Eq:
    return isEqual(lhs, rhs);
  case Op::Ne:
    return !isEqual(lhs, rhs);
  case Op::Is:
  case Op::IsNot:
    return (lhs.index() == rhs.index() && isEqual(lhs, rhs)) == (op == Op::Is);
  case Op::In:
  case Op::NotIn: {
    const auto *part = std::get_if<std::string>(&lhs), *whole = std::get_if<std::string>(&rhs);
    if (!part || !whole)
      failOperands(spelling(op), lhs, rhs, range);
    return (whole->find(*part) != std::string::npos) == (op == Op::In);
  }
  default:
    break;
  }
  if (!isOrdered(lhs, rhs))
    failOperands(spelling(op), lhs, rhs, range);
  auto relation = order(lhs, rhs);
  if (!relation)
    return false;
  switch (op) {
  case Op::Lt:
    return *relation < 0;
  case Op::Le:
    return *relation <= 0;
  case Op::Gt:
    return *relation > 0;
  default:
    return *relation >= 0;
  }
}

} // namespace nereid::sema
