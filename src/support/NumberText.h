// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers that kernels print.
#pragma once

#include "support/PrintText.h"

namespace nereid {

/// Every element as C's printf has it on a GPU, without padding: `1`, `0x0000000f`, `1.500000`.
std::vector<std::string> plainTextsOf(const PrintedOperand &operand, bool isHex);
/// Every element as numpy prints an array: floats share a notation, booleans are words, and all
/// have one width.
std::vector<std::string> alignedTextsOf(const PrintedOperand &operand, bool isHex);

} // namespace nereid
