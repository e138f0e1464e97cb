// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/emit/TurnedFactor.h"

#include "backend/gpu/emit/Emit.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

namespace nereid::backend::nvptx {

TurnedFactor::TurnedFactor(KernelContext &c, nv::SharedType type, llvm::Value *address,
                           unsigned rows, const layout::LinearLayout &result)
    : c(c), rows(rows), address(address), offsets(type.getLayout().inverse()) {
  access.instruction = layout::SharedInstruction::MatrixTransposed;
  access.elements = 4;
  access.matrices = 4;
  access.wavefronts = access.idealWavefronts = access.matrices;
  // Lanes 4 i to 4 i + 3 get 16 bytes along k, four each: two of each of the first two matrices, and
  // the same of the other two 16 further on. Matrices of which each has the same half of all fours
  // would have rows 8 apart, in the same banks; so the upper lanes have their halves in turn.
  for (uint64_t k : {1, 4, 8 ^ 2, 2, 16})
    access.address.lane.push_back(offsetOf(0, k));
  for (layout::Vector basis : result.bases(layout::Warp))
    access.address.warp.push_back(offsetOf(layout::unpack(result.outputs(), basis)[rows], 0));
  llvm::Value *isInTurn =
      c.b.CreateICmpNE(c.b.CreateAnd(c.threads.lane(), c.b.getInt32(2)), c.b.getInt32(0));
  for (uint32_t odd : {0, 0x1111})
    selectors[odd != 0] = c.b.CreateSelect(isInTurn, c.b.getInt32(0x2064 + odd),
                                           c.b.getInt32(0x6420 + odd));
}

layout::Vector TurnedFactor::offsetOf(uint64_t row, uint64_t k) const {
  layout::Coordinates at = {k, k};
  at[rows] = row;
  return offsets(layout::pack(offsets.inputs(), at));
}

llvm::SmallVector<llvm::Value *, 4> TurnedFactor::words(uint64_t row, uint64_t k) {
  c.shared.countRead(access, 1);
  auto [place, rest] = c.threads.applyAndOffset(access.address, offsetOf(row, k));
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

} // namespace nereid::backend::nvptx
