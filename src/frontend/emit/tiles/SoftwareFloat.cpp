// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/tiles/SoftwareFloat.h"

#include "support/NarrowFloat.h"

namespace nereid::emit {

using namespace mlir;

bool isSoftwareFloat(DType type) {
  switch (type) {
#define SOFTWARE_FLOAT_DTYPE(enumerator, ...) case DType::enumerator:
#include "nereid/dtypes.def"
    return true;
  default:
    return false;
  }
}

uint64_t softwareFloatBits(double number, DType type) {
  return visitFloat(type, [&](auto element) -> uint64_t {
    if constexpr (sizeof(element.round(number)) <= 2)
      return element.round(number);
    NEREID_UNREACHABLE("a wide software float");
  });
}

double softwareFloatValue(uint64_t bits, DType type) {
  return visitFloat(type, [&](auto element) -> double {
    using Storage = typename decltype(element)::Storage;
    return element.load(static_cast<Storage>(bits));
  });
}

namespace {

/// Integer arithmetic on the codes, as 16 bits that hold a float16 or will.
class Codes {
public:
  Codes(TileBuilder &tiles, SourceRange range) : tiles(tiles), range(range) {}

  Tensor masked(const Tensor &x, int64_t mask) {
    return tiles.like<arith::AndIOp>(range, x, number(mask, x));
  }
  Tensor left(const Tensor &x, int64_t count) {
    return tiles.like<arith::ShLIOp>(range, x, number(count, x));
  }
  Tensor right(const Tensor &x, int64_t count) {
    return tiles.like<arith::ShRUIOp>(range, x, number(count, x));
  }
  Tensor least(const Tensor &x, int64_t limit) {
    return tiles.like<arith::MinUIOp>(range, x, number(limit, x));
  }
  Tensor sum(const Tensor &x, int64_t y) {
    return tiles.like<arith::AddIOp>(range, x, number(y, x));
  }
  Tensor both(const Tensor &x, const Tensor &y) { return tiles.like<arith::OrIOp>(range, x, y); }

private:
  Tensor number(int64_t value, const Tensor &like) {
    return tiles.splat(tiles.integer(value, like.dtype(), range), like.shape(), range);
  }

  TileBuilder &tiles;
  SourceRange range;
};

/// Where the only format there is differs from float16: as many bits less of mantissa, and one less
/// of the exponent, whose bias is the same. Every number of it is one of float16.
constexpr FloatFormat format = formatOf(DType::Float8E4M3B15), half = formatOf(DType::Float16);
static_assert(format.bias == half.bias && format.exponentBits + 1 == half.exponentBits);
constexpr int64_t droppedBits = half.mantissaBits - format.mantissaBits;
constexpr int64_t magnitudeBits = format.signBit() - 1, halfMagnitudeBits = half.signBit() - 1;

} // namespace

Tensor widenSoftwareFloat(TileBuilder &tiles, const Tensor &value, SourceRange range) {
  Codes codes(tiles, range);
  Tensor bits = tiles.bitcast(value, {DType::UInt8}, range);
  bits = tiles.cast(bits, {DType::UInt16}, range);
  Tensor magnitude = codes.left(codes.masked(bits, magnitudeBits), droppedBits);
  Tensor sign = codes.left(codes.masked(bits, format.signBit()), half.bits() - format.bits());
  Tensor result = tiles.bitcast(codes.both(magnitude, sign), {DType::Float16}, range);
  return tiles.cast(result, {DType::Float32}, range);
}

Tensor narrowToSoftwareFloat(TileBuilder &tiles, const Tensor &value, DType type,
                             SourceRange range) {
  // Ties go away from zero: what a cut to float16 loses lies above the tie or does not matter.
  Codes codes(tiles, range);
  Tensor wide = tiles.castTowardZero(value, {DType::Float16}, range);
  Tensor bits = tiles.bitcast(wide, {DType::UInt16}, range);
  int64_t largest = static_cast<int64_t>(format.beyondLargest()) << droppedBits;
  Tensor magnitude = codes.least(codes.masked(bits, halfMagnitudeBits), largest);
  magnitude = codes.right(codes.sum(magnitude, int64_t(1) << (droppedBits - 1)), droppedBits);
  Tensor sign = codes.right(codes.masked(bits, half.signBit()), half.bits() - format.bits());
  Tensor code = tiles.cast(codes.both(magnitude, sign), {DType::UInt8}, range);
  return tiles.bitcast(code, {type}, range);
}

} // namespace nereid::emit
