// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/emit/TurnedFactor.h"

#include "backend/nvptx/emit/Emit.h"
#include "backend/nvptx/products/FactorPlaces.h"
#include "layout/OperandImage.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

namespace nereid::backend::nvptx {

TurnedFactor::TurnedFactor(KernelContext &c, nv::SharedType type, llvm::Value *address,
                           unsigned rows, llvm::ArrayRef<uint64_t> rowsOfWarps,
                           llvm::ArrayRef<uint64_t> depthsOfWarps)
    : c(c), rows(rows), address(address), offsets(type.getLayout().inverse()) {
  for (uint64_t row : rowsOfWarps)
    ofWarps.push_back({row, 0});
  for (uint64_t depth : depthsOfWarps)
    ofWarps.push_back({0, depth});
  access = accessOf(offsets);
  access.instruction = layout::SharedInstruction::MatrixTransposed;
  // Lanes 4 i to 4 i + 3 get 16 bytes along k, four each: two of each of the first two matrices,
  // and the same of the other two 16 further on. Matrices of which each has the same half of all
  // fours would have rows 8 apart, in the same banks; so the upper lanes have their halves in turn.
  for (uint64_t k : {1, 4, 8 ^ 2, 2, 16})
    access.address.lane.push_back(offsetOf(offsets, 0, k));
  llvm::Value *isInTurn =
      c.b.CreateICmpNE(c.b.CreateAnd(c.threads.lane(), c.b.getInt32(2)), c.b.getInt32(0));
  for (uint32_t odd : {0, 0x1111})
    selectors[odd != 0] =
        c.b.CreateSelect(isInTurn, c.b.getInt32(0x2064 + odd), c.b.getInt32(0x6420 + odd));
}

/// An access of four matrices, without the places of lanes.
layout::SharedAccess TurnedFactor::accessOf(const layout::LinearLayout &offsets) const {
  layout::SharedAccess access;
  access.instruction = layout::SharedInstruction::Matrix;
  access.elements = 4;
  access.matrices = 4;
  access.wavefronts = access.idealWavefronts = access.matrices;
  for (const auto &[row, k] : ofWarps)
    access.address.warp.push_back(offsetOf(offsets, row, k));
  return access;
}

void TurnedFactor::takePairsInTurn() {
  llvm::Value *isUpper =
      c.b.CreateICmpNE(c.b.CreateAnd(c.threads.lane(), c.b.getInt32(16)), c.b.getInt32(0));
  const auto [even, odd] = selectors;
  selectors = {c.b.CreateSelect(isUpper, odd, even), c.b.CreateSelect(isUpper, even, odd)};
}

void TurnedFactor::store(uint64_t row, uint64_t k, llvm::ArrayRef<llvm::Value *> words,
                         nv::SharedType type, llvm::Value *target) {
  const layout::LinearLayout to = type.getLayout().inverse();
  layout::SharedAccess write = accessOf(to);
  // Rows of the first matrix are 0, 2, 4, 6, 9, 11, 13, 15; of the second the others.
  const std::pair<uint64_t, uint64_t> lanes[] = {{2, 0}, {4, 0}, {8 ^ 1, 0}, {1, 0}, {0, 16}};
  for (const auto &[rowOfLane, kOfLane] : lanes)
    write.address.lane.push_back(offsetOf(to, rowOfLane, kOfLane));
  write.steps.resize(1);
  c.shared.countWrite(write);
  auto [place, rest] = c.threads.applyAndOffset(write.address, offsetOf(to, row, k));
  c.instructions->storeMatrices(c.b, write, c.shared.pointer(c.b.CreateAdd(target, place), rest),
                                words);
}

layout::Vector TurnedFactor::offsetOf(const layout::LinearLayout &offsets, uint64_t row,
                                      uint64_t k) const {
  layout::Coordinates at = {k, k};
  at[rows] = row;
  return offsets(layout::pack(offsets.inputs(), at));
}

llvm::SmallVector<llvm::Value *, 4> TurnedFactor::words(uint64_t row, uint64_t k) {
  c.shared.countRead(access, 1);
  auto [place, rest] = c.threads.applyAndOffset(access.address, offsetOf(offsets, row, k));
  llvm::Value *pointer = c.shared.pointer(c.b.CreateAdd(address, place), rest);
  gpu::Registers pairs = c.instructions->loadMatrices(c.b, access, pointer, c.b.getInt8Ty());
  for (llvm::Value *&pair : pairs)
    pair = c.b.CreateBitCast(pair, c.b.getInt32Ty());
  llvm::SmallVector<llvm::Value *, 4> words;
  for (size_t half : {0, 2})
    for (llvm::Value *selector : selectors)
      words.push_back(c.b.CreateIntrinsic(c.b.getInt32Ty(), llvm::Intrinsic::nvvm_prmt,
                                          {pairs[half], pairs[half + 1], selector}));
  return words;
}

void turnTile(KernelContext &c, nv::SharedType source, llvm::Value *from, nv::SharedType target,
              llvm::Value *to, unsigned warpCount) {
  const unsigned rows = layout::findImage(source.getLayout(), 1)->contiguous;
  const uint64_t rowCount = source.getShape()[rows], depth = source.getShape()[1 - rows];
  std::vector<uint64_t> rowsOfWarps, depthsOfWarps;
  uint64_t nextRow = rowsOfTurn, nextDepth = depthOfTurn;
  for (unsigned warps = 1; warps < warpCount; warps *= 2)
    if (nextRow < rowCount) {
      rowsOfWarps.push_back(nextRow);
      nextRow *= 2;
    } else {
      // Where nothing is left, warps do what others do.
      depthsOfWarps.push_back(nextDepth < depth ? nextDepth : 0);
      nextDepth *= 2;
    }
  TurnedFactor factor(c, source, from, rows, rowsOfWarps, depthsOfWarps);
  factor.takePairsInTurn();
  for (uint64_t row = 0; row < rowCount; row += nextRow)
    for (uint64_t k = 0; k < depth; k += nextDepth)
      factor.store(row, k, factor.words(row, k), target, to);
}

void emitTurn(KernelContext &c, nv::TurnOp op) {
  c.shared.awaitReaders();
  turnTile(c, llvm::cast<nv::SharedType>(op.getSource().getType()), c.scalar(op.getSource()),
           llvm::cast<nv::SharedType>(op.getTarget().getType()), c.scalar(op.getTarget()),
           c.threads.warpCount());
  publish(c);
  c.shared.barrier();
  c.shared.forget();
}

} // namespace nereid::backend::nvptx
