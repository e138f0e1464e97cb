// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/launch/Convert.h"

#include "support/Check.h"
#include "support/NarrowFloat.h"
#include "support/UnsignedOf.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace nereid::jit {
namespace {

template <typename T> struct Integer {
  using Storage = T;
  static double load(T value) { return static_cast<double>(value); }
  static T round(double value) {
    constexpr T lowest = std::numeric_limits<T>::lowest(), highest = std::numeric_limits<T>::max();
    if (std::isnan(value))
      return 0;
    double rounded = std::nearbyint(value);
    // The highest value may itself round up to a power of two, hence >=.
    if (rounded >= static_cast<double>(highest))
      return highest;
    return rounded <= static_cast<double>(lowest) ? lowest : static_cast<T>(rounded);
  }
};

struct Boolean {
  using Storage = uint8_t;
  static double load(uint8_t value) { return value & 1; }
  static uint8_t round(double value) { return value != 0; }
};

template <unsigned bits, DTypeKind kind>
using IntegerElement = std::conditional_t<
    kind == DTypeKind::Bool, Boolean,
    Integer<std::conditional_t<kind == DTypeKind::Signed, std::make_signed_t<UnsignedOf<bits>>,
                               UnsignedOf<bits>>>>;

template <typename F> decltype(auto) visit(DType type, F &&f) {
  switch (type) {
#define INTEGER_DTYPE(enumerator, name, shortName, signature, bits, kind, numpy)                   \
  case DType::enumerator:                                                                          \
    return f(IntegerElement<bits, DTypeKind::kind>());
#define FLOAT_DTYPE(enumerator, name, shortName, signature, exponentBits, mantissaBits, bias,      \
                    specials, overflow, numpy)                                                     \
  case DType::enumerator:                                                                          \
    return f(FloatElement<DType::enumerator>());
#include "nereid/dtypes.def"
  }
  NEREID_UNREACHABLE("unknown dtype");
}

} // namespace

void loadElements(DType type, const void *elements, size_t count, double *values) {
  visit(type, [&](auto format) {
    // Through memcpy, because strided and borrowed memory need not be aligned.
    typename decltype(format)::Storage element;
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(&element, static_cast<const char *>(elements) + i * sizeof(element),
                  sizeof(element));
      values[i] = format.load(element);
    }
  });
}

void storeElements(DType type, void *elements, size_t count, const double *values) {
  visit(type, [&](auto format) {
    for (size_t i = 0; i < count; ++i) {
      auto element = format.round(values[i]);
      std::memcpy(static_cast<char *>(elements) + i * sizeof(element), &element, sizeof(element));
    }
  });
}

/// Integers through one that holds all of them.
static void convertIntegers(DType from, const void *source, DType to, void *target, size_t count) {
  using Wide = __int128;
  visit(from, [&](auto narrow) {
    visit(to, [&](auto wide) {
      using From = typename decltype(narrow)::Storage;
      using To = typename decltype(wide)::Storage;
      if constexpr (std::is_integral_v<From> && std::is_integral_v<To>)
        for (size_t i = 0; i < count; ++i) {
          From element;
          std::memcpy(&element, static_cast<const char *>(source) + i * sizeof(From), sizeof(From));
          Wide lowest = std::numeric_limits<To>::lowest(), highest = std::numeric_limits<To>::max();
          To converted =
              isBool(to) ? To(element != 0) : To(std::clamp(Wide(element), lowest, highest));
          std::memcpy(static_cast<char *>(target) + i * sizeof(To), &converted, sizeof(To));
        }
    });
  });
}

double loadElement(DType type, const void *element) {
  double value;
  loadElements(type, element, 1, &value);
  return value;
}

void storeElement(DType type, void *element, double value) {
  storeElements(type, element, 1, &value);
}

} // namespace nereid::jit

namespace nereid {

void convertElements(DType from, const void *source, DType to, void *target, size_t count) {
  if (!isFloat(from) && !isFloat(to))
    return jit::convertIntegers(from, source, to, target, count);
  constexpr size_t batch = 4096;
  std::vector<double> values(std::min(batch, count));
  for (size_t begin = 0; begin < count; begin += batch) {
    size_t here = std::min(batch, count - begin);
    jit::loadElements(from, static_cast<const char *>(source) + begin * byteSize(from), here,
                      values.data());
    jit::storeElements(to, static_cast<char *>(target) + begin * byteSize(to), here, values.data());
  }
}

} // namespace nereid
