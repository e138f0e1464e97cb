// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Printing from generated code.
#pragma once

#include "nereid/DType.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nereid::backend::cpu {

/// One print statement of a kernel: what is the same each time it runs.
struct PrintSite {
  bool isInline;
  bool isHex;
  std::vector<std::string> texts;
  struct Operand {
    DType dtype;
    bool isPointer;
    std::vector<int64_t> shape;
  };
  std::vector<Operand> operands;
};

/// Called by generated code. `values` points at one pointer an operand: row-major elements, i1 as bytes.
extern "C" void nereidPrint(const PrintSite *site, const uint32_t *programId, const void *const *values);

} // namespace nereid::backend::cpu
