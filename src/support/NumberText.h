// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers as numpy prints them.
#pragma once

#include "support/PrintText.h"

namespace nereid {

/// Every element as text, without padding: `1`, `True`, `0x0000000f`, `1.5`.
std::vector<std::string> textsOf(const PrintedOperand &operand, bool isHex);
/// The same as columns of one array: floats share a notation, and all have one width.
std::vector<std::string> alignedTextsOf(const PrintedOperand &operand, bool isHex);

} // namespace nereid
