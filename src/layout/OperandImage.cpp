// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/OperandImage.h"

#include "support/Check.h"

#include <algorithm>
#include <bit>

namespace nereid::layout {

OperandImage operandImage(const Shape &shape, unsigned contiguous, unsigned elementBytes,
                          Swizzle swizzle, RowOrder order) {
  NEREID_CHECK(shape.size() == 2 && contiguous < 2, "an operand has two dimensions");
  const unsigned rowBytes = swizzle == Swizzle::None ? 16 : unsigned(swizzle);
  const uint64_t rows = shape[1 - contiguous], width = rowBytes / elementBytes;
  NEREID_CHECK(rows >= 8 && shape[contiguous] >= width, "the tile is smaller than the pattern");

  // Along a row of the box, down the rows, then over the boxes.
  const auto along = [&](unsigned dimension, uint64_t from, uint64_t end) {
    std::vector<Coordinates> bases;
    for (uint64_t step = from; step < end; step *= 2) {
      bases.push_back({0, 0});
      bases.back()[dimension] = step;
    }
    return bases;
  };
  std::vector<Coordinates> bases = along(contiguous, 1, width),
                           down = along(1 - contiguous, 1, rows);
  if (order == RowOrder::EvenFirst)
    std::rotate(down.begin(), down.begin() + 1, down.end());
  for (const auto &more : {down, along(contiguous, width, shape[contiguous])})
    bases.insert(bases.end(), more.begin(), more.end());
  const LinearLayout plain({{Offset, bases}}, tileSpaces(shape));
  return {swizzled(plain, elementBytes, swizzle),
          contiguous,
          swizzle,
          8 * rowBytes,
          unsigned(rows) * rowBytes,
          swizzle == Swizzle::None ? 128 : 8 * rowBytes,
          order};
}

static constexpr Swizzle widestFirst[] = {Swizzle::Bytes128, Swizzle::Bytes64, Swizzle::Bytes32,
                                          Swizzle::None};

OperandImage widestImage(const Shape &shape, unsigned contiguous, unsigned elementBytes,
                         RowOrder order) {
  for (Swizzle swizzle : widestFirst)
    if (shape[contiguous] * elementBytes >= unsigned(swizzle))
      return operandImage(shape, contiguous, elementBytes, swizzle, order);
  NEREID_UNREACHABLE("a row has bytes");
}

LinearLayout shortImage(const Shape &shape, unsigned contiguous, unsigned elementBytes) {
  NEREID_CHECK(shape.size() == 2 && contiguous < 2, "an operand has two dimensions");
  std::vector<Coordinates> bases;
  const auto place = [&](uint64_t along, uint64_t row) {
    Coordinates at = {row, row};
    at[contiguous] = along;
    bases.push_back(at);
  };
  for (uint64_t along = 1; along < shape[contiguous]; along *= 2)
    place(along, 0);
  for (uint64_t row = 1; row < shape[1 - contiguous]; row *= 2) {
    const uint64_t piece = 16 / elementBytes * row;
    place(piece < shape[contiguous] ? piece : 0, row);
  }
  return LinearLayout({{Offset, bases}}, tileSpaces(shape));
}

std::optional<OperandImage> findImage(const LinearLayout &layout, unsigned elementBytes) {
  const Shape shape = shapeOf(layout);
  if (shape.size() != 2)
    return std::nullopt;
  for (unsigned contiguous : {1, 0})
    for (Swizzle swizzle : widestFirst) {
      const uint64_t rowBytes = swizzle == Swizzle::None ? 16 : unsigned(swizzle);
      if (shape[1 - contiguous] < 8 || shape[contiguous] * elementBytes < rowBytes)
        continue;
      for (RowOrder order : {RowOrder::Plain, RowOrder::EvenFirst}) {
        OperandImage image = operandImage(shape, contiguous, elementBytes, swizzle, order);
        if (image.layout == layout)
          return image;
      }
    }
  return std::nullopt;
}

uint64_t plainOffset(const OperandImage &image, const Coordinates &at, unsigned elementBytes) {
  const uint64_t rowBytes = image.rowGroupBytes / 8, width = rowBytes / elementBytes;
  const uint64_t along = at[image.contiguous];
  uint64_t row = at[1 - image.contiguous];
  if (image.rows == RowOrder::EvenFirst)
    row = row / 2 + row % 2 * (image.boxBytes / rowBytes / 2);
  return along / width * image.boxBytes + row * rowBytes + along % width * elementBytes;
}

LinearLayout swizzled(const LinearLayout &plain, unsigned elementBytes, Swizzle swizzle) {
  if (swizzle == Swizzle::None)
    return plain;
  const unsigned elementBits = unsigned(std::countr_zero(elementBytes));
  const unsigned count = unsigned(std::countr_zero(unsigned(swizzle) / 16));
  const std::span<const Vector> old = plain.bases(Offset);
  std::vector<Vector> bases(old.begin(), old.end());
  // Linear, and its own inverse: the bit of the address that is XORed brings its chunk along.
  for (unsigned i = 0; i < count; ++i)
    if (7 + i - elementBits < bases.size())
      bases[7 + i - elementBits] ^= old[4 + i - elementBits];
  return LinearLayout(plain.inputs(), plain.outputs(), std::move(bases));
}

} // namespace nereid::layout
