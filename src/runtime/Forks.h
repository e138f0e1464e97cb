// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace nereid::runtime {

/// How many forks lie between the first process and this one: what was made under another number
/// has its threads, and whoever held its locks, in another process.
uint64_t forks();

} // namespace nereid::runtime
