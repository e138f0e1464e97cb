// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/TileLayout.h"

#include "support/Check.h"

#include <bit>

namespace nereid::layout {
namespace {

std::vector<Vector> join(std::span<const Vector> registers, std::span<const Vector> lanes,
                         std::span<const Vector> warps) {
  std::vector<Vector> all(registers.begin(), registers.end());
  all.insert(all.end(), lanes.begin(), lanes.end());
  all.insert(all.end(), warps.begin(), warps.end());
  return all;
}

/// The same places and dimensions, the elements changed one by one.
template <typename Change>
LinearLayout changed(const LinearLayout &layout, const Shape &shape, Change change) {
  std::vector<Vector> bases;
  const Spaces spaces = tileSpaces(shape);
  for (Vector basis : layout.bases())
    bases.push_back(pack(spaces, change(unpack(layout.outputs(), basis))));
  return LinearLayout(layout.inputs(), spaces, std::move(bases));
}

} // namespace

Spaces tileSpaces(const Shape &shape) {
  Spaces spaces;
  for (uint64_t size : shape) {
    NEREID_CHECK(std::has_single_bit(size), "sizes of tiles are powers of two");
    spaces.push_back({"dim" + std::to_string(spaces.size()), unsigned(std::countr_zero(size))});
  }
  return spaces;
}

Shape shapeOf(const LinearLayout &layout) {
  Shape shape;
  for (const Space &space : layout.outputs())
    shape.push_back(space.size());
  return shape;
}

Order rowMajor(size_t rank) {
  Order order;
  while (rank-- > 0)
    order.push_back(unsigned(rank));
  return order;
}

LinearLayout distributed(const Shape &shape, std::span<const Vector> registers,
                         std::span<const Vector> lanes, std::span<const Vector> warps) {
  return LinearLayout({{Warp, unsigned(warps.size())},
                       {Lane, unsigned(lanes.size())},
                       {Register, unsigned(registers.size())}},
                      tileSpaces(shape), join(registers, lanes, warps));
}

LinearLayout transposed(const LinearLayout &layout, const std::vector<unsigned> &permutation) {
  const Shape old = shapeOf(layout);
  NEREID_CHECK(permutation.size() == old.size(), "every dimension once");
  Shape shape;
  for (unsigned dimension : permutation)
    shape.push_back(old[dimension]);
  return changed(layout, shape, [&](const Coordinates &element) {
    Coordinates result;
    for (unsigned dimension : permutation)
      result.push_back(element[dimension]);
    return result;
  });
}

LinearLayout reshaped(const LinearLayout &layout, const Shape &shape) {
  return layout.reshapedOutputs(tileSpaces(shape));
}

DistinctRegisters sliced(const LinearLayout &layout, unsigned dimension) {
  Shape shape = shapeOf(layout);
  shape.erase(shape.begin() + dimension);
  return distinctRegisters(changed(layout, shape, [&](Coordinates element) {
    element.erase(element.begin() + dimension);
    return element;
  }));
}

LinearLayout expanded(const LinearLayout &layout, unsigned dimension) {
  Shape shape = shapeOf(layout);
  shape.insert(shape.begin() + dimension, 1);
  return changed(layout, shape, [&](Coordinates element) {
    element.insert(element.begin() + dimension, 0);
    return element;
  });
}

LinearLayout broadcast(const LinearLayout &layout, unsigned dimension, uint64_t size) {
  Shape shape = shapeOf(layout);
  NEREID_CHECK(shape[dimension] == 1, "a dimension of size 1 is repeated");
  shape[dimension] = size;
  const LinearLayout wide = changed(layout, shape, [](Coordinates element) { return element; });
  // The new registers are the high bits, so register r of the result is register r of the operand
  // modulo the operand's number of registers.
  std::vector<Vector> registers(wide.bases(Register).begin(), wide.bases(Register).end());
  Coordinates element(shape.size(), 0);
  for (element[dimension] = 1; element[dimension] < size; element[dimension] *= 2)
    registers.push_back(pack(wide.outputs(), element));
  return distributed(shape, registers, wide.bases(Lane), wide.bases(Warp));
}

LinearLayout joined(const LinearLayout &layout) {
  // The last dimension is the lowest bit of a packed element.
  auto moved = [&](const char *space) {
    std::vector<Vector> bases;
    for (Vector basis : layout.bases(space))
      bases.push_back(basis << 1);
    return bases;
  };
  std::vector<Vector> registers = moved(Register);
  registers.insert(registers.begin(), 1);
  Shape shape = shapeOf(layout);
  shape.push_back(2);
  return distributed(shape, registers, moved(Lane), moved(Warp));
}

std::optional<SplitLayout> split(const LinearLayout &layout) {
  Shape shape = shapeOf(layout);
  NEREID_CHECK(!shape.empty() && shape.back() == 2, "a tile is split along a last dimension of 2");
  shape.pop_back();
  // The last dimension is the lowest bit of a packed element.
  std::optional<unsigned> half;
  std::vector<Vector> registers, lanes, warps;
  for (Vector basis : layout.bases(Register)) {
    if (basis == 1 && !half)
      half = unsigned(registers.size());
    else if (basis & 1)
      return std::nullopt;
    else
      registers.push_back(basis >> 1);
  }
  for (const auto &[bases, name] : {std::pair(&lanes, Lane), std::pair(&warps, Warp)})
    for (Vector basis : layout.bases(name)) {
      if (basis & 1)
        return std::nullopt;
      bases->push_back(basis >> 1);
    }
  if (!half)
    return std::nullopt;
  return SplitLayout{distributed(shape, registers, lanes, warps), *half};
}

DistinctRegisters distinctRegisters(const LinearLayout &layout) {
  PartialFunction indexOf; // an element, as the number of a kept register
  std::vector<Vector> registers, indexOfBit;
  std::vector<unsigned> kept = {0};
  const std::span<const Vector> bases = layout.bases(Register);
  for (size_t bit = 0; bit < bases.size(); ++bit) {
    const Vector index = Vector(1) << registers.size();
    if (indexOf.define(bases[bit], index).at) {
      registers.push_back(bases[bit]);
      for (size_t i = 0, count = kept.size(); i < count; ++i)
        kept.push_back(kept[i] | 1u << bit);
    }
    indexOfBit.push_back(*indexOf(bases[bit]));
  }
  std::vector<unsigned> indices(size_t(1) << bases.size());
  for (size_t number = 0; number < indices.size(); ++number)
    indices[number] = unsigned(combine(indexOfBit, number));
  return {distributed(shapeOf(layout), registers, layout.bases(Lane), layout.bases(Warp)),
          std::move(kept), std::move(indices)};
}

} // namespace nereid::layout
