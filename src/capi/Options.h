// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capi/Error.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>

namespace nereid::capi {

/// Options as this library knows them, from a caller whose header may be older or newer: what an
/// older one lacks is zero, and what this library does not know must be. Null means all defaults.
template <typename Options> Options readOptions(const Options *given) {
  // A field added later must not land where older callers have padding.
  static_assert(std::has_unique_object_representations_v<Options>);
  Options options{};
  if (!given)
    return options;
  size_t size = given->size;
  if (size < sizeof(size_t))
    throw Error(Error::Kind::Usage, "options whose size is " + std::to_string(size) +
                                        "; sizeof the structure is accepted");
  std::memcpy(&options, given, std::min(size, sizeof options));
  const auto *bytes = reinterpret_cast<const unsigned char *>(given);
  if constexpr (requires { options.reserved; })
    if (options.reserved)
      throw Error(Error::Kind::Usage,
                  "options that ask for more than this version of Nereid knows: reserved is not 0");
  for (size_t i = sizeof options; i < size; ++i)
    if (bytes[i])
      throw Error(Error::Kind::Usage, "options of " + std::to_string(size) +
                                          " bytes that ask for more than this version of Nereid "
                                          "knows, which is the first " +
                                          std::to_string(sizeof options));
  return options;
}

/// Of a kernel of threads; extents of 0 along y and z are 1.
inline Block toBlock(const uint32_t (&extents)[3], uint32_t sharedBytes) {
  auto one = [](uint32_t extent) { return extent ? int64_t(extent) : 1; };
  return {extents[0], one(extents[1]), one(extents[2]), sharedBytes};
}

} // namespace nereid::capi
