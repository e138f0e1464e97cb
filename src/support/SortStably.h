// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <iterator>

namespace nereid {

/// Equals keep their order. For few elements: insertion takes the square of their number. (What
/// libstdc++ 12 has for many uses a function that clang 22 warns of.)
template <typename Range, typename Before> void sortStably(Range &range, Before before) {
  for (auto next = std::begin(range); next != std::end(range); ++next)
    std::rotate(std::upper_bound(std::begin(range), next, *next, before), next, std::next(next));
}

} // namespace nereid
