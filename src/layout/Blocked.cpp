// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/Blocked.h"

#include "support/Check.h"

#include <algorithm>
#include <bit>

namespace nereid::layout {
namespace {

/// Hands out the bits of a tile's dimensions, each from the lowest.
class Dealer {
public:
  explicit Dealer(const Shape &shape) : spaces(tileSpaces(shape)), next(shape.size(), 0) {}

  /// Up to `count` bits, going over the dimensions in order.
  std::vector<Vector> deal(const Order &order, unsigned count) {
    std::vector<Vector> bases;
    for (unsigned dimension : order)
      while (bases.size() < count && next[dimension] < spaces[dimension].bits) {
        Coordinates element(spaces.size(), 0);
        element[dimension] = uint64_t(1) << next[dimension]++;
        bases.push_back(pack(spaces, element));
      }
    return bases;
  }

private:
  Spaces spaces;
  std::vector<unsigned> next;
};

void checkOrder(const Order &order, size_t rank) {
  Order sorted = order;
  std::sort(sorted.begin(), sorted.end());
  bool whole = sorted.size() == rank;
  for (size_t i = 0; whole && i < rank; ++i)
    whole = sorted[i] == i;
  NEREID_CHECK(whole, "an order names every dimension once");
}

} // namespace

LinearLayout blockedLayout(const Blocked &blocked) {
  NEREID_CHECK(std::has_single_bit(blocked.perThread) && std::has_single_bit(blocked.warps),
               "elements of a thread and warps are powers of two");
  checkOrder(blocked.order, blocked.shape.size());
  const Order &warpOrder = blocked.warpOrder.empty() ? blocked.order : blocked.warpOrder;
  checkOrder(warpOrder, blocked.shape.size());

  Dealer dealer(blocked.shape);
  const unsigned warpBits = unsigned(std::countr_zero(blocked.warps));
  std::vector<Vector> registers;
  if (!blocked.order.empty())
    registers = dealer.deal({blocked.order[0]}, unsigned(std::countr_zero(blocked.perThread)));
  std::vector<Vector> lanes = dealer.deal(blocked.order, blocked.laneBits);
  std::vector<Vector> warps = dealer.deal(warpOrder, warpBits);
  const std::vector<Vector> rest = dealer.deal(blocked.order, 64);
  registers.insert(registers.end(), rest.begin(), rest.end());
  lanes.resize(blocked.laneBits, 0);
  warps.resize(warpBits, 0);
  return distributed(blocked.shape, registers, lanes, warps);
}

LinearLayout accessLayout(const Shape &shape, const Order &order, uint64_t contiguity,
                          unsigned elementBytes, unsigned warps, unsigned laneBits) {
  uint64_t elements = 1;
  for (uint64_t size : shape)
    elements *= size;
  const uint64_t share = std::max<uint64_t>(1, elements / (uint64_t(warps) << laneBits));
  const uint64_t widest = std::max(1u, 16 / elementBytes);
  const uint64_t perThread =
      std::bit_floor(std::min({share, widest, std::max<uint64_t>(1, contiguity)}));
  return blockedLayout({shape, unsigned(perThread), warps, order, {}, laneBits});
}

size_t runOf(std::span<const Vector> bases) {
  size_t run = 0;
  while (run < bases.size() && (run == 0 || bases[run] == 2 * bases[run - 1]))
    ++run;
  return run;
}

LinearLayout withInThread(const LinearLayout &layout, size_t kept,
                          std::span<const Vector> elements) {
  const auto registers = layout.bases(Register);
  NEREID_CHECK(layout.isInjective(), "what moves is an element, not a copy");
  NEREID_CHECK(kept + elements.size() <= registers.size(), "a thread has no more registers");
  std::vector<Vector> held(registers.begin(), registers.begin() + kept), rest;
  held.insert(held.end(), elements.begin(), elements.end());
  for (const auto &bases : {layout.bases(Lane), layout.bases(Warp), registers})
    for (Vector basis : bases)
      if (std::find(held.begin(), held.end(), basis) == held.end())
        rest.push_back(basis);
  const std::span<const Vector> next(rest);
  const size_t lanes = layout.bases(Lane).size(), warps = layout.bases(Warp).size();
  NEREID_CHECK(held.size() + rest.size() == layout.inputBits(), "the layout has the elements");
  held.insert(held.end(), rest.begin() + lanes + warps, rest.end());
  return distributed(shapeOf(layout), held, next.first(lanes), next.subspan(lanes, warps));
}

LinearLayout outerProductLayout(const Shape &shape, unsigned warps) {
  NEREID_CHECK(shape.size() >= 2 && std::has_single_bit(warps), "a product has two dimensions");
  constexpr unsigned neighbourBits = 2, laneColumnBits = 3;
  const unsigned n = unsigned(shape.size()) - 1, m = n - 1;
  const Order columnsFirst = rowMajor(shape.size());
  Order rowsFirst = columnsFirst;
  std::swap(rowsFirst[0], rowsFirst[1]);
  const unsigned warpBits = unsigned(std::countr_zero(warps));
  const unsigned threadBits = LaneBits + warpBits, rowBits = tileSpaces(shape)[m].bits,
                 columnBits = tileSpaces(shape)[n].bits;
  const unsigned ownBits = rowBits + columnBits - std::min(rowBits + columnBits, threadBits);

  Dealer dealer(shape);
  std::vector<Vector> registers = dealer.deal({n}, std::min(neighbourBits, ownBits));
  std::vector<Vector> lanes = dealer.deal({n}, laneColumnBits);
  const auto add = [](std::vector<Vector> &bases, const std::vector<Vector> &more) {
    bases.insert(bases.end(), more.begin(), more.end());
  };
  add(lanes, dealer.deal(rowsFirst, LaneBits - unsigned(lanes.size())));
  const unsigned ownColumnBits = (ownBits + 1) / 2;
  if (ownColumnBits > registers.size())
    add(registers, dealer.deal({n}, ownColumnBits - unsigned(registers.size())));
  if (ownBits > registers.size())
    add(registers, dealer.deal({m}, ownBits - unsigned(registers.size())));
  std::vector<Vector> warpBases = dealer.deal(columnsFirst, warpBits);
  add(registers, dealer.deal(columnsFirst, 64));
  lanes.resize(LaneBits, 0);
  warpBases.resize(warpBits, 0);
  return distributed(shape, registers, lanes, warpBases);
}

} // namespace nereid::layout
