// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace nereid::runtime::cpu {

/// This thread's scratch memory, 64-byte aligned, at least `bytes` long, contents unspecified.
/// Valid until the thread's next call. Throws std::bad_alloc.
void *threadScratch(size_t bytes);

} // namespace nereid::runtime::cpu
