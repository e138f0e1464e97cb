// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known while a kernel's operations become what one thread of a block does, as LLVM IR: the
// function that is made, what threads are and share, and what a thread holds of each value.
// Emitters are functions of it (Emit.h); a back end adds what its own need, and says which emitter
// an operation has.
#pragma once

#include "analysis/AxisInfo.h"
#include "backend/gpu/Configuration.h"
#include "backend/gpu/emit/CodeSites.h"
#include "backend/gpu/emit/SharedStack.h"
#include "backend/gpu/emit/Threads.h"
#include "backend/llvm/LaneBuilder.h"
#include "dialect/nv/Nv.h"

namespace nereid::backend::gpu {

/// What a thread holds of a value: a lane for each register of a tile, one for a scalar.
using Registers = llvm::SmallVector<llvm::Value *, 8>;

struct EmitContext {
  /// `emitOperation` emits an operation of any kind; the context's place does not change.
  EmitContext(llvm::Module &module, mlir::func::FuncOp kernel, const LaneTarget &laneTarget,
              const Configuration &configuration,
              std::function<void(mlir::Operation *)> emitOperation);
  EmitContext(const EmitContext &) = delete;

  /// The value must have been emitted.
  const Registers &registersOf(mlir::Value value) const;
  llvm::Value *scalar(mlir::Value value) const { return registersOf(value)[0]; }
  /// At the end of the function.
  llvm::BasicBlock *newBlock(llvm::StringRef name);
  bool isOfThreads() const { return block.has_value(); }

  llvm::Module &module;
  mlir::func::FuncOp kernel;
  analysis::AxisAnalysis axes;
  Builder b;
  LaneBuilder lanes;
  std::shared_ptr<const Target> instructions;
  const Policy policy;
  Threads threads;
  SharedStack shared;
  const std::optional<tile::BlockShape> block; // of a kernel of threads
  const std::function<void(mlir::Operation *)> emitOperation;
  llvm::Function *function = nullptr;
  CodeSites *sites = nullptr; // null if nobody asks which operation an instruction is of
  llvm::DenseMap<mlir::Value, Registers> values;
};

} // namespace nereid::backend::gpu
