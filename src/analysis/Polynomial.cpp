// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Polynomial.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace nereid::analysis {

Polynomial::Polynomial(int64_t constant) { add({}, constant); }

Polynomial Polynomial::product(int64_t coefficient, Monomial symbols) {
  llvm::sort(symbols);
  Polynomial result;
  result.add(symbols, coefficient);
  return result;
}

std::optional<int64_t> Polynomial::constant() const {
  if (isZero())
    return 0;
  if (coefficients.size() == 1 && coefficients.begin()->first.empty())
    return coefficients.begin()->second;
  return std::nullopt;
}

bool Polynomial::isMultipleOf(int64_t divisor) const {
  return llvm::all_of(coefficients, [&](const auto &term) { return term.second % divisor == 0; });
}

/// False if the coefficient leaves 64 bits.
bool Polynomial::add(const Monomial &symbols, int64_t coefficient) {
  if (coefficient == 0)
    return true;
  auto [term, isNew] = coefficients.try_emplace(symbols, coefficient);
  if (isNew)
    return true;
  std::optional<int64_t> sum = llvm::checkedAdd(term->second, coefficient);
  if (!sum)
    return false;
  term->second = *sum;
  if (*sum == 0)
    coefficients.erase(term);
  return true;
}

std::optional<Polynomial> Polynomial::sum(const Polynomial &a, const Polynomial &b) {
  Polynomial result = a;
  for (const auto &[symbols, coefficient] : b.coefficients)
    if (!result.add(symbols, coefficient))
      return std::nullopt;
  return result;
}

std::optional<Polynomial> Polynomial::difference(const Polynomial &a, const Polynomial &b) {
  std::optional<Polynomial> negative = product(b, -1);
  return negative ? sum(a, *negative) : std::nullopt;
}

std::optional<Polynomial> Polynomial::product(const Polynomial &a, const Polynomial &b) {
  Polynomial result;
  for (const auto &[symbolsOfA, coefficientOfA] : a.coefficients)
    for (const auto &[symbolsOfB, coefficientOfB] : b.coefficients) {
      Monomial symbols = symbolsOfA;
      symbols.append(symbolsOfB);
      llvm::sort(symbols);
      std::optional<int64_t> coefficient = llvm::checkedMul(coefficientOfA, coefficientOfB);
      if (!coefficient || !result.add(symbols, *coefficient))
        return std::nullopt;
    }
  return result;
}

Polynomial Polynomial::dividedBy(int64_t divisor) const {
  Polynomial result;
  for (const auto &[symbols, coefficient] : coefficients)
    result.add(symbols, coefficient / divisor);
  return result;
}

} // namespace nereid::analysis
