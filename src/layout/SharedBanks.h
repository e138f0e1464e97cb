// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared memory as hardware serves it: 32 banks of words, one word of each in a wavefront.
#pragma once

#include <bit>

namespace nereid::layout {

constexpr unsigned WordBytes = 4, WavefrontBytes = 128;

inline unsigned log2(unsigned powerOfTwo) { return unsigned(std::countr_zero(powerOfTwo)); }

} // namespace nereid::layout
