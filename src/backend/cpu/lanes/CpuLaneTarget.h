// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an x86-64 CPU computes lanes where that differs from other machines.
#pragma once

#include "backend/llvm/LaneBuilder.h"
#include "target/CpuTarget.h"

namespace nereid {
class SourceFile;
}

namespace nereid::backend::cpu {

class CpuLaneTarget final : public LaneTarget {
public:
  /// `source` is the text that mistakes in assembly are shown in; it may be null.
  explicit CpuLaneTarget(const target::CpuTarget &cpu, const SourceFile *source = nullptr)
      : cpu(cpu), source(source) {}

  /// Transcendental functions: calls into the C library's vector functions, register by register.
  llvm::Value *emitFloat(LaneBuilder &lanes, mlir::Operation *op,
                         llvm::ArrayRef<llvm::Value *> operands) const override;
  llvm::Value *widen(LaneBuilder &lanes, llvm::Value *bits, mlir::Type element) const override;
  llvm::Value *narrow(LaneBuilder &lanes, llvm::Value *single, mlir::Type element) const override;
  /// Of vectors: LLVM takes what saturates lane by lane.
  llvm::Value *toInteger(LaneBuilder &lanes, llvm::Value *number, unsigned bits,
                         bool isSigned) const override;
  /// Throws SourceError for constraints that do not fit.
  llvm::SmallVector<llvm::Value *, 2>
  emitAssembly(LaneBuilder &lanes, mlir::Operation *op,
               llvm::ArrayRef<llvm::Value *> operands) const override;
  bool dividesVectorsAsFloats() const override { return true; }
  /// For values of at least 16 bytes' worth of register; costs no instruction.
  llvm::Value *opaque(LaneBuilder &lanes, llvm::Value *value) const override;

private:
  llvm::Value *callMath(LaneBuilder &lanes, llvm::StringRef name,
                        llvm::ArrayRef<llvm::Value *> operands) const;

  /// By instructions of AVX-512; null without them.
  llvm::Value *emitByInstruction(LaneBuilder &lanes, mlir::Operation *op,
                                 llvm::ArrayRef<llvm::Value *> operands) const;

  const target::CpuTarget &cpu;
  const SourceFile *source;
};

/// x * 2^exponent, for whole exponents as floats, by AVX-512; null where lanes fill no register.
llvm::Value *scaleByPower(LaneBuilder &lanes, llvm::Value *x, llvm::Value *exponent);

} // namespace nereid::backend::cpu
