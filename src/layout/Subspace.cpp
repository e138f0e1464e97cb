// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/Subspace.h"

#include <algorithm>
#include <bit>

namespace nereid::layout {
namespace {

Vector leadingBit(Vector vector) { return std::bit_floor(vector); }

} // namespace

PartialFunction::Pair PartialFunction::reduce(Pair pair) const {
  for (const Pair &row : rows)
    if (pair.at & leadingBit(row.at)) {
      pair.at ^= row.at;
      pair.value ^= row.value;
    }
  return pair;
}

PartialFunction::Pair PartialFunction::define(Vector at, Vector value) {
  const Pair rest = reduce({at, value});
  if (rest.at) {
    auto place =
        std::find_if(rows.begin(), rows.end(), [&](const Pair &row) { return row.at < rest.at; });
    rows.insert(place, rest);
  }
  return rest;
}

std::optional<Vector> PartialFunction::operator()(Vector at) const {
  const Pair rest = reduce({at, 0});
  return rest.at ? std::nullopt : std::optional(rest.value);
}

Subspace::Subspace(std::span<const Vector> generators) {
  for (Vector vector : generators)
    insert(vector);
}

Vector Subspace::reduce(Vector vector) const {
  for (auto row = rows.rbegin(); row != rows.rend(); ++row)
    if (vector & leadingBit(*row))
      vector ^= *row;
  return vector;
}

bool Subspace::insert(Vector vector) {
  vector = reduce(vector);
  if (!vector)
    return false;
  for (Vector &row : rows)
    if (row & leadingBit(vector))
      row ^= vector;
  rows.insert(std::lower_bound(rows.begin(), rows.end(), vector), vector);
  return true;
}

Subspace intersection(const Subspace &a, const Subspace &b) {
  // Each vector of b is followed through the echelon form of a: what vanishes was, up to other
  // vectors of b, a sum of vectors of a.
  PartialFunction partOfA;
  for (Vector vector : a.basis())
    partOfA.define(vector, vector);
  Subspace common;
  for (Vector vector : b.basis())
    if (const auto rest = partOfA.define(vector, 0); !rest.at)
      common.insert(rest.value);
  return common;
}

Vector combine(std::span<const Vector> columns, Vector combination) {
  Vector sum = 0;
  for (; combination; combination &= combination - 1)
    sum ^= columns[std::countr_zero(combination)];
  return sum;
}

} // namespace nereid::layout
