// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators, and functions that work element by element.
#include "Generator.h"

#include <tuple>

namespace nereid::generate {

static std::string infix(const Expression &lhs, const std::string &op, const Expression &rhs) {
  return "(" + lhs.text + " " + op + " " + rhs.text + ")";
}

/// Two operands whose types and shapes come together to `type`. One may be a literal, which adapts.
std::pair<Expression, Expression> Generator::operands(const ValueType &type, int depth,
                                                      Demand demand, Promotion promotion,
                                                      bool mayBeLiteral) {
  DType left = type.dtype, right = type.dtype;
  bool isSame = promote(left, right, promotion) == type.dtype && random.chance(65);
  if (!isSame && demand == Demand::Any)
    std::tie(left, right) = random.pick(pairsFor(type.dtype, promotion));
  Shape leftShape = type.shape, rightShape = type.shape;
  if (random.chance(30))
    (random.chance(50) || demand == Demand::Grid ? rightShape : leftShape) = smaller(type.shape);
  Expression lhs = expression({left, leftShape}, depth, demand);
  bool fits = left == type.dtype && leftShape == type.shape && !isBool(left);
  if (mayBeLiteral && fits && random.chance(25))
    return {lhs, literal(left, demand)};
  return {lhs, expression({right, rightShape}, depth, demand)};
}

Expression Generator::arithmetic(const ValueType &type, int depth, Demand demand) {
  auto [lhs, rhs] = operands(type, depth, demand, Promotion::Usual, true);
  std::string op = random.pick({"+", "-", "*"});
  for (Expression *operand : {&lhs, &rhs}) // they are converted before they meet
    operand->accuracy = operand->accuracy.in(type.dtype);
  bool isExact = !isFloat(type.dtype) || (lhs.accuracy.onGrid && rhs.accuracy.onGrid);
  if (!isExact && (lhs.accuracy.mayBeProduct || rhs.accuracy.mayBeProduct))
    op = "*";
  Accuracy accuracy =
      (op == "*" ? productOf(lhs.accuracy, rhs.accuracy) : sumOf(lhs.accuracy, rhs.accuracy))
          .in(type.dtype);
  return {infix(lhs, op, rhs), type, accuracy};
}

/// An integer that may be divided by.
static Expression notZero(const Expression &divisor) {
  bool isLiteral = divisor.text.find_first_not_of("-0123456789") == std::string::npos;
  if (isLiteral) // which takes the other side's type only as it is
    return divisor.text == "0" ? Expression{"3", divisor.type} : divisor;
  if (isBool(divisor.type.dtype))
    return {"(" + divisor.text + " | True)", divisor.type};
  return {"tl.where(" + divisor.text + " == 0, 1, " + divisor.text + ")", divisor.type};
}

Expression Generator::division(const ValueType &type, int depth, Demand demand) {
  if (isFloat(type.dtype) && random.chance(70)) {
    auto [lhs, rhs] = operands(type, depth, demand, Promotion::Division, true);
    return {infix(lhs, "/", rhs), type};
  }
  if (type.dtype == DType::Float32 && random.chance(20)) { // integers are divided as float32
    DType integer =
        random.pick({DType::Int8, DType::Int32, DType::Int64, DType::UInt16, DType::UInt64});
    auto [lhs, rhs] = operands({integer, type.shape}, depth, demand, Promotion::Division, true);
    return {infix(lhs, "/", rhs), type};
  }
  auto [lhs, rhs] = operands(type, depth, demand, Promotion::Division, true);
  if (!isFloat(type.dtype))
    rhs = notZero(rhs);
  bool isRemainder = isFloat(type.dtype) || random.chance(50);
  return {infix(lhs, isRemainder ? "%" : "//", rhs), type};
}

Expression Generator::bits(const ValueType &type, int depth, Demand demand) {
  bool isShift = !isBool(type.dtype) && random.chance(40);
  auto [lhs, rhs] = operands(type, depth, demand, Promotion::Usual, true);
  std::string op = isShift ? random.pick({"<<", ">>"}) : random.pick({"&", "|", "^"});
  bool isLiteral = rhs.type.shape.empty() && !rhs.text.empty() && rhs.text[0] == '-';
  if (isShift && isLiteral)
    rhs.text = "3";
  return {infix(lhs, op, rhs), type};
}

/// A number of any kind and size, often just in or out of some type's range.
static std::string anyNumber(Random &random) {
  if (random.chance(40))
    return random.pick({"0.0", "-0.0", "0.1", "-0.5", "1.5", "3.0", "257.0", "2049.0", "65520.0",
                        "16777217.0", "1e30", "1e300", "1e-300", "float('inf')", "float('nan')"});
  if (random.chance(40))
    return std::to_string(random.between(-3, 9));
  uint64_t power = uint64_t(1) << random.pick({7, 8, 11, 15, 16, 24, 31, 32, 63});
  bool isNegative = random.chance(30);
  int64_t shift = random.between(-1, isNegative ? 0 : 1);
  return (isNegative ? "-" : "") + std::to_string(power + static_cast<uint64_t>(shift));
}

/// A literal in a comparison does not adapt: both sides are promoted.
Expression Generator::comparisonWithLiteral(const ValueType &type, int depth) {
  DType compared = random.pick(allTypes());
  if (isFloat8(compared)) // which does not meet integers
    compared = DType::Float16;
  std::string lhs = expression({compared, type.shape}, depth).text;
  std::string rhs = anyNumber(random);
  if (random.chance(25))
    std::swap(lhs, rhs);
  std::string op = random.pick({"<", "<=", "==", "!=", ">", ">="});
  return {"(" + lhs + " " + op + " " + rhs + ")", type};
}

Expression Generator::comparison(const ValueType &type, int depth, Demand demand) {
  if (random.chance(30))
    return comparisonWithLiteral(type, depth);
  DType work = random.pick(allTypes());
  auto [lhs, rhs] = operands({work, type.shape}, depth, demand, Promotion::Usual, true);
  return {infix(lhs, random.pick({"<", "<=", "==", "!=", ">", ">="}), rhs), type};
}

Expression Generator::logic(const ValueType &type, int depth, Demand demand) {
  if (random.chance(25))
    return {"(not " + expression(type, depth).text + ")", type};
  auto [lhs, rhs] = std::pair(expression(type, depth), expression(type, depth));
  return {infix(lhs, random.pick({"and", "or"}), rhs), type};
}

Expression Generator::extremum(const ValueType &type, int depth, Demand demand) {
  if (isFloat(type.dtype) && demand == Demand::Any && random.chance(40))
    return extremumOfInteger(type, depth);
  std::string function = random.pick({"tl.minimum", "tl.maximum"});
  auto [lhs, rhs] = operands(type, depth, demand, Promotion::Extremum, false);
  bool propagates = isFloat(type.dtype) && random.chance(15);
  return {function + "(" + lhs.text + ", " + rhs.text +
              (propagates ? ", propagate_nan=tl.PropagateNan.ALL)" : ")"),
          type, join(lhs.accuracy.in(type.dtype), rhs.accuracy.in(type.dtype))};
}

/// The larger or smaller of an integer, which cannot be a NaN, and of a float, which can.
Expression Generator::extremumOfInteger(const ValueType &type, int depth) {
  Shape shape = random.chance(30) ? smaller(type.shape) : type.shape;
  DType integer = random.pick({DType::Int1, DType::Int8, DType::UInt8, DType::Int32, DType::Int32,
                               DType::UInt32, DType::Int64});
  bool isInHelper = helperDepth > 0; // which sees neither arrays nor the program's number
  bool isProgram = shape.empty() && !isInHelper && random.chance(60);
  std::string whole = isProgram ? "pid" : expression({integer, shape}, depth).text;
  std::string cast = "(" + whole + ").to(" + text(type.dtype) + ")";
  std::string other =
      !isInHelper && random.chance(50) ? loadSpecial(type) : expression(type, depth).text;
  std::string function = random.pick({"tl.minimum(", "tl.maximum("});
  std::string propagates = random.chance(20) ? ", propagate_nan=tl.PropagateNan.ALL)" : ")";
  bool isFirst = random.chance(50);
  return {function + (isFirst ? cast : other) + ", " + (isFirst ? other : cast) + propagates, type};
}

/// Defines such an extremum, or the largest or smallest of many.
void Generator::defineExtremum() {
  DType dtype = random.pick({DType::Float32, DType::Float32, DType::Float64, DType::Float16});
  Shape shape = anyShape();
  Expression value = extremumOfInteger({dtype, shape}, 1);
  if (!shape.empty() && random.chance(40)) {
    auto axis = static_cast<size_t>(random.below(static_cast<int64_t>(shape.size())));
    shape.erase(shape.begin() + static_cast<int64_t>(axis));
    DType widened = dtype == DType::Float16 ? DType::Float32 : dtype;
    value = {reduced(random.pick({"max", "min"}), value.text, axis, shape, ""), {widened, shape}};
  }
  define("v", value);
}

Expression Generator::unary(const ValueType &type, int depth, Demand demand) {
  Expression value = expression(type, depth, demand);
  bool mayInvert = isInteger(type.dtype) && demand == Demand::Any;
  if (isBool(type.dtype) || (mayInvert && random.chance(40)))
    return {"(~" + value.text + ")", type};
  // Unsigned numbers wrap, which leaves the grid; signed ones never reach their minimum on it.
  if (random.chance(50))
    return {"(-" + value.text + ")", type, value.accuracy.in(type.dtype)};
  return {random.pick({std::string("tl.abs"), std::string("abs")}) + "(" + value.text + ")", type,
          value.accuracy};
}

/// Functions that IEEE 754 rounds correctly.
Expression Generator::rounding(const ValueType &type, int depth, Demand demand) {
  Expression value = expression(type, depth, demand);
  return {std::string(random.pick({"tl.sqrt", "tl.ceil", "tl.floor"})) + "(" + value.text + ")",
          type};
}

/// A sum of a product, rounded once.
Expression Generator::multiplyAdd(const ValueType &type, int depth, Demand demand) {
  std::string operands;
  for (int i = 0; i < 3; ++i)
    operands += (i ? ", " : "") + expression(type, depth, demand).text;
  return {"tl.fma(" + operands + ")", type};
}

Expression Generator::upperHalf(const ValueType &type, int depth, Demand demand) {
  Expression lhs = expression(type, depth, demand), rhs = expression(type, depth, demand);
  return {"tl.umulhi(" + lhs.text + ", " + rhs.text + ")", type};
}

Expression Generator::clamped(const ValueType &type, int depth, Demand demand) {
  Expression value = expression(type, depth, demand);
  std::string low = random.pick({"-2.0", "-0.5", "0.0"}),
              high = random.pick({"0.25", "1.5", "3.0"});
  bool propagates = demand == Demand::Any && random.chance(30);
  return {"tl.clamp(" + value.text + ", " + low + ", " + high +
              (propagates ? ", propagate_nan=tl.PropagateNan.ALL)" : ")"),
          type, join(value.accuracy, Accuracy::grid(3, 2)).in(type.dtype)};
}

} // namespace nereid::generate
