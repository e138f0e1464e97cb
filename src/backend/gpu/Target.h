// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a back end gives to what all GPUs share: the instructions that passes ask about, and those that
// threads are emitted with. Numbers are target::GpuMachine's, and what a lane computes is LaneTarget's.
#pragma once

#include "backend/llvm/LaneBuilder.h"
#include "dialect/tile/Tile.h"
#include "layout/SharedLayout.h"

namespace nereid::backend::gpu {

class Target {
public:
  virtual ~Target() = default;

  /// How many neighbouring elements one atomic instruction takes at most.
  virtual unsigned mostAtomicsTogether(tile::AtomicRmwOp op) const = 0;
  /// Which instructions move matrices between registers and shared memory.
  virtual layout::MatrixInstructions matrixInstructions() const = 0;

  /// The thread's number in its block, i32.
  virtual llvm::Value *threadId(Builder &b) const = 0;
  /// Of a warp's lane number `lane`, i32; all lanes take part.
  virtual llvm::Value *shuffleFrom(Builder &b, llvm::Value *value, llvm::Value *lane) const = 0;
  /// What threads have written to shared memory before is there for the others behind it: for the
  /// block's `threads`, and for a warp.
  virtual void syncBlock(Builder &b, unsigned threads) const = 0;
  virtual void syncWarp(Builder &b) const = 0;
  /// LLVM's number of the address space of shared memory.
  virtual unsigned sharedSpace() const = 0;
  /// Writes a number or pointer, i1 as a byte, to an i32 address in shared memory where the predicate
  /// is true; null is true.
  virtual void storeShared(Builder &b, llvm::Value *value, llvm::Value *address,
                           llvm::Value *predicate) const = 0;
  /// Adds 1 to the i32 there, in one step.
  virtual void addOneShared(Builder &b, llvm::Value *address, llvm::Value *predicate) const = 0;
};

} // namespace nereid::backend::gpu
