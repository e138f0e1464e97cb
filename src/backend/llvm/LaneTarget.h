// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lane arithmetic leaves to the machine. Each answer has a default that is right wherever LLVM
// has code for what it is given; a back end overrides what its machine does better or LLVM wrongly.
//
// Faults are not asked about: lane arithmetic has none. Where LLVM leaves a result undefined, the
// table in TileDialect.td says what it is, and checks are operations of their own.
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/IR/Value.h"

namespace nereid::backend {

class LaneBuilder;

class LaneTarget {
public:
  virtual ~LaneTarget() = default;

  /// The address space that the pointers of kernels point into.
  virtual unsigned addressSpace() const { return 0; }

  /// The machine's own code for an operation of arith or math on floats of one type, given its
  /// operands as lanes of f32 or f64 (narrower floats were widened); null to take the shared code.
  /// Functions that LLVM has no code for (exp, sin, ...) have no other: those that are not computed
  /// here are refused.
  virtual llvm::Value *emitFloat(LaneBuilder &, mlir::Operation *,
                                 llvm::ArrayRef<llvm::Value *>) const {
    return nullptr;
  }

  /// From a float narrower than 32 bits, held as its bits, to f32 and back with one rounding to
  /// nearest even; null where the machine has no instruction for it, and integer arithmetic is
  /// emitted.
  virtual llvm::Value *widen(LaneBuilder &, llvm::Value *, mlir::Type) const { return nullptr; }
  virtual llvm::Value *narrow(LaneBuilder &, llvm::Value *, mlir::Type) const { return nullptr; }

  /// The bits of a float of 16 bits, taken for another format's.
  virtual llvm::Value *reinterpret(LaneBuilder &, llvm::Value *bits) const { return bits; }

  /// The machine's own instructions (tile.assembly) on lanes, a value for each output; empty where
  /// there is no assembler.
  virtual llvm::SmallVector<llvm::Value *, 2> emitAssembly(LaneBuilder &, mlir::Operation *,
                                                           llvm::ArrayRef<llvm::Value *>) const {
    return {};
  }

  /// A float of 32 or 64 bits as an integer of `bits`, toward zero: the nearest one there is, and
  /// zero for what is no number. Null to take LLVM's.
  virtual llvm::Value *toInteger(LaneBuilder &, llvm::Value *, unsigned /*bits*/,
                                 bool /*isSigned*/) const {
    return nullptr;
  }

  /// What a number is shifted by, less than its width.
  virtual llvm::Value *shiftAmount(LaneBuilder &, llvm::Value *amount) const { return amount; }

  /// |value|, the least number's being itself; null to take LLVM's.
  virtual llvm::Value *absolute(LaneBuilder &, llvm::Value *) const { return nullptr; }

  /// Whether vectors of integers of up to 32 bits are divided as floats that hold them exactly: for
  /// machines that divide floats in vectors, but integers one by one.
  virtual bool dividesVectorsAsFloats() const { return false; }

  /// The same lanes, of whose origin LLVM no longer knows anything. Asked for where LLVM would
  /// otherwise infer too much and make code that traps on this machine.
  virtual llvm::Value *opaque(LaneBuilder &, llvm::Value *lanes) const { return lanes; }
};

} // namespace nereid::backend
