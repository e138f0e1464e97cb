// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/Fragment.h"

#include "support/Check.h"

#include <bit>
#include <functional>

namespace nereid::layout {
namespace {

using Bases = std::vector<Coordinates>;

Bases transposed(Bases bases) {
  for (Coordinates &basis : bases)
    std::swap(basis[0], basis[1]);
  return bases;
}

/// All fragments are made of one piece: 8 rows of 16 bytes, of which a lane has 4 bytes. Its
/// elements are (row, column).
struct Piece {
  explicit Piece(unsigned elementBits) : packed(32 / elementBits) {
    NEREID_CHECK(elementBits == 8 || elementBits == 16 || elementBits == 32,
                 "fragments have elements of 8, 16 or 32 bits");
    for (uint64_t column = 1; column < packed; column *= 2)
      registers.push_back({0, column});
    lanes = {{0, packed}, {0, 2 * packed}, {1, 0}, {2, 0}, {4, 0}};
  }

  uint64_t packed; // elements of a 32-bit register
  Bases registers, lanes;
};

LinearLayout fragment(const Bases &registers, const Bases &lanes, const Shape &shape) {
  return LinearLayout({{Register, registers}, {Lane, lanes}, {Warp, {}}}, tileSpaces(shape));
}

/// The four warps of a warpgroup are 16 rows apart.
LinearLayout overWarpgroup(const LinearLayout &warp) {
  return warp *
         LinearLayout({{Register, {}}, {Lane, {}}, {Warp, {{1, 0}, {2, 0}}}}, tileSpaces({4, 1}));
}

/// Bits by which a tile's dimension is larger than a fragment's; the tile is not smaller.
unsigned repeats(const Shape &shape, const LinearLayout &inner, unsigned dimension) {
  const unsigned bits = tileSpaces(shape)[dimension].bits, own = inner.outputs()[dimension].bits;
  NEREID_CHECK(bits >= own, "the tile is smaller than a fragment");
  return bits - own;
}

/// What repeats a fragment over a tile of two dimensions: warps along each of them (-1: along none
/// of the tile's), then registers along `first` and then along the other.
LinearLayout repeated(const LinearLayout &inner, const Shape &shape, unsigned first,
                      const std::vector<std::pair<int, unsigned>> &warpsAlong) {
  unsigned left[2] = {repeats(shape, inner, 0), repeats(shape, inner, 1)};
  const Shape grid = {uint64_t(1) << left[0], uint64_t(1) << left[1]};
  Bases registers, warps;
  uint64_t next[2] = {1, 1};
  const auto step = [&](unsigned dimension) {
    Coordinates basis = {0, 0};
    basis[dimension] = next[dimension];
    next[dimension] *= 2;
    --left[dimension];
    return basis;
  };
  for (const auto &[dimension, count] : warpsAlong)
    for (unsigned warp = 1; warp < count; warp *= 2)
      warps.push_back(dimension >= 0 && left[dimension] ? step(unsigned(dimension))
                                                        : Coordinates{0, 0});
  for (unsigned dimension : {first, 1 - first})
    while (left[dimension])
      registers.push_back(step(dimension));
  return inner * LinearLayout({{Register, registers}, {Lane, {}}, {Warp, warps}}, tileSpaces(grid));
}

void checkGrid(WarpGrid warps) {
  NEREID_CHECK(std::has_single_bit(warps.m) && std::has_single_bit(warps.n) &&
                   std::has_single_bit(warps.batch),
               "a grid of warps has powers of two");
}

/// The same places, whose elements have other coordinates: each step of one of them another step.
LinearLayout renamed(const LinearLayout &layout,
                     const std::function<Coordinates(Coordinates)> &coordinatesOf) {
  std::vector<Vector> bases;
  for (Vector basis : layout.bases())
    bases.push_back(pack(layout.outputs(), coordinatesOf(unpack(layout.outputs(), basis))));
  return LinearLayout(layout.inputs(), layout.outputs(), std::move(bases));
}

/// The same for each matrix of a batch, which warps share first.
LinearLayout overBatch(const LinearLayout &matrix, uint64_t batch, unsigned warpsOfBatch) {
  const Shape shape = {batch, uint64_t(1) << matrix.outputs()[0].bits,
                       uint64_t(1) << matrix.outputs()[1].bits};
  const auto ofOne = [&](const char *space) {
    Bases bases;
    for (Vector basis : matrix.bases(space)) {
      const Coordinates at = unpack(matrix.outputs(), basis);
      bases.push_back({0, at[0], at[1]});
    }
    return bases;
  };
  Bases registers = ofOne(Register), warps = ofOne(Warp);
  uint64_t next = 1;
  for (; next < warpsOfBatch; next *= 2)
    warps.push_back({next, 0, 0});
  for (; next < batch; next *= 2)
    registers.push_back({next, 0, 0});
  return LinearLayout({{Register, registers}, {Lane, ofOne(Lane)}, {Warp, warps}},
                      tileSpaces(shape));
}

} // namespace

LinearLayout mmaFragment(Operand operand, unsigned elementBits, unsigned k, unsigned rows,
                         unsigned columns) {
  NEREID_CHECK(std::has_single_bit(rows) && rows <= 16, "a fragment has 1 to 16 rows");
  NEREID_CHECK(std::has_single_bit(columns) && columns <= 8, "a fragment has 1 to 8 columns");
  Piece piece(operand == Operand::D ? 16 : elementBits);
  Bases registers = piece.registers;
  // A piece's rows are columns of B.
  for (Coordinates &basis : piece.lanes) {
    basis[0] = basis[0] < (operand == Operand::B ? columns : rows) ? basis[0] : 0;
    if (operand == Operand::D)
      basis[1] = basis[1] < columns ? basis[1] : 0;
  }
  if (operand == Operand::D && columns == 1)
    registers.clear();
  if (operand != Operand::B && rows == 16)
    registers.push_back({8, 0});
  if (operand == Operand::D)
    return fragment(registers, piece.lanes, {rows, columns});
  const uint64_t narrow = 4 * piece.packed;
  NEREID_CHECK(k == narrow || k == 2 * narrow, "k is 16 or 32 bytes");
  if (k != narrow)
    registers.push_back({0, narrow});
  if (operand == Operand::A)
    return fragment(registers, piece.lanes, {rows, k});
  return fragment(transposed(registers), transposed(piece.lanes), {k, columns});
}

LinearLayout wgmmaAccumulator(unsigned n) {
  NEREID_CHECK(std::has_single_bit(n) && n >= 8 && n <= 256, "n is 8 to 256, a power of two");
  return overWarpgroup(repeated(mmaFragment(Operand::D, 32, 8), {16, n}, 1, {}));
}

LinearLayout wgmmaOperandA(unsigned elementBits) {
  return overWarpgroup(mmaFragment(Operand::A, elementBits, 256 / elementBits));
}

LinearLayout mmaLayout(Operand operand, const Shape &shape, unsigned elementBits, unsigned k,
                       WarpGrid warps) {
  checkGrid(warps);
  if (shape.size() == 3)
    return overBatch(mmaLayout(operand, {shape[1], shape[2]}, elementBits, k, {warps.m, warps.n}),
                     shape[0], warps.batch);
  const auto upTo = [](uint64_t most, uint64_t extent) { return unsigned(std::min(most, extent)); };
  const LinearLayout inner =
      mmaFragment(operand, elementBits, k, operand == Operand::B ? 16 : upTo(16, shape[0]),
                  operand == Operand::A ? 8 : upTo(8, shape[1]));
  switch (operand) {
  case Operand::A:
    return repeated(inner, shape, 1, {{0, warps.m}, {-1, warps.n}});
  case Operand::B:
    return repeated(inner, shape, 0, {{-1, warps.m}, {1, warps.n}});
  case Operand::D:
    return repeated(inner, shape, 1, {{0, warps.m}, {1, warps.n}});
  }
  NEREID_UNREACHABLE("no such operand");
}

LinearLayout wgmmaAccumulatorLayout(const Shape &shape, unsigned n, WarpGrid warpgroups) {
  checkGrid(warpgroups);
  return repeated(wgmmaAccumulator(n), shape, 1, {{0, warpgroups.m}, {1, warpgroups.n}});
}

LinearLayout wgmmaTurnedLayout(const Shape &shape, unsigned n, WarpGrid warpgroups) {
  return renamed(wgmmaAccumulatorLayout(shape, n, warpgroups), [](Coordinates at) -> Coordinates {
    const uint64_t row = at[0] % 16; // of a warp's
    return {at[0] - row + (row * 2 % 16 | row / 8), at[1]};
  });
}

LinearLayout withEvenColumnsFirst(const LinearLayout &accumulator) {
  const uint64_t half = (uint64_t(1) << accumulator.outputs()[1].bits) / 2;
  return renamed(accumulator, [&](Coordinates at) -> Coordinates {
    return {at[0], at[1] % half * 2 + at[1] / half};
  });
}

LinearLayout wgmmaOperandALayout(const Shape &shape, unsigned elementBits, WarpGrid warpgroups) {
  checkGrid(warpgroups);
  return repeated(wgmmaOperandA(elementBits), shape, 1, {{0, warpgroups.m}, {-1, warpgroups.n}});
}

} // namespace nereid::layout
