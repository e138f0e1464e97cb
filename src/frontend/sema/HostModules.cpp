// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/HostModules.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace nereid::sema {
namespace {

using Arguments = std::span<const ConstantValue>;
using Result = std::optional<ConstantValue>;

/// Python's rule: a finite argument without a finite result is a mistake.
Result checked(double result, double x, double y = 0) {
  if (!std::isfinite(result) && std::isfinite(x) && std::isfinite(y))
    return std::nullopt;
  return result;
}

template <double (*function)(double, double), size_t arity> Result ofFloats(Arguments arguments) {
  std::optional<double> x = asNumber(arguments[0]);
  std::optional<double> y = arity > 1 ? asNumber(arguments[1]) : 0.0;
  if (!x || !y)
    return std::nullopt;
  return checked(function(*x, *y), *x, *y);
}

template <double (*function)(double)> Result toInteger(Arguments arguments) {
  if (std::optional<Integer> integer = asInteger(arguments[0]))
    return *integer;
  std::optional<double> x = asNumber(arguments[0]);
  if (!x || !(std::fabs(*x) < 0x1p63))
    return std::nullopt;
  return Integer(static_cast<int64_t>(function(*x)));
}

/// log(x) or log(x, base).
Result logarithm(Arguments arguments) {
  std::optional<double> x = asNumber(arguments[0]);
  std::optional<double> base = arguments.size() > 1 ? asNumber(arguments[1]) : std::numbers::e;
  if (!x || !base)
    return std::nullopt;
  return checked(arguments.size() > 1 ? std::log(*x) / std::log(*base) : std::log(*x), *x, *base);
}

Result greatestDivisor(Arguments arguments) {
  Integer result = 0;
  for (const ConstantValue &argument : arguments) {
    std::optional<Integer> other = asInteger(argument);
    if (!other)
      return std::nullopt;
    for (Integer rest = *other; rest != 0;)
      rest = std::exchange(result, rest) % rest;
  }
  return result < 0 ? -result : result;
}

Result isNotANumber(Arguments arguments) {
  std::optional<double> x = asNumber(arguments[0]);
  return x ? Result(std::isnan(*x)) : std::nullopt;
}

Result isInfinite(Arguments arguments) {
  std::optional<double> x = asNumber(arguments[0]);
  return x ? Result(std::isinf(*x)) : std::nullopt;
}

#define HOST_FUNCTION(name, arity, value)                                                          \
  double name##OfFloats(double x, [[maybe_unused]] double y) { return value; }
#define HOST_ROUNDING(name)                                                                        \
  double name##OfFloat(double x) { return std::name(x); }
#include "frontend/sema/hostmath.def"

constexpr HostFunction hostFunctions[] = {
#define HOST_FUNCTION(name, arity, value)                                                          \
  {"math." #name, arity, arity, ofFloats<name##OfFloats, arity>},
#define HOST_ROUNDING(name) {"math." #name, 1, 1, toInteger<name##OfFloat>},
#include "frontend/sema/hostmath.def"
    {"math.log", 1, 2, logarithm},
    {"math.gcd", 0, SIZE_MAX, greatestDivisor},
    {"math.isnan", 1, 1, isNotANumber},
    {"math.isinf", 1, 1, isInfinite},
};

constexpr std::pair<std::string_view, double> numbers[] = {
#define HOST_NUMBER(name, value) {"math." #name, value},
#include "frontend/sema/hostmath.def"
};

} // namespace

const HostFunction *findHostFunction(std::string_view name) {
  auto found = std::ranges::find(hostFunctions, name, &HostFunction::name);
  return found == std::end(hostFunctions) ? nullptr : found;
}

std::optional<double> findHostNumber(std::string_view name) {
  for (const auto &[known, value] : numbers)
    if (known == name)
      return value;
  return std::nullopt;
}

} // namespace nereid::sema
