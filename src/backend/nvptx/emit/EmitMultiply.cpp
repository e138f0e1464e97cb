// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of warpgroups.
#include "backend/nvptx/emit/Emit.h"
#include "backend/nvptx/emit/TurnedFactor.h"
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
  if (!type || op.getTurned() != nv::Turned::None)
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

/// A factor in shared memory, of which this warpgroup's part begins where its sums do.
static WgmmaFactor factorOf(KernelContext &c, Value factor, unsigned depthDimension,
                            const layout::LinearLayout &result) {
  auto type = llvm::cast<nv::SharedType>(factor.getType());
  while (auto view = factor.getDefiningOp<nv::ViewOp>())
    factor = view.getSource();
  auto slot = factor.getDefiningOp<nv::SlotOp>();
  llvm::Value *room = c.scalar(slot ? slot.getRoom() : factor);
  llvm::Value *distance = groupDistance(c.threads, type, result, 1 - depthDimension);
  return WgmmaFactor(c.b, type, depthDimension,
                     {c.b.CreateAdd(room, distance), slot ? c.scalar(slot.getIndex()) : nullptr});
}

/// Sums that nothing has added to yet.
static bool isFresh(Value sums) {
  return matchPattern(sums, m_PosZeroFloat()) || matchPattern(sums, m_Zero());
}

/// Whether they are not in flight, and have passed no fence.
static bool isWrittenByThreads(Value sums) {
  Operation *source = sums.getDefiningOp();
  return source && !llvm::isa<nv::MultiplyOp>(source);
}

/// Step by step along the depth: the next step's words of the turned factor are read while
/// instructions multiply those of the step before. Each step is a group of its own, so that what
/// waits for all but some products waits for as many steps, which is more. Registers are written
/// when the instructions that read them are done (docs/decisions/0025-register-factors.md).
static void emitTurned(KernelContext &c, nv::MultiplyOp op) {
  const bool isRight = op.getTurned() == nv::Turned::Right;
  Value turned = isRight ? op.getRhs() : op.getLhs(), other = isRight ? op.getLhs() : op.getRhs();
  const unsigned rows = isRight ? 1 : 0, columns = 1 - rows; // of instructions, in the result
  auto turnedType = llvm::cast<nv::SharedType>(turned.getType());
  const layout::LinearLayout result = op.resultLayout();
  Wgmma wgmma(c.b, turnedType.getElementType(),
              llvm::cast<nv::SharedType>(other.getType()).getElementType(), op.getColumns());
  WgmmaFactor beside = factorOf(c, other, rows, result);
  if (keepsDescriptors(op, c.policy.kept_descriptors))
    beside.keepDescriptors();
  std::vector<uint64_t> rowsOfWarps;
  for (layout::Vector basis : result.bases(layout::Warp))
    rowsOfWarps.push_back(layout::unpack(result.outputs(), basis)[rows]);
  TurnedFactor factor(c, turnedType, c.scalar(turned), rows, rowsOfWarps);

  Registers sums = c.registersOf(op.getAccumulator());
  const bool begins = isFresh(op.getAccumulator());
  if (begins)
    llvm::fill(sums, llvm::PoisonValue::get(sums[0]->getType()));
  const bool isWritten = !begins && isWrittenByThreads(op.getAccumulator());
  const uint64_t depth = turnedType.getShape()[1 - rows];
  const auto placeOf = [&](unsigned first) {
    return layout::unpack(result.outputs(), result(first));
  };
  for (uint64_t k = 0; k < depth; k += wgmma.depth()) {
    // A single step has the registers of the round before.
    emitPtx(c.b, awaitGroups(depth > wgmma.depth() ? 1 : 0));
    llvm::DenseMap<uint64_t, size_t> wordsOfRows; // where the words of these rows begin
    Registers written;
    for (unsigned first = 0; first < sums.size(); first += wgmma.sumLanes()) {
      const uint64_t row = placeOf(first)[rows];
      if (wordsOfRows.try_emplace(row, written.size()).second)
        llvm::append_range(written, factor.words(row, k));
    }
    const size_t words = written.size();
    if (isWritten && k == 0)
      written.append(sums);
    wgmma.begin(written);
    if (written.size() > words)
      llvm::copy(llvm::ArrayRef(written).drop_front(words), sums.begin());
    for (unsigned first = 0; first < sums.size(); first += wgmma.sumLanes()) {
      const layout::Coordinates at = placeOf(first);
      layout::Coordinates otherAt = {k, k};
      otherAt[columns] = at[columns];
      if (begins && k == 0)
        wgmma.startFresh();
      wgmma.emit(llvm::MutableArrayRef(sums).slice(first, wgmma.sumLanes()),
                 llvm::ArrayRef(written).slice(wordsOfRows.at(at[rows]), wgmma.lhsWords()),
                 beside.descriptor(otherAt), /*isRhsTransposed=*/false);
    }
    wgmma.commit();
  }
  c.values[op.getResult()] = std::move(sums);
}

void emitMultiply(KernelContext &c, nv::MultiplyOp op) {
  if (op.getTurned() != nv::Turned::None)
    return emitTurned(c, op);
  auto lhsType = llvm::dyn_cast<nv::SharedType>(op.getLhs().getType());
  auto rhsType = llvm::cast<nv::SharedType>(op.getRhs().getType());
  layout::LinearLayout result = op.resultLayout();
  Type lhsElement = lhsType ? lhsType.getElementType() : tile::elementOf(op.getLhs().getType());
  Wgmma wgmma(c.b, lhsElement, rhsType.getElementType(), op.getColumns());
  WgmmaFactor rhs = factorOf(c, op.getRhs(), 0, result);
  std::optional<WgmmaFactor> lhs;
  if (keepsDescriptors(op, c.policy.kept_descriptors))
    rhs.keepDescriptors();
  // Packed, four words for each step of the instruction.
  llvm::SmallVector<llvm::Value *, 4> lhsWords;
  llvm::DenseMap<layout::Vector, unsigned> lhsRegisters;
  layout::Spaces lhsSpaces;
  if (lhsType) {
    lhs.emplace(factorOf(c, op.getLhs(), 1, result));
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
  const bool begins = isFresh(op.getAccumulator());
  if (begins)
    llvm::fill(sums, llvm::PoisonValue::get(sums[0]->getType()));
  Registers written(lhsWords.begin(), lhsWords.end());
  if (!begins && isWrittenByThreads(op.getAccumulator()))
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
      if (begins && k == 0)
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
