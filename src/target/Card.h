// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How fast a card is: what a predicted time rests on. The table is cards.def, with its sources.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid::target {

struct Card {
  std::string name, sm;
  unsigned multiprocessors;
  double clockHertz;
  /// Bytes a second: what its maker says, what a copy reaches, and of L2.
  double memoryPeak, memoryReached, l2Rate;
  double l2Bytes;
  /// Seconds: from asking memory to having it, as `nereid calibrate` measures it; of a launch that
  /// does nothing.
  double memoryLatency, launchTime;

  // Of one SM in one cycle.
  double fmaLanes, integerLanes, doubleLanes, specialLanes;
  double tensorFlops; ///< of f16 factors; those of 8 bits are twice as fast, of tf32 half
  double tensorShare; ///< of it, that the card's power allows
  double sectors;     ///< of 32 bytes, through L1
};

/// The first card of the table that has this SM; nothing for one that is not there.
std::optional<Card> cardOf(llvm::StringRef sm);
/// By name; nothing if the table has none.
std::optional<Card> findCard(llvm::StringRef name);
std::vector<std::string> cardNames();
/// The name of the card that a device is called by: "NVIDIA H200" has "h200"; empty if the table
/// has none.
std::string cardNameIn(llvm::StringRef device);

} // namespace nereid::target
