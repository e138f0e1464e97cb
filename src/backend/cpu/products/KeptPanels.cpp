// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/products/KeptPanels.h"

#include "analysis/Aliasing.h"
#include "backend/cpu/nests/WholeMask.h"
#include "backend/cpu/products/DotEmitter.h"
#include "backend/cpu/products/ResultReaders.h"
#include "dialect/tile/Elements.h"
#include "dialect/tile/Lanes.h"
#include "dialect/tile/Remark.h"
#include "dialect/tile/SourcePlace.h"

using namespace mlir;

namespace nereid::backend::cpu {

/// For all dots of a kernel: half of a second-level cache, which has 2 MiB where there is AMX, with
/// AVX-512 mostly one and before that 256 KiB. The other half is for sums and left factors.
static int64_t mostKeptBytes(const target::CpuTarget &cpu) {
  return cpu.has("amx-bf16") ? 1 << 20 : cpu.vectorBytes == 64 ? 1 << 19 : 1 << 17;
}
/// With fewer rows in a tile there are seldom other tiles of rows.
static constexpr int64_t leastRows = 32;
/// So many programs in a row may find nothing before the launch's others do not look any more.
static constexpr int64_t mostInVain = 3;

tile::LoadOp KeptPanels::loadOf(tile::DotOp op, llvm::function_ref<bool(Value)> isStored) {
  Value factor = op.getRhs();
  while (Operation *made = isStored(factor) ? nullptr : factor.getDefiningOp()) {
    if (auto load = llvm::dyn_cast<tile::LoadOp>(made))
      return load;
    if (made->getNumOperands() != 1)
      break;
    Type type = factor.getType();
    factor = made->getOperand(0);
    bool isTile = tile::movesLanes(made) && tile::isTile(factor.getType());
    if (!isTile || tile::elementCount(factor.getType()) != tile::elementCount(type))
      break;
  }
  return {};
}

KeptPanels::KeptPanels(tile::DotOp op, const DotShape &shape, const target::CpuTarget &cpu,
                       llvm::function_ref<bool(Value)> isStored) {
  auto loop = llvm::dyn_cast<scf::ForOp>(op->getParentOp());
  if (!loop || shape.m < leastRows || loop.isDefinedOutsideOfLoop(op.getRhs()))
    return;
  tile::LoadOp load = loadOf(op, isStored);
  if (!load || load->getBlock() != op->getBlock() || load.getIsVolatile() ||
      tile::shapeOf(load.getType()).size() != 2 || !tile::baseOf(load.getPointer())) {
    declined = "it is no tile of a parameter's array, multiplied as it was loaded in the round";
    return;
  }
  auto function = op->getParentOfType<func::FuncOp>();
  int64_t dots = 0;
  function.walk([&](tile::DotOp) { ++dots; });
  int64_t room = mostKeptBytes(cpu) / dots, most = room / shape.rhsBytes();
  Operation *writer = analysis::Aliasing(function).findWriter(load, function);
  if (most <= 1)
    declined =
        llvm::formatv("{0} bytes of a round's do not fit twice into the {1} that there are for it",
                      shape.rhsBytes(), room);
  else if (writer)
    declined = "what stands at " + tile::placeText(writer->getLoc()) +
               " may write it, or waits for who does";
  else
    rounds = most;
}

void remarkKept(tile::DotOp op, const DotShape &shape, const target::CpuTarget &cpu,
                llvm::function_ref<bool(Value)> isStored) {
  if (!tile::wantsRemarks(op))
    return;
  KeptPanels kept(op, shape, cpu, isStored);
  if (!kept.declined.empty())
    tile::remark(op, RemarkId::panels_not_kept, kept.declined);
}

static auto storedIn(const KernelEmitter &kernel) {
  return [&kernel](Value tile) { return kernel.storage().isStored(tile); };
}

void forgetEarlierPanels(KernelEmitter &kernel, func::FuncOp function, llvm::Value *context) {
  Builder &b = kernel.builder();
  llvm::BasicBlock *forget = kernel.newBlock("forget"), *begin = kernel.newBlock("begin");
  llvm::Value *hasBegun = b.CreateLoad(b.getInt64Ty(), kernel.scratch(0));
  // Those who launch without a context clear nothing.
  b.CreateCondBr(b.CreateOr(b.CreateIsNull(context), b.CreateIsNull(hasBegun)), forget, begin);
  b.SetInsertPoint(forget);
  function.walk([&](tile::DotOp op) {
    std::optional<uint64_t> offset = kernel.storage().keptOf(op);
    if (!offset)
      return;
    KeptPanels kept(op, DotShape(op, kernel.cpu()), kernel.cpu(), storedIn(kernel));
    b.CreateMemSet(kernel.scratch(*offset), b.getInt8(0), kept.headBytes(),
                   llvm::Align(scratchAlignment));
  });
  b.CreateStore(b.getInt64(1), kernel.scratch(0));
  b.CreateBr(begin);
  b.SetInsertPoint(begin);
}

/// How many of a tile's first rows and columns are loaded, as one number, which with the tile's
/// place says what it holds; negative where masks leave out others than the last ones.
llvm::Value *DotEmitter::extentsOf(tile::LoadOp load) {
  llvm::ArrayRef<int64_t> dims = tile::shapeOf(load.getType());
  constexpr int bitsOfColumns = 32;
  llvm::Value *whole = b.getInt64((dims[0] << bitsOfColumns) + dims[1]);
  if (!load.getMask())
    return whole;
  std::array<llvm::SmallVector<LineMask, 2>, 2> parts;
  Value other = load.getOther();
  bool isSame = !other || other.getDefiningOp<arith::ConstantOp>();
  if (!isSame || !splitMask(load.getMask(), {0, 1}, parts))
    return b.CreateSelect(isRhsWhole(load), whole, b.getInt64(-1));
  auto first = [&](unsigned dim) -> llvm::Value * {
    return parts[dim].empty() ? b.getInt64(dims[dim]) : emitPrefix(kernel, parts[dim], dims[dim]);
  };
  llvm::Value *rows = first(0), *columns = first(1);
  llvm::Value *both = b.CreateAdd(b.CreateShl(rows, bitsOfColumns), columns);
  return b.CreateSelect(b.CreateICmpSLT(columns, b.getInt64(0)), columns, both);
}

/// Packs the right factor, unless its panels are there; false, and nothing is emitted, where they
/// are never kept.
bool DotEmitter::takeKept() {
  std::optional<uint64_t> region = kernel.storage().keptOf(op);
  tile::LoadOp load = region ? KeptPanels::loadOf(op, storedIn(kernel)) : tile::LoadOp();
  if (load)
    load = loadInPlace(load.getResult());
  if (!load)
    return false;
  std::optional<Lanes> lines = rowsOf(load, /*along=*/1);
  if (!lines)
    lines = rowsOf(load, /*along=*/0);
  if (!lines)
    return false;
  KeptPanels kept(op, shape, kernel.cpu(), storedIn(kernel));
  auto loop = llvm::cast<scf::ForOp>(op->getParentOp());
  llvm::Value *done =
      b.CreateSub(kernel.scalar(loop.getInductionVar()), kernel.scalar(loop.getLowerBound()));
  llvm::Value *round =
      b.CreateZExtOrTrunc(b.CreateUDiv(done, kernel.scalar(loop.getStep())), b.getInt64Ty());
  llvm::Value *head = kernel.scratch(*region);
  llvm::Value *inVain = b.CreateLoad(b.getInt64Ty(), head);
  llvm::Value *isKept = b.CreateAnd(b.CreateICmpULT(round, b.getInt64(kept.rounds)),
                                    b.CreateICmpULT(inVain, b.getInt64(mostInVain)));
  llvm::Value *extents = extentsOf(load);
  isKept = b.CreateAnd(isKept, b.CreateICmpSGE(extents, b.getInt64(0)));
  // What is not kept has the place of no round.
  llvm::Value *place = b.CreateSelect(isKept, round, b.getInt64(kept.rounds));
  auto inHead = [&](llvm::Value *place, int64_t offset) {
    llvm::Value *at = b.CreateAdd(times(place, KeptPanels::keyBytes), b.getInt64(offset));
    return b.CreateGEP(b.getInt8Ty(), head, at);
  };
  llvm::Value *key[KeptPanels::keyWords] = {b.CreatePtrToInt(lines->base, b.getInt64Ty()),
                                            b.CreateSExtOrTrunc(lines->step, b.getInt64Ty()),
                                            extents};
  llvm::Value *isThere = isKept;
  for (int part = 0; part < KeptPanels::keyWords; ++part) {
    llvm::Value *was = b.CreateLoad(
        b.getInt64Ty(), inHead(place, KeptPanels::keyOffset(0) + part * sizeof(uint64_t)));
    isThere = b.CreateAnd(isThere, b.CreateICmpEQ(was, key[part]));
  }
  llvm::Value *isFirst = b.CreateAnd(isKept, b.CreateIsNull(round));
  llvm::Value *vain = b.CreateSelect(isThere, b.getInt64(0), b.CreateAdd(inVain, b.getInt64(1)));
  b.CreateStore(b.CreateSelect(isFirst, vain, inVain), head);

  llvm::Value *panels = kernel.scratch(*region + kept.headBytes());
  llvm::Value *keptAt =
      b.CreateGEP(b.getInt8Ty(), panels, b.CreateMul(place, b.getInt64(shape.rhsBytes())));
  rhs = b.CreateSelect(isKept, keptAt, kernel.scratch(temporary + shape.panelsOffset()));
  llvm::BasicBlock *pack = kernel.newBlock("pack.right"), *right = kernel.newBlock("right");
  b.CreateCondBr(isThere, right, pack);
  b.SetInsertPoint(pack);
  packRhs();
  for (int part = 0; part < KeptPanels::keyWords; ++part)
    b.CreateStore(key[part], inHead(place, KeptPanels::keyOffset(0) + part * sizeof(uint64_t)));
  b.CreateBr(right);
  b.SetInsertPoint(right);
  isRhsThere = isThere;
  return true;
}

} // namespace nereid::backend::cpu
