// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/llvm/LaneBuilder.h"
#include "target/NvidiaTarget.h"

namespace nereid::backend::nvptx {

/// One product m16n8k<depth> of a warp, by mma.sync: its fragments as lanes, in the order of
/// layout::mmaFragment(); of f64 in that of tf32, and of halves with a depth of 32 in that of 8-bit
/// types: two instructions, of which each takes half of every word. Which elements along k meet in
/// one of them is the same in both factors.
class MmaSync {
public:
  /// The element types are the same, or both floats of 8 bits. With at most 8 `rows` threads hold
  /// those alone, and the others are zeros; likewise with one of the `columns`.
  MmaSync(Builder &builder, mlir::Type lhs, mlir::Type rhs, unsigned depth, unsigned rows,
          unsigned columns, const target::NvidiaTarget &target);

  /// How many lanes of each factor a thread gives.
  unsigned lhsLanes() const { return (isHalf ? 8 : 16) * depth / 32; }
  unsigned rhsLanes() const { return 8 * depth / 32; }
  unsigned sumLanes() const { return (isHalf ? 1 : 2) * (hasOneColumn ? 1 : 2); }
  /// Adds the product to the sums.
  void emit(llvm::MutableArrayRef<llvm::Value *> sums, llvm::ArrayRef<llvm::Value *> lhs,
            llvm::ArrayRef<llvm::Value *> rhs);

private:
  void emitWhole(llvm::MutableArrayRef<llvm::Value *> sums, llvm::ArrayRef<llvm::Value *> lhs,
                 llvm::ArrayRef<llvm::Value *> rhs);
  /// One instruction of this shape ("m16n8k16") on registers of 32 bits, or of 64 for f64.
  void emitInstruction(llvm::StringRef shape, llvm::MutableArrayRef<llvm::Value *> sums,
                       llvm::ArrayRef<llvm::Value *> lhs, llvm::ArrayRef<llvm::Value *> rhs);
  void emitDouble(llvm::MutableArrayRef<llvm::Value *> sums, llvm::ArrayRef<llvm::Value *> lhs,
                  llvm::ArrayRef<llvm::Value *> rhs);

  Builder &b;
  mlir::Type lhsType, rhsType;
  unsigned depth;
  bool isHalf, hasOneColumn;
  const target::NvidiaTarget &target;
};

} // namespace nereid::backend::nvptx
