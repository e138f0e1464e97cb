// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <type_traits>

namespace nereid {

/// The smallest unsigned type that holds `bits` bits.
template <unsigned bits>
using UnsignedOf = std::conditional_t<
    bits <= 8, uint8_t,
    std::conditional_t<bits <= 16, uint16_t, std::conditional_t<bits <= 32, uint32_t, uint64_t>>>;

} // namespace nereid
