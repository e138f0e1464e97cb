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
  size =
      std::ldexp(size, std::max(exponent, 1) - format.bias - static_cast<int>(format.mantissaBits));
  return bits & format.signBit() ? -size : size;
}

/// The distance from 1 to the next number, the largest number and the smallest above zero.
struct FloatLimits {
  double epsilon, largest, smallest;
};

static FloatLimits limitsOf(DType type) {
  FloatFormat format = formatOf(type);
  double epsilon = std::ldexp(1.0, -static_cast<int>(format.mantissaBits));
  return {epsilon, largest(type), std::ldexp(epsilon, 1 - format.bias)};
}

/// Whether two executors may differ by so much.
static bool isClose(double x, double y, const ArrayParameter &array) {
  // libmvec promises 4 steps of the type it computes in (docs/decisions/0006-libmvec.md) and the
  // interpreter's functions 1; sigmoid's sum and quotient, a product and what scales small results
  // back add half a step each on both sides. Terms of one sign, added one by one: half a step each.
  double steps = 9 + static_cast<double>(array.summands) / 2;
  FloatLimits computed = limitsOf(*array.approximateIn), stored = limitsOf(array.dtype);
  // An infinity may stand for what nearly overflows.
  for (double *value : {&x, &y})
    if (std::isinf(*value))
      *value = std::copysign(stored.largest, *value);
  double scale = std::fmax(std::fabs(x), std::fabs(y));
  double bound = steps * (computed.epsilon * scale + computed.smallest);
  if (array.dtype != *array.approximateIn) // two sides of a tie: one step of the type they go to
    bound += stored.epsilon * scale + stored.smallest;
  return std::fabs(x - y) <= bound;
}

/// The same under Agreement::Near. Relative, or absolute below 1, where terms may have cancelled.
/// In 16 bits a fused product may be a step away, and what is added to it a step more.
static bool isNear(double x, double y, DType type, Agreement agreement) {
  if (std::isinf(x) || std::isinf(y))
    return x == y;
  bool isSingle =
      type == DType::Float32 || (type == DType::Float64 && agreement == Agreement::NearSingle);
  double step = isSingle ? 1e-5 : type == DType::Float64 ? 1e-12 : 2 * limitsOf(type).epsilon;
  return std::fabs(x - y) <= step * std::fmax(std::fmax(std::fabs(x), std::fabs(y)), 1.0);
}

static bool isEqual(const ArrayParameter &array, uint64_t x, uint64_t y, Agreement agreement) {
  if (x == y)
    return true;
  if (!isFloat(array.dtype))
    return false;
  double left = toDouble(x, array.dtype), right = toDouble(y, array.dtype);
  if (std::isnan(left) || std::isnan(right))
    return std::isnan(left) && std::isnan(right);
  if (agreement != Agreement::Exact && isNear(left, right, array.dtype, agreement))
    return true;
  return array.approximateIn && isClose(left, right, array);
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
                               std::span<const std::byte> actual, Agreement agreement) {
  constexpr int64_t shown = 5;
  int64_t count = 0;
  std::string result;
  for (int64_t i = 0; i < array.size; ++i) {
    uint64_t x = bitsAt(expected, i, array.dtype), y = bitsAt(actual, i, array.dtype);
    if (isEqual(array, x, y, agreement) || ++count > shown)
      continue;
    result += llvm::formatv("  {0}[{1}]: check {2}, here {3}\n", array.name, i,
                            describe(x, array.dtype), describe(y, array.dtype));
  }
  if (count > shown)
    result += llvm::formatv("  ... {0} of {1} elements differ\n", count, array.size);
  return result;
}

} // namespace nereid::generate
