// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/llvm/LaneBuilder.h"

namespace nereid::backend::nvptx {

/// One mma.sync.m16n8k<depth>: a warp's fragments as lanes, in the order of
/// layout::mmaFragment().
class MmaSync {
public:
  MmaSync(Builder &builder, mlir::Type factor, unsigned depth);

  /// How many lanes of each factor a thread gives.
  unsigned lhsLanes() const { return 16 * depth / 32; }
  unsigned rhsLanes() const { return 8 * depth / 32; }
  /// Adds the product to the four sums.
  void emit(llvm::MutableArrayRef<llvm::Value *> sums, llvm::ArrayRef<llvm::Value *> lhs,
            llvm::ArrayRef<llvm::Value *> rhs);

private:
  Builder &b;
  mlir::Type factor;
  unsigned depth;
};

} // namespace nereid::backend::nvptx
