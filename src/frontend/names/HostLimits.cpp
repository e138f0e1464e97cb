// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// torch.finfo(torch.float32).max and its like, of PyTorch and NumPy: facts about an element type
// that modules ask other packages for.
#include "frontend/names/PythonModules.h"
#include "support/FloatFormat.h"

#include "llvm/Support/Casting.h"

#include <cmath>

namespace nereid::names {

using sema::ConstantValue;

namespace {

std::optional<DType> typeCalled(std::string_view name) {
  constexpr std::pair<std::string_view, DType> others[] = {{"half", DType::Float16},
                                                           {"float", DType::Float32},
                                                           {"double", DType::Float64},
                                                           {"short", DType::Int16},
                                                           {"int", DType::Int32},
                                                           {"long", DType::Int64},
                                                           {"bool", DType::Int1},
                                                           {"float8_e5m2", DType::Float8E5M2},
                                                           {"float8_e4m3fn", DType::Float8E4M3FN}};
  for (auto [other, type] : others)
    if (other == name)
      return type;
  return parseDType(name);
}

std::optional<ConstantValue> limitOf(const FloatFormat &format, std::string_view fact) {
  auto power = [](int exponent) { return std::ldexp(1.0, exponent); };
  int mantissa = static_cast<int>(format.mantissaBits), bias = format.bias;
  // The code of the largest as a number: its mantissa with the bit that is not stored.
  uint64_t code = format.largest();
  auto exponent = static_cast<int>(code >> mantissa) - bias;
  auto digits = static_cast<double>(code & ((uint64_t(1) << mantissa) - 1)) + power(mantissa);
  double largest = std::ldexp(digits, exponent - mantissa);
  if (fact == "max" || fact == "min")
    return ConstantValue(fact == "max" ? largest : -largest);
  if (fact == "eps")
    return ConstantValue(power(-mantissa));
  if (fact == "tiny" || fact == "smallest_normal")
    return ConstantValue(power(1 - bias));
  return std::nullopt;
}

std::optional<ConstantValue> limitOf(DType type, std::string_view fact) {
  int width = bitWidth(type);
  if (fact == "bits")
    return ConstantValue(sema::Integer(width));
  if (isFloat(type))
    return limitOf(formatOf(type), fact);
  sema::Integer span = sema::Integer(1) << (isSigned(type) ? width - 1 : width);
  if (fact == "max")
    return ConstantValue(span - 1);
  if (fact == "min")
    return ConstantValue(isSigned(type) ? -span : sema::Integer(0));
  return std::nullopt;
}

} // namespace

std::optional<ConstantValue> limitOfType(const ast::Attribute &expr) {
  const auto *call = llvm::dyn_cast<ast::Call>(expr.object.get());
  const auto *function = call ? llvm::dyn_cast<ast::Attribute>(call->callee.get()) : nullptr;
  bool isLimits = function && (function->name == "finfo" || function->name == "iinfo") &&
                  llvm::isa<ast::Name>(function->object.get());
  if (!isLimits || call->arguments.size() != 1)
    return std::nullopt;
  const auto *named = llvm::dyn_cast<ast::Attribute>(call->arguments[0].value.get());
  auto type = named ? typeCalled(named->name) : std::nullopt;
  if (!type || isFloat(*type) != (function->name == "finfo"))
    return std::nullopt;
  return limitOf(*type, expr.name);
}

} // namespace nereid::names
