// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of warpgroups.
#include "backend/nvptx/emit/Emit.h"
#include "backend/nvptx/ptx/FragmentWords.h"
#include "backend/nvptx/ptx/PtxAsm.h"
#include "backend/nvptx/ptx/Wgmma.h"

#include "dialect/nv/LaneSources.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::backend::nvptx {

/// How far behind the beginning of a factor this warpgroup's part begins, the same in all its
/// threads, as the instruction asks. `kept` is the dimension of the result that the factor has too.
static llvm::Value *groupDistance(Threads &threads, nv::SharedType factor,
                                  const layout::LinearLayout &result, unsigned kept) {
  unsigned bytes = tile::byteSizeOf(factor.getElementType());
  layout::OperandImage image = *layout::findImage(factor.getLayout(), bytes);
  std::vector<layout::Vector> ofWarp(2, 0);
  for (layout::Vector basis : result.bases(layout::Warp).subspan(2)) {
    layout::Coordinates at = {0, 0};
    at[kept] = layout::unpack(result.outputs(), basis)[kept];
    ofWarp.push_back(layout::plainOffset(image, at, bytes));
  }
  return threads.applyToWarp(ofWarp);
}

/// How many descriptors its left factor needs, if that lies in shared memory.
static unsigned leftDescriptors(nv::MultiplyOp op) {
  auto type = llvm::dyn_cast<nv::SharedType>(op.getLhs().getType());
  if (!type)
    return 0;
  unsigned sums = 1u << op.resultLayout().bases(layout::Register).size();
  unsigned bytes = tile::byteSizeOf(type.getElementType()), depth = wgmmaDepthBytes / bytes;
  return sums / (op.getColumns() / 2) * (type.getShape()[1] / depth);
}

/// Whether the loop around has uniform registers for those of left factors that all its rounds
/// read. More of them, as attention's backward has, would be moved out of other registers each
/// time.
static bool keepsDescriptors(nv::MultiplyOp op, unsigned most) {
  unsigned count = 0;
  for (auto other : op->getBlock()->getOps<nv::MultiplyOp>())
    count += leftDescriptors(other);
  return count <= most;
}

static std::string awaitGroups(unsigned pending) {
  return "wgmma.wait_group.sync.aligned " + std::to_string(pending) + ";";
}

/// Registers of a left factor that was read in the round before, while the next one is read: were
/// they copied, or not even that, the assembler would give both the same ones, and let products
/// wait for each other. Tensor cores do not look at the bits of tf32 that this clears.
static void keepApart(Builder &b, llvm::MutableArrayRef<llvm::Value *> words) {
  for (llvm::Value *&word : words)
    word = b.CreateAnd(word, b.getInt32(0xFFFFE000));
}

void emitMultiply(KernelContext &c, nv::MultiplyOp op) {
  auto lhsType = llvm::dyn_cast<nv::SharedType>(op.getLhs().getType());
  auto rhsType = llvm::cast<nv::SharedType>(op.getRhs().getType());
  layout::LinearLayout result = op.resultLayout();
  Type lhsElement = lhsType ? lhsType.getElementType() : tile::elementOf(op.getLhs().getType());
  Wgmma wgmma(c.b, lhsElement, rhsType.getElementType(), op.getColumns());
  auto part = [&](Value factor, nv::SharedType type, unsigned depthDimension) {
    while (auto view = factor.getDefiningOp<nv::ViewOp>())
      factor = view.getSource();
    auto slot = factor.getDefiningOp<nv::SlotOp>();
    llvm::Value *room = c.scalar(slot ? slot.getRoom() : factor);
    llvm::Value *distance = groupDistance(c.threads, type, result, 1 - depthDimension);
    return WgmmaFactor(c.b, type, depthDimension,
                       {c.b.CreateAdd(room, distance), slot ? c.scalar(slot.getIndex()) : nullptr});
  };
  WgmmaFactor rhs = part(op.getRhs(), rhsType, 0);
  std::optional<WgmmaFactor> lhs;
  if (keepsDescriptors(op, c.policy.kept_descriptors))
    rhs.keepDescriptors();
  // Packed, four words for each step of the instruction.
  llvm::SmallVector<llvm::Value *, 4> lhsWords;
  llvm::DenseMap<layout::Vector, unsigned> lhsRegisters;
  layout::Spaces lhsSpaces;
  if (lhsType) {
    lhs.emplace(part(op.getLhs(), lhsType, 1));
    if (keepsDescriptors(op, c.policy.kept_descriptors))
      lhs->keepDescriptors();
  } else {
    lhsWords = fragmentWords(c.b, c.registersOf(op.getLhs()), rhsType.getElementType());
    if (lhsElement.isF32() && llvm::isa<BlockArgument>(op.getLhs()))
      keepApart(c.b, lhsWords);
    lhsRegisters = nv::registersByElement(op.lhsLayout());
    lhsSpaces = op.lhsLayout().outputs();
  }
  unsigned perWord = 32 / rhsType.getElementType().getIntOrFloatBitWidth();

  Registers sums = c.registersOf(op.getAccumulator());
  bool isFresh = matchPattern(op.getAccumulator(), m_PosZeroFloat()) ||
                 matchPattern(op.getAccumulator(), m_Zero());
  if (isFresh)
    llvm::fill(sums, llvm::PoisonValue::get(sums[0]->getType()));
  // Sums that come from a product are in flight, and have passed a fence.
  Operation *source = op.getAccumulator().getDefiningOp();
  Registers written(lhsWords.begin(), lhsWords.end());
  if (source && !llvm::isa<nv::MultiplyOp>(source) && !isFresh)
    written.append(sums);
  wgmma.begin(written);
  llvm::copy(llvm::ArrayRef(written).take_front(lhsWords.size()), lhsWords.begin());
  llvm::copy(llvm::ArrayRef(written).drop_front(lhsWords.size()), sums.begin());
  for (unsigned first = 0; first < sums.size(); first += wgmma.sumLanes()) {
    // The place is the first thread's: what its warpgroup adds for the others is in the address.
    layout::Coordinates at = layout::unpack(result.outputs(), result(first));
    auto block = llvm::MutableArrayRef(sums).slice(first, wgmma.sumLanes());
    for (uint64_t k = 0; k < uint64_t(rhsType.getShape()[0]); k += wgmma.depth()) {
      WgmmaDescriptor columns = rhs.descriptor({k, at[1]});
      if (isFresh && k == 0)
        wgmma.startFresh();
      if (lhs) {
        wgmma.emit(block, lhs->descriptor({at[0], k}), lhs->isTransposed(), columns,
                   rhs.isTransposed());
        continue;
      }
      unsigned word = lhsRegisters.at(layout::pack(lhsSpaces, {at[0], k})) / perWord;
      wgmma.emit(block, llvm::ArrayRef(lhsWords).slice(word, wgmma.lhsWords()), columns,
                 rhs.isTransposed());
    }
  }
  wgmma.commit();
  c.values[op.getResult()] = std::move(sums);
}

void emitAwaitProducts(KernelContext &c, nv::AwaitProductsOp op) {
  emitPtx(c.b, awaitGroups(op.getPending()));
}

/// The sums go through the wait, so that nothing that uses them can stand before it.
void emitFinish(KernelContext &c, nv::FinishOp op) {
  Registers sums = c.registersOf(op.getProducts());
  emitPassing(c.b, awaitGroups(op.getPending()), sums);
  c.values[op] = std::move(sums);
}

} // namespace nereid::backend::nvptx
