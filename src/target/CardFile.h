// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A card that cards.def has not, or has otherwise: as a file of lines "KEY = NUMBER UNIT", which
// `nereid calibrate` writes.
#pragma once

#include "target/Card.h"

#include <string>
#include <string_view>
#include <vector>

namespace nereid::target {

/// A figure of a card: a column of cards.def.
struct CardColumn {
  const char *key;  ///< "memory_reached"
  const char *unit; ///< "GB/s"
  double scale;     ///< what one unit is in a Card's
  double (*get)(const Card &card);
  void (*set)(Card &card, double value);
  const char *meaning; ///< "what a copy reaches"
};
llvm::ArrayRef<CardColumn> cardColumns();

/// All figures; what the SM can do in a cycle is that of its row. Throws Error(Usage) that names
/// `path` and the line, for what is no such file.
Card parseCard(std::string_view text, const std::string &path);
std::string toText(const Card &card);
/// A card of this SM with no figures yet. Nothing if cards.def has no row for what it does in a
/// cycle.
std::optional<Card> blankCard(llvm::StringRef sm);

} // namespace nereid::target
