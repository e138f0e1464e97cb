// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The header of a .npy file: magic, version, length, and a Python dict.
#pragma once

#include "nereid/DType.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::command {

struct NpyHeader {
  DType dtype = DType::Float32;
  std::vector<int64_t> shape;
  bool isFortranOrder = false;
};

/// Bytes of magic, version and length, for versions 1 (10) and 2 or 3 (12).
constexpr size_t longestPreamble = 12;

struct NpyPreamble {
  size_t bytes, dictBytes;
};

/// Every mistake is an Error that begins with `path`.
NpyPreamble parsePreamble(std::string_view bytes, const std::string &path);
NpyHeader parseDict(std::string_view dict, const std::string &path);

/// Preamble and dict, padded so that the data is 64-byte aligned.
std::string formatHeader(const NpyHeader &header);

} // namespace nereid::command
