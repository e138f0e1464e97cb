// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long programs, and threads of a block, wait for one another (docs/decisions/0011).
#pragma once

#include <cstdint>

namespace nereid::interpret {

/// Rounds of waiting after which another program has its turn.
inline constexpr unsigned roundsPerTurn = 64;
/// How long programs may wait with none done in between, until nobody is expected to end the wait:
/// about a second if they stand still, and several if they do not, since they may be at work.
inline constexpr uint64_t mostPatience = uint64_t(1) << 24, stillRound = 4, busyRound = 1;

} // namespace nereid::interpret
