// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/PrintText.h"

#include <algorithm>

namespace nereid::runtime {

/// One print statement of a kernel: what is the same each time it runs.
struct PrintSite {
  PrintFormat format;
  std::vector<PrintedOperand> operands; // their elements are not known yet
  /// What it says is why the launch failed: of an assertion.
  bool isFailure = false;

  friend bool operator==(const PrintSite &a, const PrintSite &b) {
    auto same = [](const PrintedOperand &x, const PrintedOperand &y) {
      return x.dtype == y.dtype && x.isPointer == y.isPointer && x.shape == y.shape;
    };
    return a.isFailure == b.isFailure && a.format.style == b.format.style &&
           a.format.isHex == b.format.isHex && a.format.texts == b.format.texts &&
           std::ranges::equal(a.operands, b.operands, same);
  }
};

} // namespace nereid::runtime
