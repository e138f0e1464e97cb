// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/llvm/LaneBuilder.h"

namespace nereid::backend::nvptx {

class NvptxLaneTarget final : public LaneTarget {
public:
  /// What pointers point at: arrays of a launch, or those and shared memory.
  enum class Reach { Global, Any };
  /// The version of the SM (90); 0: what all have.
  explicit NvptxLaneTarget(unsigned version = 0, Reach reach = Reach::Global)
      : convertsFloat8(version >= 89), addsBFloat16(version >= 90), reach(reach) {}

  unsigned addressSpace() const override { return reach == Reach::Global ? 1 : 0; }
  llvm::Value *emitFloat(LaneBuilder &lanes, mlir::Operation *op,
                         llvm::ArrayRef<llvm::Value *> operands) const override;
  llvm::Value *widen(LaneBuilder &lanes, llvm::Value *bits, mlir::Type element) const override;
  llvm::Value *narrow(LaneBuilder &lanes, llvm::Value *single, mlir::Type element) const override;
  llvm::Value *reinterpret(LaneBuilder &lanes, llvm::Value *bits) const override;
  llvm::Value *absolute(LaneBuilder &lanes, llvm::Value *value) const override;
  llvm::SmallVector<llvm::Value *, 2>
  emitAssembly(LaneBuilder &lanes, mlir::Operation *op,
               llvm::ArrayRef<llvm::Value *> operands) const override;
  llvm::Value *shiftAmount(LaneBuilder &lanes, llvm::Value *amount) const override;
  llvm::Value *toInteger(LaneBuilder &lanes, llvm::Value *number, unsigned bits,
                         bool isSigned) const override;

private:
  llvm::Value *halfOf(Builder &b, llvm::Value *bits, mlir::Type element) const;

  bool convertsFloat8, addsBFloat16;
  Reach reach;
};

} // namespace nereid::backend::nvptx
