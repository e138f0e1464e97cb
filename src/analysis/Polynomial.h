// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products of integers that are known only when a kernel runs.
#pragma once

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <map>
#include <optional>

namespace nereid::analysis {

/// A number for an unknown integer, given by whoever makes the polynomials.
using Symbol = unsigned;
/// A product of symbols, sorted; empty: 1.
using Monomial = llvm::SmallVector<Symbol, 2>;

/// In exact arithmetic. Coefficients that leave 64 bits make no polynomial: operations that could
/// are empty then.
class Polynomial {
public:
  Polynomial() = default; // 0
  /*implicit*/ Polynomial(int64_t constant);
  static Polynomial of(Symbol symbol) { return product(1, {symbol}); }
  static Polynomial product(int64_t coefficient, Monomial symbols);

  /// Ordered by the symbols' numbers; no coefficient is 0.
  const std::map<Monomial, int64_t> &terms() const { return coefficients; }
  bool isZero() const { return coefficients.empty(); }
  std::optional<int64_t> constant() const;
  /// Whether all coefficients are multiples of it.
  bool isMultipleOf(int64_t divisor) const;

  bool operator==(const Polynomial &) const = default;

  static std::optional<Polynomial> sum(const Polynomial &a, const Polynomial &b);
  static std::optional<Polynomial> difference(const Polynomial &a, const Polynomial &b);
  static std::optional<Polynomial> product(const Polynomial &a, const Polynomial &b);
  /// By a number that all coefficients are multiples of.
  Polynomial dividedBy(int64_t divisor) const;

private:
  bool add(const Monomial &symbols, int64_t coefficient);

  std::map<Monomial, int64_t> coefficients;
};

} // namespace nereid::analysis
