// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a back end gives to what all GPUs share: the instructions that passes ask about, and those
// that threads are emitted with. Numbers are target::GpuMachine's, and what a lane computes is
// LaneTarget's.
#pragma once

#include "backend/llvm/LaneBuilder.h"
#include "dialect/tile/Tile.h"
#include "layout/SharedAccess.h"
#include "layout/SharedLayout.h"

#include "llvm/IR/Intrinsics.h"

namespace nereid::backend::gpu {

/// One access of a thread to global memory: so many neighbouring elements, aligned as a whole.
struct GlobalElements {
  mlir::Type element;
  unsigned count;
  bool isVolatile = false;
  /// How soon caches may give up what is touched, if the author said so.
  std::optional<tile::EvictionPolicy> eviction = std::nullopt;
};

/// What numbers of 32 bits are brought together by.
enum class WholeReduction { Add, MinSigned, MaxSigned, MinUnsigned, MaxUnsigned, And, Or, Xor };

class Target {
public:
  virtual ~Target() = default;

  /// How many neighbouring elements one atomic instruction takes at most.
  virtual unsigned mostAtomicsTogether(tile::AtomicRmwOp op) const = 0;
  /// Which instructions move matrices between registers and shared memory.
  virtual layout::MatrixInstructions matrixInstructions() const = 0;
  /// Whether there are instructions that compare two floats of 16 bits with two others.
  virtual bool takesExtremesOfPairs() const = 0;
  /// The greater or lesser ones of two vectors of two halves or bfloats, as LLVM's function says
  /// (maxnum, minnum, maximum, minimum); of their magnitudes, with any sign.
  virtual llvm::Value *extremeOfPairs(Builder &b, llvm::Intrinsic::ID extreme, bool ofMagnitudes,
                                      llvm::Value *x, llvm::Value *y) const = 0;

  /// Where the predicate is false, memory is not touched and what is loaded is `others`; null is
  /// true.
  virtual llvm::SmallVector<llvm::Value *, 8>
  loadGlobal(LaneBuilder &lanes, GlobalElements elements, llvm::Value *address,
             llvm::Value *predicate, llvm::ArrayRef<llvm::Value *> others) const = 0;
  virtual void storeGlobal(LaneBuilder &lanes, GlobalElements elements, llvm::Value *address,
                           llvm::Value *predicate, llvm::ArrayRef<llvm::Value *> values) const = 0;

  /// The thread's number in its block, i32.
  virtual llvm::Value *threadId(Builder &b) const = 0;
  /// The value of lane number `lane`, i32, and of the lane whose number differs by XOR with
  /// `laneMask`; all lanes take part.
  virtual llvm::Value *shuffleFrom(Builder &b, llvm::Value *value, llvm::Value *lane) const = 0;
  virtual llvm::Value *shuffleXor(Builder &b, llvm::Value *value, unsigned laneMask) const = 0;
  /// The value of the lane whose number has `bits` where `mask` has ones, and is this one's
  /// elsewhere.
  virtual llvm::Value *shuffleWithin(Builder &b, llvm::Value *value, unsigned mask,
                                     unsigned bits) const = 0;
  /// The i32 of all lanes of a warp brought together, for each of them, in one step; all take part.
  virtual llvm::Value *reduceLanes(Builder &b, WholeReduction kind, llvm::Value *value) const = 0;
  /// What threads have written to shared memory before is there for the others behind it: for the
  /// block's `threads`, and for a warp.
  virtual void syncBlock(Builder &b, unsigned threads) const = 0;
  /// The same where a predicate is true that all of them have alike.
  virtual void syncBlockWhere(Builder &b, unsigned threads, llvm::Value *predicate) const = 0;
  virtual void syncWarp(Builder &b) const = 0;
  /// LLVM's number of the address space of shared memory.
  virtual unsigned sharedSpace() const = 0;
  /// Writes a number or pointer, i1 as a byte, to an i32 address in shared memory where the
  /// predicate is true; null is true.
  virtual void storeShared(Builder &b, llvm::Value *value, llvm::Value *address,
                           llvm::Value *predicate) const = 0;
  /// Adds 1 to the i32 there, in one step.
  virtual void addOneShared(Builder &b, llvm::Value *address, llvm::Value *predicate) const = 0;
  /// Before a barrier: what this thread has written to shared memory is there for whoever
  /// multiplies or copies it past the threads, if there is somebody.
  virtual void publishShared(Builder &b) const = 0;
  /// One step of an access that matrixInstructions() allows, at `pointer`: each of `vectors` is a
  /// lane's 32 bits of a matrix; loaded ones are vectors of the access's elements, of type
  /// `memory`.
  virtual void storeMatrices(Builder &b, const layout::SharedAccess &access, llvm::Value *pointer,
                             llvm::ArrayRef<llvm::Value *> vectors) const = 0;
  virtual llvm::SmallVector<llvm::Value *, 8> loadMatrices(Builder &b,
                                                           const layout::SharedAccess &access,
                                                           llvm::Value *pointer,
                                                           llvm::Type *memory) const = 0;
};

} // namespace nereid::backend::gpu
