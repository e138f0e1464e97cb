// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Inputs.h"

#include "Random.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <cstring>

namespace nereid::generate {

Accuracy accuracyOf(Fill fill, DType type) {
  if (fill == Fill::Wild || fill == Fill::Special)
    return {};
  if (fill == Fill::Units || fill == Fill::Zero)
    return Accuracy::grid(1, 0).in(type);
  if (isFloat(type))
    return bitWidth(type) <= 16 ? Accuracy::grid(1, 1) : Accuracy::grid(4, 2);
  return Accuracy::grid(8, 0).in(type);
}

static const llvm::fltSemantics &semantics(DType type) {
  switch (type) {
  case DType::Float8E4M3FN:
    return llvm::APFloat::Float8E4M3FN();
  case DType::Float8E5M2:
    return llvm::APFloat::Float8E5M2();
  case DType::Float16:
    return llvm::APFloat::IEEEhalf();
  case DType::BFloat16:
    return llvm::APFloat::BFloat();
  case DType::Float32:
    return llvm::APFloat::IEEEsingle();
  default:
    return llvm::APFloat::IEEEdouble();
  }
}

static uint64_t floatBits(DType type, double value) {
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(semantics(type), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.bitcastToAPInt().getZExtValue();
}

static uint64_t specialFloat(DType type, Random &random) {
  const llvm::fltSemantics &kind = semantics(type);
  bool isNegative = random.chance(50);
  auto choose = [&] {
    switch (random.below(6)) {
    case 0:
      return llvm::APFloat::getZero(kind, isNegative);
    case 1:
      return llvm::APFloat::getInf(kind, isNegative);
    case 2:
      return llvm::APFloat::getNaN(kind, isNegative);
    case 3:
      return llvm::APFloat::getLargest(kind, isNegative);
    case 4:
      return llvm::APFloat::getSmallest(kind, isNegative);
    default:
      return llvm::APFloat::getSmallestNormalized(kind, isNegative);
    }
  };
  return choose().bitcastToAPInt().getZExtValue();
}

/// A number halfway between two neighbours of a narrower format, or just beside: where rounding
/// twice would show.
static double nearTie(Random &random) {
  int digits = random.pick({3, 4, 8, 11, 24});
  int64_t half = 2 * random.between(int64_t(1) << (digits - 1), (int64_t(1) << digits) - 1) + 1;
  double number =
      std::ldexp(static_cast<double>(half), static_cast<int>(random.between(-28, 4)) - digits);
  return number * (1 + random.pick({0.0, 0x1p-50, -0x1p-50})) * random.pick({1, -1});
}

static uint64_t wildFloat(DType type, Random &random) {
  int64_t kind = random.below(10);
  if (kind == 0)
    return specialFloat(type, random);
  if (kind < 3)
    return random.next(); // any pattern of bits
  if (kind == 3)
    return floatBits(type, nearTie(random));
  if (kind < 6)
    return floatBits(type, static_cast<double>(random.between(-40, 40)) / 4);
  double fraction = static_cast<double>(random.next() >> 11) * 0x1p-53 - 0.5;
  return floatBits(type, fraction * static_cast<double>(random.pick({1, 10, 1000, 100000})));
}

static uint64_t wildInteger(DType type, Random &random) {
  uint64_t top = uint64_t(1) << (bitWidth(type) - 1);
  switch (random.below(8)) {
  case 0:
    return random.pick({top, top - 1, ~uint64_t(0), uint64_t(0), uint64_t(1)});
  case 1:
    return random.next();
  case 2: // any number of digits
    return static_cast<uint64_t>(static_cast<int64_t>(random.next()) >> random.below(64));
  case 3: {
    double tie = std::ldexp(nearTie(random), static_cast<int>(random.between(8, 40)));
    return static_cast<uint64_t>(std::llrint(tie) + random.between(-1, 1));
  }
  default:
    return static_cast<uint64_t>(random.between(isSigned(type) ? -20 : 0, 40));
  }
}

static uint64_t elementBits(const ArrayParameter &array, Random &random) {
  if (array.fill == Fill::Zero)
    return 0;
  if (isBool(array.dtype)) // any byte that is not zero is true
    return static_cast<uint64_t>(random.chance(50)   ? 0
                                 : random.chance(80) ? 1
                                                     : random.between(1, 255));
  if (array.fill == Fill::Special && random.chance(70))
    return specialFloat(array.dtype, random);
  if (array.fill == Fill::Units) {
    bool mayBeNegative = isFloat(array.dtype) || isSigned(array.dtype);
    int64_t unit = random.between(mayBeNegative ? -1 : 0, 1);
    return isFloat(array.dtype) ? floatBits(array.dtype, static_cast<double>(unit))
                                : static_cast<uint64_t>(unit);
  }
  if (array.fill == Fill::Wild)
    return isFloat(array.dtype) ? wildFloat(array.dtype, random) : wildInteger(array.dtype, random);
  if (!isFloat(array.dtype))
    return static_cast<uint64_t>(random.between(isSigned(array.dtype) ? -8 : 0, 8));
  Accuracy grid = accuracyOf(Fill::Small, array.dtype);
  auto steps = static_cast<int64_t>(grid.bound) << grid.fraction;
  return floatBits(array.dtype,
                   std::ldexp(static_cast<double>(random.between(-steps, steps)), -grid.fraction));
}

std::vector<std::byte> contents(const ArrayParameter &array, uint64_t seed) {
  for (char letter : array.name)
    seed = seed * 131 + static_cast<unsigned char>(letter);
  Random random(seed);
  size_t width = byteSize(array.dtype);
  std::vector<std::byte> bytes(static_cast<size_t>(array.size) * width);
  for (size_t at = 0; at < bytes.size(); at += width) {
    uint64_t bits = elementBits(array, random);
    std::memcpy(bytes.data() + at, &bits, width); // all our machines are little-endian
  }
  return bytes;
}

} // namespace nereid::generate
