// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM IR for one operation on one lane or on a vector of lanes, for every back end that emits
// LLVM IR. Knows neither loops nor memory nor the machine: what differs between machines is asked
// of a LaneTarget. A float narrower than 32 bits is held as its bits, and arithmetic on it goes
// through f32: every target then rounds alike.
#pragma once

#include "backend/llvm/LaneTarget.h"

#include "mlir/IR/Operation.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace nereid {
struct FloatFormat;
}

namespace nereid::backend {

using Builder = llvm::IRBuilder<>;

class LaneBuilder {
public:
  LaneBuilder(Builder &builder, const LaneTarget &target) : b(builder), target(target) {}

  Builder &builder() { return b; }

  /// Whether there are lanes of this element type.
  static bool isLane(mlir::Type element);
  /// The LLVM type of one lane of a tile element (i8 and i16 for narrow floats).
  llvm::Type *laneType(mlir::Type element) const;
  /// What one element is in memory: as the lane, but i1 takes a byte.
  llvm::Type *memoryType(mlir::Type element) const;
  llvm::Type *vectorOf(llvm::Type *lane, unsigned width) const;
  static unsigned widthOf(llvm::Value *value);
  llvm::Value *splat(llvm::Value *scalar, unsigned width);
  /// Memory for one value on the stack, made in the entry block: once, however often the place
  /// runs.
  llvm::AllocaInst *stackSlot(llvm::Type *type);
  /// `count` lanes from `begin` on; a scalar for one.
  llvm::Value *slice(llvm::Value *value, unsigned begin, unsigned count);
  /// Vectors of one width, as many as a power of two, end to end.
  llvm::Value *concatenate(llvm::SmallVector<llvm::Value *, 4> parts);
  llvm::Value *opaque(llvm::Value *value) { return target.opaque(*this, value); }
  /// An attribute of a scalar constant as a lane.
  llvm::Value *constant(mlir::Attribute value, mlir::Type element);
  llvm::Value *zero(mlir::Type element, unsigned width);

  /// Notes that no lane is a NaN that signals: maxima of such numbers take fewer instructions.
  void setKnownQuiet(llvm::Value *value) { knownQuiet.insert(value); }
  bool isKnownQuiet(llvm::Value *value) const { return knownQuiet.contains(value); }

  /// Between a lane and its form in memory (differs only for i1).
  llvm::Value *toMemory(llvm::Value *value, mlir::Type element);
  llvm::Value *fromMemory(llvm::Value *value, mlir::Type element);

  /// Lanes of f32 and narrower floats as f32, and back with one rounding to nearest even.
  llvm::Value *toFloat32(llvm::Value *value, mlir::Type element);
  llvm::Value *fromFloat32(llvm::Value *value, mlir::Type element);
  /// Any float lane to any other, rounded once.
  llvm::Value *convertFloat(llvm::Value *value, mlir::Type from, mlir::Type to);

  /// The results of an elementwise operation of arith, math or tile on lanes of equal width.
  /// Empty if there is no code for the operation.
  llvm::SmallVector<llvm::Value *, 2> emit(mlir::Operation *op,
                                           llvm::ArrayRef<llvm::Value *> operands);

private:
  llvm::Value *emitInteger(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *emitFloat(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *emitCast(mlir::Operation *op, llvm::Value *operand);
  llvm::Value *emitPointer(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *emitCompare(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *divide(mlir::Operation *op, llvm::Value *dividend, llvm::Value *divisor);
  llvm::Value *divideAsFloats(llvm::Value *dividend, llvm::Value *divisor, bool isSigned);
  llvm::Value *shift(mlir::Operation *op, llvm::Value *value, llvm::Value *amount);
  llvm::Value *roundToOdd(llvm::Value *wide);
  llvm::Value *gatherLowBits(llvm::Value *integer, bool isSigned);
  llvm::Value *widenBFloat16(llvm::Value *bits);
  llvm::Value *narrowToBFloat16(llvm::Value *value);
  llvm::Value *widenBits(llvm::Value *narrow, const FloatFormat &format);
  llvm::Value *narrowBits(llvm::Value *value, const FloatFormat &format);
  llvm::Value *roundMagnitude(llvm::Value *magnitude, const FloatFormat &format);
  llvm::Value *chooseNumber(llvm::Value *a, llvm::Value *c, bool isMaximum);

  Builder &b;
  const LaneTarget &target;
  llvm::DenseSet<llvm::Value *> knownQuiet;
};

} // namespace nereid::backend
