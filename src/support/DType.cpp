// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/DType.h"

#include "support/FloatFormat.h"

#include <array>
#include <cmath>

namespace nereid {
namespace {

struct DTypeRow {
  std::string_view name, shortName, signature;
  unsigned bits;
  DTypeKind kind;
  std::string_view numpy;
};

constexpr std::array dtypeRows = {
#define DTYPE(enumerator, name, shortName, signature, bits, kind, numpy)                           \
  DTypeRow{name, shortName, signature, bits, DTypeKind::kind, numpy},
#include "nereid/dtypes.def"
};

constexpr std::array allTypes = {
#define DTYPE(enumerator, name, shortName, signature, bits, kind, numpy) DType::enumerator,
#include "nereid/dtypes.def"
};

// tile::byteSizeOf rounds up: an element of 4 bits would take a byte, and arrays of it half of what
// others take for them.
#define DTYPE(enumerator, name, shortName, signature, bits, kind, numpy)                           \
  static_assert(DTypeKind::kind == DTypeKind::Bool || (bits) % 8 == 0,                             \
                name ": an element takes whole bytes (CONTRIBUTING, How to add an element type)");
#include "nereid/dtypes.def"

const DTypeRow &row(DType type) { return dtypeRows[static_cast<size_t>(type)]; }

} // namespace

std::span<const DType> allDTypes() { return allTypes; }

std::string_view name(DType type) { return row(type).name; }
std::string_view shortName(DType type) { return row(type).shortName; }
std::string_view numpyDescriptor(DType type) { return row(type).numpy; }
DTypeKind kind(DType type) { return row(type).kind; }
unsigned bitWidth(DType type) { return row(type).bits; }
unsigned byteSize(DType type) { return (row(type).bits + 7) / 8; }
unsigned precision(DType type) { return formatOf(type).mantissaBits + 1; }

double largest(DType type) {
  FloatFormat format = formatOf(type);
  uint64_t implied = uint64_t(1) << format.mantissaBits;
  uint64_t mantissa = implied | (format.largest() & (implied - 1));
  int exponent = int(format.largest() >> format.mantissaBits) - format.bias;
  return std::ldexp(double(mantissa), exponent - int(format.mantissaBits));
}

std::optional<DType> parseDType(std::string_view text) {
  for (DType type : allTypes)
    if (const DTypeRow &known = row(type);
        known.name == text || known.shortName == text || known.signature == text)
      return type;
  return std::nullopt;
}

} // namespace nereid
