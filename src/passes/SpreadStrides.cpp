// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops in which neighbouring threads begin side by side and go on by one step, such as
// `range(cuda.grid(1), n, cuda.gridsize(1))`. As long as the last of them is under the bound, all
// are, and the counter is a number with a range beside it: loads and stores of such turns are of
// neighbours, without masks.
#include "passes/Spreader.h"

#include <limits>

using namespace mlir;

namespace nereid::passes {

/// What is written twice is short, and has no memory of its own and no loops in which threads part.
static bool mayBeRepeated(scf::ForOp op, const analysis::Uniformity &uniformity) {
  constexpr unsigned mostOperations = 200;
  unsigned count = 0;
  auto visited = op.getBody()->walk([&](Operation *each) {
    bool isOwn = llvm::isa<tile::LocalOp, tile::SharedOp>(each);
    bool isParted = llvm::isa<scf::ForOp, scf::WhileOp>(each) && uniformity.parts(each);
    return isOwn || isParted || ++count > mostOperations ? WalkResult::interrupt()
                                                         : WalkResult::advance();
  });
  return !visited.wasInterrupted();
}

std::optional<Spreader::Start> Spreader::startOf(scf::ForOp op) {
  Value lower = op.getLowerBound();
  if (op.getUnsignedCmp() || !uniformity.differs(lower) || uniformity.differs(op.getUpperBound()) ||
      uniformity.differs(op.getStep()) || !mayBeRepeated(op, uniformity))
    return std::nullopt;
  if (!ranges)
    ranges.emplace(kernel);
  constexpr int64_t mostThreads = 1024;
  auto mostOf = [&](Value offset) -> std::optional<int64_t> {
    llvm::ConstantRange range = ranges->rangeOf(offset, op);
    bool isFew = range.getSignedMin().isNonNegative() && range.getSignedMax().slt(mostThreads);
    return isFew ? std::optional(range.getSignedMax().getSExtValue()) : std::nullopt;
  };
  if (auto most = mostOf(lower))
    return Start{{}, lower, *most};
  auto sum = lower.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return std::nullopt;
  for (unsigned which : {0u, 1u}) {
    Value offset = sum->getOperand(which), base = sum->getOperand(1 - which);
    auto most = mostOf(offset);
    if (uniformity.differs(base) || !most)
      continue;
    llvm::ConstantRange range = ranges->rangeOf(base, op);
    bool wraps = false;
    (void)range.getSignedMax().sadd_ov(llvm::APInt(range.getBitWidth(), mostThreads), wraps);
    if (range.getSignedMin().isNonNegative() && !wraps)
      return Start{base, offset, *most};
  }
  return std::nullopt;
}

/// The turns in which every thread is. Returns where the counters are then; `carried` has what the
/// turns made of it. They end so far from the largest number that the next counters do not wrap.
Value Spreader::emitWholeTurns(scf::ForOp op, const Start &start, SmallVectorImpl<Value> &carried) {
  Location loc = op.getLoc();
  unsigned bits = op.getStep().getType().getIntOrFloatBitWidth();
  auto number = [&](int64_t value) { return lanes.integer(value, bits); };
  Value upper = now(op.getUpperBound()), given = now(op.getStep());
  Value base = start.base ? now(start.base) : number(0), zero = number(0), one = number(1);
  Value step = arith::MaxSIOp::create(b, loc, given, one);
  int64_t largest = llvm::maxIntN(bits);
  Value end = arith::MaxSIOp::create(b, loc, upper, base);
  end = arith::SubIOp::create(b, loc, end, number(start.most));
  Value farthest = arith::SubIOp::create(b, loc, number(largest - start.most), step);
  end = arith::MinSIOp::create(b, loc, end, farthest);
  Value span = arith::MaxSIOp::create(b, loc, arith::SubIOp::create(b, loc, end, base), zero);
  // Rounded up without a sum that could wrap.
  Value before = arith::MaxSIOp::create(b, loc, arith::SubIOp::create(b, loc, span, one), zero);
  Value turns = arith::AddIOp::create(b, loc, arith::DivUIOp::create(b, loc, before, step), one);
  auto isMore = [&](Value value) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, value, zero).getResult();
  };
  Value isAny = arith::AndIOp::create(b, loc, isMore(span), isMore(given));
  turns = arith::SelectOp::create(b, loc, isAny, turns, zero);
  Value offset = spread(start.offset);
  auto counterAt = [&](Value turn) {
    Value at = arith::AddIOp::create(b, loc, base, arith::MulIOp::create(b, loc, turn, step));
    return arith::AddIOp::create(b, loc, lanes.spread(at), offset).getResult();
  };
  auto loop = scf::ForOp::create(b, loc, zero, turns, one, carried);
  {
    OpBuilder::InsertionGuard guard(b);
    if (!loop.getBody()->empty())
      loop.getBody()->back().erase();
    b.setInsertionPointToStart(loop.getBody());
    set(op.getInductionVar(), counterAt(loop.getInductionVar()));
    for (auto [old, argument] : llvm::zip(op.getRegionIterArgs(), loop.getRegionIterArgs()))
      set(old, argument);
    emit(*op.getBody());
    lanes.at(loc);
    SmallVector<Value> yielded;
    for (Value value : op.getYieldedValues())
      yielded.push_back(spread(value));
    scf::YieldOp::create(b, loc, yielded);
  }
  carried.assign(loop.result_begin(), loop.result_end());
  return counterAt(turns);
}

} // namespace nereid::passes
