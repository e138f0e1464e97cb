// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ArrayBox.h"

namespace nereid::runtime {

int64_t IntegerParameter::valueIn(std::span<const ArgumentSlot> arguments) const {
  unsigned unused = 64 - 8 * bytes;
  return static_cast<int64_t>(arguments[number].bits << unused) >> unused;
}

/// What is left of a divisor that was halved to nothing asks for nothing but a positive number.
bool MultipleCondition::holdsFor(std::span<const ArgumentSlot> arguments) const {
  const int64_t value = parameter.valueIn(arguments);
  return value > 0 && (divisor < 1 || value % divisor == 0);
}

std::optional<int64_t> ParameterSum::valueIn(std::span<const ArgumentSlot> arguments) const {
  int64_t sum = 0;
  for (const Term &term : terms) {
    int64_t product = term.factor;
    for (IntegerParameter parameter : term.parameters)
      if (__builtin_mul_overflow(product, parameter.valueIn(arguments), &product))
        return std::nullopt;
    if (__builtin_add_overflow(sum, product, &sum))
      return std::nullopt;
  }
  return sum;
}

} // namespace nereid::runtime
