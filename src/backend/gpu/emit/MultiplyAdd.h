// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What single threads compute of a product.
#pragma once

#include "backend/llvm/LaneBuilder.h"

namespace nereid::backend::gpu {

/// Sums of products, one after the other: those of floats in 32 bits, or 64 where a float has them,
/// rounded to the type of the result at the end.
class MultiplyAdd {
public:
  MultiplyAdd(LaneBuilder &lanes, mlir::Type factor, mlir::Type sum)
      : lanes(lanes), b(lanes.builder()), factor(factor), sum(sum), wide(sum) {
    if (llvm::isa<mlir::FloatType>(sum))
      wide = sum.isF64() || factor.isF64() ? mlir::Type(mlir::Float64Type::get(sum.getContext()))
                                           : mlir::Type(mlir::Float32Type::get(sum.getContext()));
  }

  llvm::Value *begin(llvm::Value *accumulator) { return widened(accumulator, sum); }
  llvm::Value *add(llvm::Value *total, llvm::Value *lhs, llvm::Value *rhs) {
    if (llvm::isa<mlir::FloatType>(sum))
      return b.CreateIntrinsic(lanes.laneType(wide), llvm::Intrinsic::fma,
                               {widened(lhs, factor), widened(rhs, factor), total});
    return b.CreateAdd(b.CreateMul(widened(lhs, factor), widened(rhs, factor)), total);
  }
  llvm::Value *end(llvm::Value *total) {
    return llvm::isa<mlir::FloatType>(sum) ? lanes.convertFloat(total, wide, sum) : total;
  }

private:
  llvm::Value *widened(llvm::Value *value, mlir::Type from) {
    return llvm::isa<mlir::FloatType>(sum) ? lanes.convertFloat(value, from, wide)
                                           : b.CreateSExtOrTrunc(value, lanes.laneType(sum));
  }

  LaneBuilder &lanes;
  Builder &b;
  mlir::Type factor, sum, wide;
};

} // namespace nereid::backend::gpu
