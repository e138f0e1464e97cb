// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/EnvironmentSize.h"

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace nereid {

std::optional<size_t> sizeFromEnvironment(const char *variable) {
  const char *text = std::getenv(variable);
  if (!text)
    return std::nullopt;
  uint64_t mebibytes = 0;
  auto [end, error] = std::from_chars(text, text + std::strlen(text), mebibytes);
  if (error != std::errc() || *end != '\0' || mebibytes >= uint64_t(1) << 40)
    return std::nullopt;
  return mebibytes << 20;
}

} // namespace nereid
