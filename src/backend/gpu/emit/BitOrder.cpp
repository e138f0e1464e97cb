// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/emit/BitOrder.h"

namespace nereid::backend::gpu {

bool BitOrder::areNeighbours() const {
  return llvm::all_of(llvm::enumerate(masks),
                      [&](auto bit) { return bit.value() == masks[0] << bit.index(); });
}

llvm::Value *BitOrder::sideBySide(Builder &b, llvm::Value *number) const {
  if (!mask)
    return b.getInt32(0);
  if (areNeighbours())
    return b.CreateLShr(b.CreateAnd(number, mask), std::countr_zero(mask));
  llvm::Value *rank = b.getInt32(0);
  for (auto [k, bit] : llvm::enumerate(masks)) {
    llvm::Value *one = b.CreateAnd(b.CreateLShr(number, std::countr_zero(bit)), 1);
    rank = b.CreateOr(rank, b.CreateShl(one, k));
  }
  return rank;
}

llvm::Value *BitOrder::apart(Builder &b, llvm::Value *rank) const {
  if (!mask)
    return b.getInt32(0);
  if (areNeighbours())
    return b.CreateAnd(b.CreateShl(rank, std::countr_zero(mask)), mask);
  llvm::Value *number = b.getInt32(0);
  for (auto [k, bit] : llvm::enumerate(masks)) {
    llvm::Value *one = b.CreateAnd(b.CreateLShr(rank, k), 1);
    number = b.CreateOr(number, b.CreateShl(one, std::countr_zero(bit)));
  }
  return number;
}

unsigned BitOrder::apart(unsigned rank) const {
  unsigned number = 0;
  for (auto [k, bit] : llvm::enumerate(masks))
    if (rank >> k & 1)
      number |= bit;
  return number;
}

} // namespace nereid::backend::gpu
