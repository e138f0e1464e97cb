// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpret/doubts/DoubtAnalysis.h"

#include "dialect/tile/Access.h"
#include "dialect/tile/Lanes.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::interpret {

using Values = llvm::SmallVector<Value, 4>;

static bool isCombiner(Operation *op) { return isa<tile::ReduceOp, tile::ScanOp>(op); }

static Value yielded(Block *block, unsigned index) {
  return block ? block->getTerminator()->getOperand(index) : Value();
}

static Values sourcesOfResult(OpResult result) {
  Operation *op = result.getOwner();
  unsigned index = result.getResultNumber();
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return {yielded(branch.thenBlock(), index), yielded(branch.elseBlock(), index)};
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return {loop.getInitArgs()[index], yielded(loop.getBody(), index)};
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return {loop.getConditionOp().getArgs()[index]};
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return {load.getOther()};
  if (isa<tile::AtomicRmwOp, tile::AtomicCasOp>(op))
    return {};
  if (isCombiner(op))
    return Values(op->getRegion(0).front().getTerminator()->getOperands());
  return Values(op->operand_begin(), op->operand_end());
}

static Values sourcesOfArgument(BlockArgument argument) {
  Operation *op = argument.getOwner()->getParentOp();
  unsigned index = argument.getArgNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (index == 0)
      return {loop.getLowerBound(), loop.getStep()};
    return {loop.getInitArgs()[index - 1], yielded(loop.getBody(), index - 1)};
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    if (argument.getOwner() == loop.getAfterBody())
      return {loop.getConditionOp().getArgs()[index]};
    return {loop.getInits()[index], yielded(loop.getAfterBody(), index)};
  }
  if (isCombiner(op)) { // what is combined so far, and what comes to it
    unsigned number = op->getNumOperands();
    return {op->getOperand(index % number), yielded(argument.getOwner(), index % number)};
  }
  return {};
}

/// The values that can become `value`, or that it is computed from. Some may be null.
static Values sourcesOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return sourcesOfArgument(argument);
  return sourcesOfResult(cast<OpResult>(value));
}

/// Operations through which a number that wrapped stays a wrong number. Bits that are cut out or
/// compared, and numbers read as unsigned, are what somebody computes who wants them to wrap.
static bool keepsNumbers(Operation *op) {
  if (isCombiner(op))
    return llvm::all_of(op->getRegion(0).front().without_terminator(),
                        [](Operation &inside) { return keepsNumbers(&inside); });
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp, arith::DivSIOp,
             arith::RemSIOp, arith::MinSIOp, arith::MaxSIOp, arith::ExtSIOp, arith::SelectOp,
             tile::OffsetOp, tile::PointerCastOp, tile::ReshapeOp, tile::JoinOp, tile::SplitOp,
             tile::GatherOp, scf::IfOp, scf::ForOp, scf::WhileOp>(op) ||
         tile::movesLanes(op);
}

static bool isInteger(Type type) { return isa<IntegerType>(tile::elementOf(type)); }

DoubtKinds passedBy(Operation *op) {
  DoubtKinds passed = allDoubts;
  if (!keepsNumbers(op))
    passed &= DoubtKinds(~addressDoubts);
  bool isDecision = op->getNumResults() == 1 && isInteger(op->getResult(0).getType()) &&
                    op->getNumOperands() && !isInteger(op->getOperand(0).getType()) &&
                    !isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op);
  if (isDecision) // a comparison of floats, or one made an integer
    passed &= DoubtKinds(~only(DoubtKind::NotFinite));
  return passed;
}

static Operation *ownerOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner()->getParentOp();
  return value.getDefiningOp();
}

/// The values that the pointers of accesses are computed from, as far as a wrong number among them
/// makes a wrong address.
void DoubtAnalysis::findAddresses(func::FuncOp kernel) {
  Values open;
  kernel.walk([&](Operation *op) {
    if (Value pointer = tile::accessOf(op).pointer)
      open.push_back(pointer);
  });
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *owner = ownerOf(value);
    bool isFollowed = isCombiner(owner) || keepsNumbers(owner);
    if (!inAddresses.insert(value).second || !isFollowed)
      continue;
    for (Value source : sourcesOf(value))
      if (source)
        open.push_back(source);
  }
}

static bool isNeverZero(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    Attribute constant;
    if (matchPattern(value, m_Constant(&constant))) {
      if (auto integer = dyn_cast<IntegerAttr>(constant))
        return !integer.getValue().isZero();
      auto elements = dyn_cast<DenseIntElementsAttr>(constant);
      return elements && llvm::none_of(elements.getValues<llvm::APInt>(),
                                       [](const llvm::APInt &x) { return x.isZero(); });
    }
    if (!tile::movesLanes(op) && !isa<arith::ExtSIOp, arith::ExtUIOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

static bool isFloat(Value value) { return isa<FloatType>(tile::elementOf(value.getType())); }

bool DoubtAnalysis::raisesInside(Operation *op) const {
  return isCombiner(op) && llvm::any_of(op->getRegion(0).getOps(), [&](Operation &inside) {
           return inside
               .walk([&](Operation *each) {
                 return raisedBy(each) ? WalkResult::interrupt() : WalkResult::advance();
               })
               .wasInterrupted();
         });
}

/// An operation that combines elements inside a reduction or scan.
static bool isCombining(Operation *op) {
  return op->getParentOfType<tile::ReduceOp>() || op->getParentOfType<tile::ScanOp>();
}

DoubtKinds DoubtAnalysis::raisedBy(Operation *op) const {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return load.getMask() && !load.getOther() ? only(DoubtKind::Undefined) : 0;
  if (auto atomic = dyn_cast<tile::AtomicRmwOp>(op))
    return atomic.getMask() && !atomic->use_empty() ? only(DoubtKind::Undefined) : 0;
  if (isa<tile::AtomicCasOp>(op))
    return 0;
  if (op->getNumResults() == 0)
    return 0;
  Value result = op->getResult(0);
  bool isInAddress = inAddresses.contains(result);
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp>(op))
    return isInAddress ? only(DoubtKind::Wrapped) : 0;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return isNeverZero(op->getOperand(1)) ? 0 : only(DoubtKind::DividedByZero);
  if (auto hint = dyn_cast<tile::HintOp>(op)) {
    bool isSingle = !tile::isTile(result.getType()) || tile::pointeeOf(result.getType());
    bool isChecked = isSingle && isInAddress && !isCombining(op) &&
                     hint.getKind() == tile::HintKind::Divisibility;
    return isChecked ? only(DoubtKind::BrokenPromise) : 0;
  }
  bool isComputed = isFloat(result) && op->getNumOperands() && !tile::movesLanes(op) &&
                    !isa<arith::SelectOp, arith::BitcastOp, tile::ReshapeOp, tile::JoinOp,
                         tile::SplitOp, tile::GatherOp, scf::IfOp, scf::ForOp, scf::WhileOp>(op);
  return findsNonFinite && isComputed && !isCombining(op) ? only(DoubtKind::NotFinite) : 0;
}

/// Whether something was learned.
bool DoubtAnalysis::spread(Value value, Operation *op) {
  DoubtKinds found = 0;
  auto add = [&](ValueRange sources, DoubtKinds passed) {
    for (Value source : sources)
      if (source)
        found |= kinds.lookup(source) & passed;
  };
  bool isResult = !isa<BlockArgument>(value);
  add(sourcesOf(value), isCombiner(op) ? allDoubts : passedBy(op));
  if (isCombiner(op) && isResult)
    add(op->getOperands(), passedBy(op));
  if (isResult)
    found |= raisedBy(op);
  if (!found)
    return false;
  DoubtKinds &known = kinds[value];
  bool isNews = (known | found) != known;
  known |= found;
  return isNews;
}

DoubtAnalysis::DoubtAnalysis(func::FuncOp kernel, bool findsNonFinite)
    : findsNonFinite(findsNonFinite) {
  findAddresses(kernel);
  for (bool isNews = true; isNews;) {
    isNews = false;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Value result : op->getResults())
        isNews |= spread(result, op);
      // What a reduction or scan does inside is seen as one step where nothing begins there.
      if (isCombiner(op) && !raisesInside(op))
        return WalkResult::skip();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            isNews |= spread(argument, op);
      return WalkResult::advance();
    });
  }
}

} // namespace nereid::interpret
