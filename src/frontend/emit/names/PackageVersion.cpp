// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/names/PackageVersion.h"

#include "llvm/ADT/StringExtras.h"

namespace nereid::emit {

std::optional<Tuple> versionOf(std::string_view text) {
  Tuple version;
  size_t significant = 0;
  for (llvm::StringRef part : llvm::split(llvm::StringRef(text), '.')) {
    uint32_t number = 0;
    if (part.getAsInteger(10, number))
      return std::nullopt;
    version.elements.push_back(integerValue(number));
    significant = number != 0 ? version.elements.size() : significant;
  }
  version.elements.resize(significant);
  return version;
}

} // namespace nereid::emit
