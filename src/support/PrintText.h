// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text that a kernel's print statement writes; the same on every executor.
#pragma once

#include "nereid/DType.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace nereid {

/// As `tile.print` documents them.
enum class PrintStyle : uint8_t { PerElement, Inline, Plain };

/// What a print statement says besides its values.
struct PrintFormat {
  PrintStyle style = PrintStyle::PerElement;
  bool isHex = false;             // integers only
  std::vector<std::string> texts; // one more than there are operands
};

/// A scalar (empty shape) or a tile: row-major elements, int1 as bytes, pointers as addresses.
struct PrintedOperand {
  DType dtype;
  bool isPointer;
  std::vector<int64_t> shape;
  const void *elements;
};

/// Calls `write` with each complete line, without its line end; its texts are printable().
void printLines(const PrintFormat &format, std::span<const PrintedOperand> operands,
                const uint32_t (&programId)[3],
                const std::function<void(const std::string &)> &write);

} // namespace nereid
