// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Compare.h"

#include "support/FloatFormat.h"

#include "llvm/Support/FormatVariadic.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace nereid::generate {

static uint64_t bitsAt(std::span<const std::byte> bytes, int64_t index, DType type) {
  uint64_t bits = 0;
  size_t width = byteSize(type);
  std::memcpy(&bits, bytes.data() + static_cast<size_t>(index) * width, width);
  return bits;
}

static double toDouble(uint64_t bits, DType type) {
  FloatFormat format = formatOf(type);
  if (type == DType::Float64)
    return std::bit_cast<double>(bits);
  uint64_t code = bits & (format.signBit() - 1), implied = uint64_t(1) << format.mantissaBits;
  auto exponent = static_cast<int>(code >> format.mantissaBits);
  uint64_t fraction = code & (implied - 1);
  double size = code >= format.firstNan() ? NAN
                : code >= format.firstSpecial()
                    ? INFINITY
                    : static_cast<double>(exponent ? fraction | implied : fraction);
  size = std::ldexp(size,
                    std::max(exponent, 1) - format.bias() - static_cast<int>(format.mantissaBits));
  return bits & format.signBit() ? -size : size;
}

/// The distance from 1 to the next number, the largest number and the smallest above zero.
struct FloatLimits {
  double epsilon, largest, smallest;
};

static FloatLimits limitsOf(DType type) {
  FloatFormat format = formatOf(type);
  double epsilon = std::ldexp(1.0, -static_cast<int>(format.mantissaBits));
  return {epsilon, largest(type), std::ldexp(epsilon, 1 - format.bias())};
}

static bool isClose(double x, double y, DType type, int64_t summands) {
  // A function may be some steps off; terms of one sign, added one by one, half a step each.
  double steps = 64 + static_cast<double>(summands) / 2;
  auto [epsilon, most, least] = limitsOf(type);
  // An infinity may stand for what nearly overflows.
  for (double *value : {&x, &y})
    if (std::isinf(*value))
      *value = std::copysign(most, *value);
  double scale = std::fmax(std::fabs(x), std::fabs(y));
  return std::fabs(x - y) <= steps * epsilon * scale + steps * least;
}

static bool isEqual(const ArrayParameter &array, uint64_t x, uint64_t y) {
  if (x == y)
    return true;
  if (!isFloat(array.dtype))
    return false;
  double left = toDouble(x, array.dtype), right = toDouble(y, array.dtype);
  if (std::isnan(left) || std::isnan(right))
    return std::isnan(left) && std::isnan(right);
  return array.isApproximate && isClose(left, right, array.dtype, array.summands);
}

static std::string describe(uint64_t bits, DType type) {
  std::string hex = llvm::formatv("{0:x}", bits);
  if (isFloat(type)) {
    char decimal[32];
    std::snprintf(decimal, sizeof decimal, "%.17g", toDouble(bits, type));
    return decimal + (" (" + hex + ")");
  }
  unsigned unused = 64 - 8 * byteSize(type);
  if (isSigned(type))
    return std::to_string(static_cast<int64_t>(bits << unused) >> unused) + " (" + hex + ")";
  return std::to_string(bits) + " (" + hex + ")";
}

std::string describeDifference(const ArrayParameter &array, std::span<const std::byte> expected,
                               std::span<const std::byte> actual) {
  constexpr int64_t shown = 5;
  int64_t count = 0;
  std::string result;
  for (int64_t i = 0; i < array.size; ++i) {
    uint64_t x = bitsAt(expected, i, array.dtype), y = bitsAt(actual, i, array.dtype);
    if (isEqual(array, x, y) || ++count > shown)
      continue;
    result += llvm::formatv("  {0}[{1}]: check {2}, cpu {3}\n", array.name, i,
                            describe(x, array.dtype), describe(y, array.dtype));
  }
  if (count > shown)
    result += llvm::formatv("  ... {0} of {1} elements differ\n", count, array.size);
  return result;
}

} // namespace nereid::generate
