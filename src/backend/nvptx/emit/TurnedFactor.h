// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A factor of bytes that lies in shared memory along m or n, as warps read it for wgmma's left factor
// in registers, whose 32 bits are four neighbours along k.
#pragma once

#include "backend/nvptx/emit/KernelContext.h"

namespace nereid::backend::nvptx {

/// `ldmatrix.trans` takes two bytes of a row as one: two neighbours along m or n, of which the
/// instruction has one in its row i and the other in row i + 8 (layout::wgmmaTurnedLayout). Of two
/// such words a thread makes the two that it wants by `prmt`.
class TurnedFactor {
public:
  /// `address` is where the factor begins; `rows` its dimension, and that of `result`, that the
  /// instruction's rows run along.
  TurnedFactor(KernelContext &c, nv::SharedType type, llvm::Value *address, unsigned rows,
               const layout::LinearLayout &result);

  /// The four words of this thread for the instruction whose rows and depth begin with these.
  llvm::SmallVector<llvm::Value *, 4> words(uint64_t row, uint64_t k);

private:
  layout::Vector offsetOf(uint64_t row, uint64_t k) const;

  KernelContext &c;
  unsigned rows;
  llvm::Value *address;
  layout::LinearLayout offsets; // the tile -> bytes
  layout::SharedAccess access;
  std::array<llvm::Value *, 2> selectors; // of prmt, for even and for odd rows
};

} // namespace nereid::backend::nvptx
