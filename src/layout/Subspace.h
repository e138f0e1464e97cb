// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear algebra over F2, the field of two elements. A vector is a word: bit i is coordinate i, and
// addition is XOR.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nereid::layout {

using Vector = uint64_t;

/// A linear function known by its values on some vectors: it is defined on their span. Also the
/// solver of linear equations: with the number of a column as the column's value, the value at y is
/// the combination of columns that gives y.
class PartialFunction {
public:
  struct Pair {
    Vector at, value;
  };

  /// Defines f(at) = value, unless f(at) is defined already. Returns what is left of both after
  /// subtracting what was known: `at` is zero if nothing was added, and then `value` is zero if the
  /// old f(at) is this one.
  Pair define(Vector at, Vector value);

  /// f(at), nothing outside the span.
  std::optional<Vector> operator()(Vector at) const;
  unsigned rank() const { return unsigned(rows.size()); }

private:
  Pair reduce(Pair pair) const;
  std::vector<Pair> rows; // distinct leading bits, the highest first
};

/// A subspace, kept as its one reduced echelon basis: equal subspaces compare equal.
class Subspace {
public:
  Subspace() = default;
  explicit Subspace(std::span<const Vector> generators);

  /// True if the vector was not in it.
  bool insert(Vector vector);
  bool contains(Vector vector) const { return reduce(vector) == 0; }
  /// The representative of `vector`'s coset: the same for two vectors that differ by an element.
  Vector reduce(Vector vector) const;
  unsigned dimension() const { return unsigned(rows.size()); }
  /// Ascending.
  const std::vector<Vector> &basis() const { return rows; }
  bool operator==(const Subspace &) const = default;

private:
  std::vector<Vector> rows;
};

Subspace intersection(const Subspace &a, const Subspace &b);

/// The sum of the columns that `combination` names.
Vector combine(std::span<const Vector> columns, Vector combination);

} // namespace nereid::layout
