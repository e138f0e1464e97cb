// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Image.h"

#include <cstddef>

namespace nereid::examples {

using Bytes = std::vector<uint8_t>;

/// A picture with more pixels than this is refused, so that a forged header cannot claim all
/// memory.
constexpr int64_t maxPixels = int64_t(1) << 28;

// Each throws std::runtime_error with the library's own words.
Image decodeJpeg(const Bytes &file);
Bytes encodeJpeg(const Image &image);
Image decodePng(const Bytes &file);
Bytes encodePng(const Image &image);

} // namespace nereid::examples
