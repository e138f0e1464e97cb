// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/lanes/TransposeLanes.h"

namespace nereid::backend::cpu {

void transposeLanes(Builder &b, llvm::MutableArrayRef<llvm::Value *> rows) {
  unsigned count = rows.size();
  for (unsigned block = 1; block < count; block *= 2) {
    llvm::SmallVector<int, 64> upper, lower;
    for (unsigned lane = 0; lane < count; ++lane) {
      bool isOther = lane & block;
      upper.push_back(isOther ? count + lane - block : lane);
      lower.push_back(isOther ? count + lane : lane + block);
    }
    for (unsigned row = 0; row < count; ++row) {
      if (row & block)
        continue;
      llvm::Value *first = rows[row], *second = rows[row + block];
      rows[row] = b.CreateShuffleVector(first, second, upper);
      rows[row + block] = b.CreateShuffleVector(first, second, lower);
    }
  }
}

llvm::Value *interleaveLanes(Builder &b, llvm::ArrayRef<llvm::Value *> rows) {
  if (rows.size() == 1)
    return rows[0];
  llvm::SmallVector<llvm::Value *, 4> even, odd;
  for (auto [i, row] : llvm::enumerate(rows))
    (i % 2 == 0 ? even : odd).push_back(row);
  llvm::Value *first = interleaveLanes(b, even), *second = interleaveLanes(b, odd);
  unsigned width = LaneBuilder::widthOf(first);
  llvm::SmallVector<int, 128> order;
  for (unsigned lane = 0; lane < width; ++lane)
    order.append({static_cast<int>(lane), static_cast<int>(lane + width)});
  return b.CreateShuffleVector(first, second, order);
}

} // namespace nereid::backend::cpu
