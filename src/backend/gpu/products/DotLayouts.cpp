// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/products/DotLayouts.h"

#include "backend/gpu/products/Products.h"
#include "layout/Blocked.h"
#include "layout/Fragment.h"
#include "support/Check.h"

#include <bit>

using namespace mlir;

namespace nereid::backend::gpu {

using layout::LinearLayout;
using layout::Shape;

namespace {

/// Warps side by side, as square as the tile's parts stay: each reads fewer operands then. In a
/// chain of products one below the other: whole rows stay in a warp, and so do their reductions and
/// the way from a product to the next one's factor.
layout::WarpGrid warpGrid(const Shape &result, unsigned warps, bool isInChain) {
  if (result.size() == 3) { // matrices have nothing to do with each other
    unsigned ofBatch = std::min<uint64_t>(warps, result[0]);
    layout::WarpGrid grid = warpGrid({result[1], result[2]}, warps / ofBatch, isInChain);
    return {grid.m, grid.n, ofBatch};
  }
  layout::WarpGrid grid{1, 1};
  if (isInChain && result[0] / 16 >= warps)
    return {warps, 1};
  uint64_t rows = std::max<uint64_t>(1, result[0] / 16),
           columns = std::max<uint64_t>(1, result[1] / 8);
  while (grid.m * grid.n < warps) {
    bool isTall = rows * 16 >= columns * 8;
    if ((isTall && rows > 1) || columns <= 1) {
      grid.m *= 2;
      rows = std::max<uint64_t>(1, rows / 2);
    } else {
      grid.n *= 2;
      columns = std::max<uint64_t>(1, columns / 2);
    }
  }
  return grid;
}

} // namespace

LinearLayout factorLayout(const LinearLayout &result, const Shape &shape, unsigned kept) {
  layout::Spaces from = result.outputs(), to = layout::tileSpaces(shape);
  unsigned rank = shape.size(), depth = kept == rank - 2 ? rank - 1 : rank - 2;
  auto moved = [&](const char *space) {
    std::vector<layout::Vector> bases;
    for (layout::Vector basis : result.bases(space)) {
      layout::Coordinates at = layout::unpack(from, basis), element(rank, 0);
      element[kept] = at[kept];
      if (rank == 3)
        element[0] = at[0];
      bases.push_back(layout::pack(to, element));
    }
    return bases;
  };
  std::vector<layout::Vector> registers;
  for (uint64_t k = 1; k < shape[depth]; k *= 2) {
    layout::Coordinates element(rank, 0);
    element[depth] = k;
    registers.push_back(layout::pack(to, element));
  }
  for (layout::Vector basis : moved(layout::Register))
    registers.push_back(basis);
  return layout::distinctRegisters(
             layout::distributed(shape, registers, moved(layout::Lane), moved(layout::Warp)))
      .layout;
}

DotLayouts dotLayouts(tile::DotOp dot, unsigned warps) {
  NEREID_CHECK(!isOfWarpgroups(dot), "a product of warpgroups is laid out before it is staged");
  Shape lhs = nv::paddedShape(dot.getLhs().getType()),
        rhs = nv::paddedShape(dot.getRhs().getType()), result = nv::paddedShape(dot.getType());
  unsigned rank = result.size();
  // Fragments of f64 are those of tf32, in registers of twice the size.
  unsigned bits = std::min(32u, tile::elementOf(dot.getLhs().getType()).getIntOrFloatBitWidth());
  DotLayouts layouts;
  if (unsigned depth = productOf(dot).getDepth()) {
    layout::WarpGrid grid = warpGrid(result, warps, productOf(dot).getChained());
    layouts.result = layout::mmaLayout(layout::Operand::D, result, bits, depth, grid);
    layouts.lhs = layout::mmaLayout(layout::Operand::A, lhs, bits, depth, grid);
    layouts.rhs = layout::mmaLayout(layout::Operand::B, rhs, bits, depth, grid);
    return layouts;
  }
  // Four neighbours along n per thread; rows that are left over go to registers.
  layouts.result = layout::blockedLayout({result, 4, warps, layout::rowMajor(rank)});
  layouts.lhs = factorLayout(layouts.result, lhs, rank - 2);
  layouts.rhs = factorLayout(layouts.result, rhs, rank - 1);
  return layouts;
}

} // namespace nereid::backend::gpu
