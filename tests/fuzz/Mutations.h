// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small damages, which leave most of a text or file as it was.
#pragma once

#include "Random.h"

#include <span>
#include <string>

namespace nereid::fuzz {

using Words = std::span<const char *const>;

/// Replaces, inserts, drops or doubles one to `most` words of a text; what comes in is one of
/// `words` or of the text itself.
void damageWords(Random &random, std::string &text, Words words, size_t most = 3);
/// Doubles the line at `position` somewhere else, perhaps one level deeper.
void moveLine(Random &random, std::string &text, size_t position);
/// Turns bits, writes over, cuts out, doubles and cuts off bytes from `first` on.
void damageBytes(Random &random, std::string &bytes, size_t first = 0);
/// Puts a number that lies about something where eight, four or two bytes or one are.
void damageNumber(Random &random, std::string &bytes, size_t first = 0);

/// Numbers at which something ends.
extern const int64_t edges[24];

} // namespace nereid::fuzz
