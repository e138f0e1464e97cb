// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/DType.h"

#include <array>

namespace nereid {
namespace {

struct DTypeRow {
  std::string_view name, shortName;
  unsigned bits;
  DTypeKind kind;
  std::string_view numpy;
};

constexpr std::array rows = {
#define DTYPE(enumerator, name, shortName, bits, kind, numpy)                                      \
  DTypeRow{name, shortName, bits, DTypeKind::kind, numpy},
#include "nereid/dtypes.def"
};

const DTypeRow &row(DType type) { return rows[static_cast<size_t>(type)]; }

} // namespace

std::string_view name(DType type) { return row(type).name; }
std::string_view shortName(DType type) { return row(type).shortName; }
std::string_view numpyDescriptor(DType type) { return row(type).numpy; }
DTypeKind kind(DType type) { return row(type).kind; }
unsigned bitWidth(DType type) { return row(type).bits; }
unsigned byteSize(DType type) { return (row(type).bits + 7) / 8; }

std::optional<DType> parseDType(std::string_view text) {
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].name == text || rows[i].shortName == text)
      return static_cast<DType>(i);
  return std::nullopt;
}

} // namespace nereid
