// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers as numpy prints them.
#pragma once

#include "interpret/Planner.h"

#include <string>

namespace nereid::interpret {

struct NumberStyle {
  bool isSigned = true;
  bool isHex = false; // integers only
};

/// Every element of the slot as text, without padding: `1`, `True`, `0x0000000f`, `1.5`.
std::vector<std::string> textsOf(Slot slot, const AddressSpace &memory, NumberStyle style);
/// The same as columns of one array: floats share a notation, and all have one width.
std::vector<std::string> alignedTextsOf(Slot slot, const AddressSpace &memory, NumberStyle style);

} // namespace nereid::interpret
