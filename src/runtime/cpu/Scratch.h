// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace nereid::runtime::cpu {

/// Where scratch memory begins; generated code counts on it.
inline constexpr size_t scratchAlignment = 64;

/// This thread's scratch memory, aligned to that, at least `bytes` long, contents unspecified.
/// Valid until the thread's next call. Throws std::bad_alloc.
void *threadScratch(size_t bytes);

} // namespace nereid::runtime::cpu
