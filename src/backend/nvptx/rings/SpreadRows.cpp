// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/rings/SpreadRows.h"

#include "analysis/Aliasing.h"
#include "analysis/AxisInfo.h"
#include "backend/gpu/tiles/Pieces.h"
#include "backend/nvptx/Passes.h"
#include "backend/nvptx/rings/RowLoads.h"
#include "dialect/tile/EraseUnused.h"
#include "dialect/tile/Remark.h"
#include "dialect/tile/SourcePlace.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <bit>

using namespace mlir;

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_SPREADROWS
#include "backend/nvptx/Passes.h.inc"

unsigned blocksOfProgram(func::FuncOp kernel) {
  auto cluster = kernel->getAttrOfType<IntegerAttr>(nv::clusterAttr);
  return cluster ? unsigned(cluster.getInt()) : 1;
}

namespace {

class RowSpreader {
public:
  RowSpreader(func::FuncOp kernel, const Policy &policy)
      : kernel(kernel), policy(policy), aliasing(kernel) {}

  void run() {
    const unsigned most = std::bit_floor(policy.cluster_blocks);
    Operation *row = findRow();
    if (most < 2 || !row)
      return;
    axes.emplace(kernel);
    if (Operation *other = findOther()) {
      tile::remark(row, RemarkId::row_not_spread, tile::placeText(other->getLoc()));
      return;
    }
    const uint64_t pieces = std::bit_ceil(llvm::divideCeil(size * words, policy.slice_registers));
    spread(unsigned(std::min<uint64_t>(pieces, most)));
  }

private:
  /// The reduction of the longest row, if it is worth more than two blocks. Its length is that of
  /// all rows that are spread, and shorter ones are each block's own.
  Operation *findRow() {
    Operation *found = nullptr;
    kernel.walk([&](tile::ReduceOp reduce) {
      for (Value source : reduce.getSources()) {
        const int64_t length = tile::elementCount(source.getType());
        if (tile::shapeOf(source.getType()).size() != 1 || length < size)
          continue;
        found = length > size ? reduce : found;
        size = length;
        words = std::max<uint64_t>(words, registerBytesOf(source.getType()) / (4 * length));
      }
    });
    return uint64_t(size) * words > 2 * policy.slice_registers ? found : nullptr;
  }

  bool isWide(Value value) const { return isWide(value.getType()); }
  bool isWide(Type type) const { return tile::isTile(type) && tile::elementCount(type) >= size; }
  bool isWhole(Type type) const {
    return tile::shapeOf(type).size() == 1 && tile::elementCount(type) == size;
  }
  bool touchesRow(Operation *op) const {
    return llvm::any_of(op->getOperands(), [&](Value value) { return isWide(value); });
  }
  bool makesRow(Operation *op) const {
    return llvm::any_of(op->getResults(), [&](Value value) { return isWide(value); });
  }

  /// What blocks that have a part of the rows each cannot do together; null if there is nothing.
  Operation *findOther() {
    Operation *other = nullptr;
    llvm::SmallVector<Operation *> accesses;
    kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (tile::accessOf(op).touchesMemory() && op->getNumRegions() == 0)
        accesses.push_back(op);
      if (!isDoneApart(op))
        other = op;
      return other                                         ? WalkResult::interrupt()
             : llvm::isa<tile::ReduceOp, tile::ScanOp>(op) ? WalkResult::skip()
                                                           : WalkResult::advance();
    });
    for (size_t i = 0; !other && i < accesses.size(); ++i)
      for (size_t j = 0; j <= i; ++j)
        if ((j < i || accesses[i]->getParentOfType<LoopLikeOpInterface>()) &&
            mayMeetInOthers(accesses[i], accesses[j]))
          other = accesses[i];
    return other;
  }

  bool isDoneApart(Operation *op) const {
    auto isRowOrNone = [&](Type type) { return !isWide(type) || isWhole(type); };
    if (!llvm::all_of(op->getOperandTypes(), isRowOrNone) ||
        !llvm::all_of(op->getResultTypes(), isRowOrNone) ||
        llvm::any_of(op->getRegions(), [&](Region &region) {
          return llvm::any_of(region.getArgumentTypes(), [&](Type type) { return isWide(type); });
        }))
      return false;
    if (auto reduce = llvm::dyn_cast<tile::ReduceOp>(op))
      return !touchesRow(op) || llvm::all_of(reduce.getSources(), [](Value source) {
        return tile::elementOf(source.getType()).isIntOrFloat();
      });
    if (llvm::isa<tile::StoreOp>(op) || (llvm::isa<tile::AtomicRmwOp>(op) && op->use_empty()))
      return !tile::accessOf(op).isOrdered();
    if (auto load = llvm::dyn_cast<tile::LoadOp>(op))
      return !load.getIsVolatile() && !tile::accessOf(op).isOrdered();
    if (op->getNumRegions() > 0)
      return !makesRow(op) && llvm::isa<scf::ForOp, scf::IfOp, tile::ScanOp>(op) && !touchesRow(op);
    if (!isMemoryEffectFree(op) || tile::accessOf(op).touchesMemory() ||
        llvm::isa<tile::DotOp, tile::AssemblyOp>(op))
      return false;
    return makesRow(op) ? gpu::hasPieces(op) : !touchesRow(op);
  }

  /// Whether it is another one in each round: what a block touches in one may be what another block
  /// has touched in the round before.
  static bool isMadeInRounds(Value pointer) {
    Operation *around = pointer.getParentBlock()->getParentOp();
    return llvm::isa<LoopLikeOpInterface>(around) || around->getParentOfType<LoopLikeOpInterface>();
  }

  /// Whether a block may write what another one reads or writes: of those nobody is first. What is
  /// no row the first block alone writes.
  bool mayMeetInOthers(Operation *op, Operation *earlier) {
    tile::Access a = tile::accessOf(op), b = tile::accessOf(earlier);
    if ((!a.writes && !b.writes) || !aliasing.mayMeet(a.pointer, b.pointer) ||
        isOneSum(op, earlier))
      return false;
    if (a.writes && b.writes && !isWide(a.pointer) && !isWide(b.pointer))
      return false;
    return a.pointer != b.pointer || !isWide(a.pointer) || isMadeInRounds(a.pointer) ||
           !analysis::isDistinct(*axes, a.pointer);
  }

  /// Whether nobody can tell which of two atomics was first.
  static bool isOneSum(Operation *op, Operation *other) {
    auto a = llvm::dyn_cast<tile::AtomicRmwOp>(op), b = llvm::dyn_cast<tile::AtomicRmwOp>(other);
    return a && b && a.getKind() == b.getKind() && a.getKind() != tile::AtomicKind::Exchange;
  }

  void spread(unsigned blocks) {
    llvm::SmallVector<Operation *> ops;
    kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      ops.push_back(op);
      return llvm::isa<tile::ReduceOp, tile::ScanOp>(op) ? WalkResult::skip()
                                                         : WalkResult::advance();
    });
    Location loc = kernel.getLoc();
    OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
    auto constant = [&](int64_t value) {
      return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
    };
    const int64_t length = size / blocks;
    Value block = nv::BlockOfProgramOp::create(b, loc, b.getI32Type());
    Value first = arith::MulIOp::create(b, loc, block, constant(length));
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, block, constant(0));
    gpu::Pieces pieces(b, first, length);
    llvm::SmallVector<Operation *> replaced;
    for (Operation *op : ops) {
      b.setInsertionPoint(op);
      if (auto reduce = llvm::dyn_cast<tile::ReduceOp>(op); reduce && touchesRow(op)) {
        reduceTogether(reduce, pieces, b, blocks);
        replaced.push_back(op);
      } else if (llvm::isa<tile::StoreOp, tile::AtomicRmwOp>(op)) {
        if (touchesRow(op)) {
          pieces.cloneEffect(op, 0);
          replaced.push_back(op);
        } else {
          doInFirst(op, isFirst, b);
        }
      } else if (makesRow(op)) {
        for (Value result : op->getResults())
          pieces.of(result, 0);
      }
    }
    for (Operation *op : llvm::reverse(replaced))
      op->erase();
    tile::eraseUnused(kernel);
    takeFewerWarps(length);
    kernel->setAttr(nv::clusterAttr, b.getI32IntegerAttr(blocks));
  }

  /// The author's warps are many for the whole row, and meet more often the more they are.
  void takeFewerWarps(int64_t length) {
    auto asked = kernel->getAttrOfType<nv::ConfigurationAttr>(nv::configurationAttr);
    const auto most = std::bit_floor(
        std::max<uint64_t>(length / (policy.elements_of_thread_that_shares * target::warpSize), 1));
    kernel->setAttr(nv::configurationAttr,
                    nv::ConfigurationAttr::get(kernel.getContext(), asked.getSm(),
                                               unsigned(std::min<uint64_t>(asked.getWarps(), most)),
                                               asked.getStages(), asked.getRegisters(),
                                               asked.getBoxes(), asked.getPolicy()));
  }

  /// Each block its part, then what all of them have, in the order of their parts.
  void reduceTogether(tile::ReduceOp reduce, gpu::Pieces &pieces, OpBuilder &b, unsigned blocks) {
    Location loc = reduce.getLoc();
    llvm::SmallVector<Value> parts;
    for (Value source : reduce.getSources())
      parts.push_back(pieces.of(source, 0));
    Operation *own = b.clone(*reduce);
    own->setOperands(parts);
    llvm::SmallVector<Type> types;
    for (Type type : own->getResultTypes())
      types.append(blocks, type);
    auto gathered = nv::GatherBlocksOp::create(b, loc, types, own->getResults(), blocks);
    using Values = llvm::SmallVector<Value>;
    llvm::SmallVector<Values> all(blocks);
    for (auto [i, value] : llvm::enumerate(gathered.getResults()))
      all[i % blocks].push_back(value);
    for (; all.size() > 1; all.truncate(all.size() / 2))
      for (size_t i = 0; i < all.size() / 2; ++i)
        all[i] = combine(reduce, all[2 * i], all[2 * i + 1], b);
    reduce->replaceAllUsesWith(all.front());
  }

  static llvm::SmallVector<Value> combine(tile::ReduceOp reduce, ValueRange a, ValueRange c,
                                          OpBuilder &b) {
    mlir::Block &body = reduce.getCombine().front();
    IRMapping map;
    for (size_t i = 0; i < a.size(); ++i) {
      map.map(body.getArgument(i), a[i]);
      map.map(body.getArgument(a.size() + i), c[i]);
    }
    for (Operation &op : body.without_terminator())
      b.clone(op, map);
    llvm::SmallVector<Value> results;
    for (Value yielded : body.getTerminator()->getOperands())
      results.push_back(map.lookupOrDefault(yielded));
    return results;
  }

  /// What is no row's is written once.
  static void doInFirst(Operation *op, Value isFirst, OpBuilder &b) {
    Value mask = tile::accessOf(op).mask;
    Value pointer = tile::accessOf(op).pointer;
    Value own = isFirst;
    if (tile::isTile(pointer.getType()))
      own = tile::SplatOp::create(b, op->getLoc(),
                                  tile::withElement(pointer.getType(), isFirst.getType()), isFirst);
    if (mask)
      own = arith::AndIOp::create(b, op->getLoc(), mask, own);
    if (auto store = llvm::dyn_cast<tile::StoreOp>(op))
      store.getMaskMutable().assign(own);
    else
      llvm::cast<tile::AtomicRmwOp>(op).getMaskMutable().assign(own);
  }

  func::FuncOp kernel;
  const Policy &policy;
  std::optional<analysis::AxisAnalysis> axes; // of kernels that have such rows
  analysis::Aliasing aliasing;
  int64_t size = 0;   // of a row
  uint64_t words = 1; // of an element, in registers
};

struct SpreadRows final : ConfiguredPass<impl::SpreadRowsBase<SpreadRows>, SpreadRows> {
  void run(func::FuncOp kernel, const Configuration &configuration) {
    if (configuration.usesBoxes && configuration.target.hasCopyEngine)
      RowSpreader(kernel, configuration.policy).run();
  }
};

} // namespace

} // namespace nereid::backend::nvptx
