// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/gpu/Target.h"
#include "target/NvidiaTarget.h"

namespace nereid::backend::nvptx {

/// NVIDIA's answers to what all GPUs are asked.
class NvptxTarget final : public gpu::Target {
public:
  /// `hintedCaches` hear of eviction policies; `hasEngines` where wgmma or the copy engine may
  /// touch shared memory, past the way of ordinary accesses.
  NvptxTarget(target::NvidiaTarget target, unsigned hintedCaches, bool hasEngines = true)
      : target(std::move(target)), hintedCaches(hintedCaches), hasEngines(hasEngines) {}

  unsigned mostAtomicsTogether(tile::AtomicRmwOp op) const override;
  layout::MatrixInstructions matrixInstructions() const override;
  bool takesExtremesOfPairs() const override { return target.version() >= 80; }
  llvm::Value *extremeOfPairs(Builder &b, llvm::Intrinsic::ID extreme, bool ofMagnitudes,
                              llvm::Value *x, llvm::Value *y) const override;
  llvm::SmallVector<llvm::Value *, 8>
  loadGlobal(LaneBuilder &lanes, gpu::GlobalElements elements, llvm::Value *address,
             llvm::Value *predicate, llvm::ArrayRef<llvm::Value *> others) const override;
  void storeGlobal(LaneBuilder &lanes, gpu::GlobalElements elements, llvm::Value *address,
                   llvm::Value *predicate, llvm::ArrayRef<llvm::Value *> values) const override;
  llvm::Value *threadId(Builder &b) const override;
  llvm::Value *shuffleFrom(Builder &b, llvm::Value *value, llvm::Value *lane) const override;
  llvm::Value *shuffleXor(Builder &b, llvm::Value *value, unsigned laneMask) const override;
  llvm::Value *shuffleWithin(Builder &b, llvm::Value *value, unsigned mask,
                             unsigned bits) const override;
  llvm::Value *reduceLanes(Builder &b, gpu::WholeReduction kind, llvm::Value *value) const override;
  void syncBlock(Builder &b, unsigned threads) const override;
  void syncBlockWhere(Builder &b, unsigned threads, llvm::Value *predicate) const override;
  void syncWarp(Builder &b) const override;
  unsigned sharedSpace() const override { return 3; }
  void storeShared(Builder &b, llvm::Value *value, llvm::Value *address,
                   llvm::Value *predicate) const override;
  void addOneShared(Builder &b, llvm::Value *address, llvm::Value *predicate) const override;
  void publishShared(Builder &b) const override;
  void storeMatrices(Builder &b, const layout::SharedAccess &access, llvm::Value *pointer,
                     llvm::ArrayRef<llvm::Value *> vectors) const override;
  llvm::SmallVector<llvm::Value *, 8> loadMatrices(Builder &b, const layout::SharedAccess &access,
                                                   llvm::Value *pointer,
                                                   llvm::Type *memory) const override;

private:
  target::NvidiaTarget target;
  unsigned hintedCaches;
  bool hasEngines;
};

} // namespace nereid::backend::nvptx
