// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which kinds of expression there are, and the smallest of them.
#include "Generator.h"

#include <algorithm>

namespace nereid::generate {

Expression Generator::expression(const ValueType &type, int depth, Demand demand) {
  if (depth <= 0 || random.chance(15))
    return leaf(type, demand);
  struct Production {
    int weight;
    bool applies;
    Maker make;
  };
  DType dtype = type.dtype;
  size_t rank = type.shape.size();
  bool isAny = demand == Demand::Any, isWide = isFloat(dtype) && bitWidth(dtype) >= 32;
  bool isNumber = !isBool(dtype), isInteger = nereid::isInteger(dtype);
  const Production productions[] = {
      {14, isNumber, &Generator::arithmetic},
      {1, isBool(dtype), &Generator::arithmetic},
      {5, isAny && isNumber && (isInteger || isWide), &Generator::division},
      {6, isAny && isInteger, &Generator::bits},
      {12, isAny && isBool(dtype), &Generator::comparison},
      {5, isAny && isBool(dtype), &Generator::logic},
      {6, true, &Generator::choice},
      {1, helperDepth == 0, &Generator::conditional},
      {5, isNumber && dtype != DType::BFloat16, &Generator::extremum},
      {4, true, &Generator::unary},
      {6, isAny && isWide, &Generator::rounding},
      {2, isAny && isWide, &Generator::multiplyAdd},
      {3, isAny && isInteger && bitWidth(dtype) >= 32, &Generator::upperHalf},
      {2, isWide, &Generator::clamped},
      {6, true, &Generator::cast},
      {1, isAny && isNumber, &Generator::bitcast},
      {3, rank == 0 && helperDepth == 0, &Generator::element},
      {3, rank > 0, &Generator::broadcast},
      {8, std::ranges::count(type.shape, 1) > 0, &Generator::expand},
      {2, rank > 0, &Generator::reshape},
      {3, rank > 1, &Generator::permute},
      {4, isJoinable(type.shape), &Generator::joined},
      {2, rank > 0 && elements(type.shape) <= mostElements / 2, &Generator::half},
      {8, isAny && rank < 3 && elements(type.shape) <= mostElements / 4 && isNumber,
       &Generator::reduction},
      {2, rank > 0 && isNumber && helperDepth == 0, &Generator::scan},
      {2, rank > 0 && isNumber && helperDepth == 0, &Generator::reordered},
      {3, isAny && hasRandomNumbers(type), &Generator::randomNumbers},
      {3, dtype == DType::Int32 && rank == 1 && helperDepth == 0, &Generator::counts},
      {3, isAny && rank > 0 && helperDepth == 0 && isMappable(type), &Generator::mappedLanes},
      {2, helperDepth == 0, &Generator::helperCall},
      {2, isAny && rank > 0 && hasInstruction(type), &Generator::assembly},
  };
  int64_t total = 0;
  for (const Production &production : productions)
    total += production.applies ? production.weight : 0;
  int64_t choice = random.below(total);
  for (const Production &production : productions) {
    choice -= production.applies ? production.weight : 0;
    if (choice >= 0)
      continue;
    Expression made = (this->*production.make)(type, depth - 1, demand);
    return isAny || made.accuracy.onGrid ? made : leaf(type, demand);
  }
  return leaf(type, demand);
}

Expression Generator::leaf(const ValueType &type, Demand demand) {
  const Variable *variable = findVariable(type, demand);
  if (variable && random.chance(75))
    return {variable->name, type, variable->accuracy};
  if (demand == Demand::Any && random.chance(60))
    if (Expression found = castOfVariable(type); !found.text.empty())
      return found;
  if (type.dtype == DType::Int32 && type.shape.size() == 1 && demand == Demand::Any &&
      random.chance(30)) {
    int64_t start = random.chance(70) ? 0 : random.between(-3, 3);
    return {"tl.arange(" + std::to_string(start) + ", " + std::to_string(start + type.shape[0]) +
                ")",
            type};
  }
  if (helperDepth > 0 || random.chance(15))
    return literalTile(type, demand);
  return load(type, demand);
}

/// A variable of the same shape and another type, cast; empty if there is none.
Expression Generator::castOfVariable(const ValueType &type) {
  std::vector<const Variable *> found;
  for (const Variable &variable : scope)
    if (variable.type.shape == type.shape && variable.type.dtype != type.dtype)
      found.push_back(&variable);
  if (found.empty())
    return {};
  return {random.pick(found)->name + ".to(" + text(type.dtype) + ")", type};
}

/// A number that stands for itself.
Expression Generator::literal(DType type, Demand demand) {
  if (isFloat(type)) {
    auto quarters = random.between(-6, 6);
    char digits[16];
    std::snprintf(digits, sizeof digits, "%.2f", static_cast<double>(quarters) / 4);
    return {digits, {type, {}}, Accuracy::grid(1.5, 2)};
  }
  if (isBool(type))
    return {random.pick({"True", "False"}), {type, {}}};
  if (demand == Demand::Any && random.chance(10)) {
    uint64_t top = uint64_t(1) << (bitWidth(type) - 1);
    if (isSigned(type))
      return {std::to_string(static_cast<int64_t>(top - 1)), {type, {}}};
    return {std::to_string(top - 1 + top), {type, {}}};
  }
  int64_t value = random.between(isSigned(type) ? -4 : 0, 9);
  return {std::to_string(value), {type, {}}, Accuracy::grid(9, 0).in(type)};
}

Expression Generator::literalTile(const ValueType &type, Demand demand) {
  Expression value = literal(type.dtype, demand);
  Accuracy accuracy = value.accuracy.in(type.dtype);
  if (type.shape.empty())
    return {"tl.cast(" + value.text + ", " + text(type.dtype) + ")", type, accuracy};
  if (random.chance(10))
    return {"tl.zeros(" + text(type.shape) + ", " + text(type.dtype) + ")", type,
            Accuracy::grid(1, 0).in(type.dtype)};
  return {"tl.full(" + text(type.shape) + ", " + value.text + ", " + text(type.dtype) + ")", type,
          accuracy};
}

Expression Generator::conditional(const ValueType &type, int depth, Demand demand) {
  Expression lhs = expression(type, depth, demand), rhs = expression(type, depth, demand);
  Expression truth = expression({DType::Int1, {}}, depth);
  return {"(" + lhs.text + " if " + truth.text + " else " + rhs.text + ")", type,
          join(lhs.accuracy, rhs.accuracy).in(type.dtype)};
}

Expression Generator::choice(const ValueType &type, int depth, Demand demand) {
  bool isSmall = random.chance(30);
  Expression truth = expression({DType::Int1, isSmall ? smaller(type.shape) : type.shape}, depth);
  auto [lhs, rhs] = operands(type, depth, demand, Promotion::Usual, true);
  return {"tl.where(" + truth.text + ", " + lhs.text + ", " + rhs.text + ")", type,
          join(lhs.accuracy, rhs.accuracy).in(type.dtype)};
}

Expression Generator::cast(const ValueType &type, int depth, Demand demand) {
  DType from = random.pick(allTypes());
  if (demand == Demand::Grid)
    from = isFloat(type.dtype)
               ? random.pick({DType::Int8, DType::Int32, DType::Float16, DType::Float32})
               : type.dtype;
  Expression value = expression({from, type.shape}, depth, demand);
  Accuracy accuracy = value.accuracy.in(type.dtype);
  if (value.accuracy.onGrid && isFloat(from) && isSigned(type.dtype)) // the cast drops the fraction
    accuracy = Accuracy::grid(value.accuracy.bound, 0).in(type.dtype);
  bool isNarrower = isFloat(from) && isFloat(type.dtype) && bitWidth(type.dtype) < bitWidth(from);
  std::string rounding;
  if (isNarrower && random.chance(30))
    rounding = std::string(", fp_downcast_rounding='") + random.pick({"rtz", "rtne"}) + "'";
  std::string target = text(type.dtype) + rounding;
  if (random.chance(70))
    return {value.text + ".to(" + target + ")", type, accuracy};
  return {"tl.cast(" + value.text + ", " + target + ")", type, accuracy};
}

/// Reads the bits as another type. A NaN's bits are nobody's business, so floats come from the
/// grid.
Expression Generator::bitcast(const ValueType &type, int depth, Demand demand) {
  std::vector<DType> sources;
  for (DType from : allTypes())
    if (from != type.dtype && !isBool(from) && bitWidth(from) == bitWidth(type.dtype))
      sources.push_back(from);
  DType from = random.pick(sources);
  Expression value =
      expression({from, type.shape}, depth, isFloat(from) ? Demand::Grid : Demand::Any);
  return {value.text + ".to(" + text(type.dtype) + ", bitcast=True)", type};
}

} // namespace nereid::generate
