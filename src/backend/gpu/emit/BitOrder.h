// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bits of a number that are apart, as those of another number.
#pragma once

#include "backend/gpu/Target.h"

#include "llvm/ADT/SmallVector.h"

namespace nereid::backend::gpu {

/// Bits of a lane's, a warp's or a register's number as those of a rank, from the lowest.
struct BitOrder {
  llvm::SmallVector<unsigned> masks;
  unsigned mask = 0;

  void add(unsigned bit) {
    masks.push_back(bit);
    mask |= bit;
  }
  /// The rank that a number has in these bits.
  llvm::Value *sideBySide(Builder &b, llvm::Value *number) const;
  /// The number that has this rank in these bits, and nothing in others.
  llvm::Value *apart(Builder &b, llvm::Value *rank) const;
  unsigned apart(unsigned rank) const;

private:
  bool areNeighbours() const;
};

} // namespace nereid::backend::gpu
