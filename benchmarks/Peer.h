// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace nereid::bench {

/// Why OpenBLAS is no fair peer when it runs the code it has for `core` on a processor that has
/// these vectors, and how to get better; empty if it is fair. A library that does not know the
/// processor takes code from before AVX, and a ratio to that says nothing.
std::string refusePeer(std::string_view core, bool hasAvx2, bool hasAvx512);

} // namespace nereid::bench
