// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace nereid::runtime::cpu {

/// Where scratch memory begins; generated code counts on it.
inline constexpr size_t scratchAlignment = 64;

/// This thread's scratch memory, aligned to that, at least `bytes` long. Its first
/// scratchAlignment bytes are zero, by which generated code knows that a launch begins; the others
/// are anything. Valid until the thread's next call. Throws std::bad_alloc.
void *threadScratch(size_t bytes);

} // namespace nereid::runtime::cpu
