// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Slice.h"
#include "backend/gpu/Combining.h"
#include "backend/gpu/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::backend::gpu {

namespace {

/// Whether warps have parts of one result, which they tell one another through shared memory.
bool crossesWarps(tile::ReduceOp op) {
  const layout::LinearLayout &layout = nv::layoutOf(op.getSources()[0]);
  return llvm::any_of(layout.bases(layout::Warp), [&](layout::Vector basis) {
    return layout::unpack(layout.outputs(), basis)[op.getAxis()] != 0;
  });
}

/// Whether lanes bring their parts together in the same way: by one operation of the warp, in any
/// order, or the lower one's first.
bool combineAlike(Block &a, Block &b) {
  return wholeReductionsOf(a).has_value() == wholeReductionsOf(b).has_value() &&
         isCommutative(a) == isCommutative(b);
}

const layout::LinearLayout *layoutOfFirst(ValueRange values) {
  Type type = values.front().getType();
  return tile::isTile(type) ? nv::findLayout(type) : nullptr;
}

/// Whether one exchange serves both: elements lie alike, and so do results.
bool meetAlike(tile::ReduceOp a, tile::ReduceOp b) {
  return a.getAxis() == b.getAxis() &&
         tile::shapeOf(a.getSources()[0].getType()) == tile::shapeOf(b.getSources()[0].getType()) &&
         layoutOfFirst(a.getSources()) == layoutOfFirst(b.getSources()) &&
         layoutOfFirst(a.getResults()) == layoutOfFirst(b.getResults()) &&
         combineAlike(a.getCombine().front(), b.getCombine().front());
}

bool mayMove(Operation *op) {
  return isMemoryEffectFree(op) && !llvm::isa<tile::AssemblyOp>(op) &&
         (op->getNumRegions() == 0 || llvm::isa<tile::ReduceOp>(op));
}

/// Moves what `second` is computed from behind `first` before it; false, and nothing is moved, if
/// that is not possible.
bool bringForward(tile::ReduceOp first, tile::ReduceOp second) {
  auto made = analysis::backwardSlice(second->getOperands(), [&](Operation *source) {
    if (source == first)
      return analysis::Belongs::Never;
    if (source->getBlock() != first->getBlock() || source->isBeforeInBlock(first))
      return analysis::Belongs::No;
    return mayMove(source) ? analysis::Belongs::Yes : analysis::Belongs::Never;
  });
  if (!made)
    return false;
  llvm::SmallVector<Operation *> moved = made->takeVector();
  llvm::sort(moved, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : moved)
    op->moveBefore(first);
  return true;
}

void append(Block &to, Block &combine, ValueRange accumulated, ValueRange added,
            llvm::SmallVectorImpl<Value> &yielded) {
  IRMapping map;
  map.map(combine.getArguments().take_front(accumulated.size()), accumulated);
  map.map(combine.getArguments().drop_front(accumulated.size()), added);
  OpBuilder b = OpBuilder::atBlockEnd(&to);
  for (Operation &op : combine.without_terminator())
    b.clone(op, map);
  for (Value value : combine.getTerminator()->getOperands())
    yielded.push_back(map.lookupOrDefault(value));
}

/// One reduction of the sources of both, where the first stands.
tile::ReduceOp join(tile::ReduceOp first, tile::ReduceOp second) {
  auto both = [](ValueRange a, ValueRange b) {
    llvm::SmallVector<Value> values(a);
    llvm::append_range(values, b);
    return values;
  };
  OpBuilder b(first);
  llvm::SmallVector<Value> sources = both(first.getSources(), second.getSources());
  llvm::SmallVector<Value> results = both(first.getResults(), second.getResults());
  Location location = b.getFusedLoc({first.getLoc(), second.getLoc()});
  auto joined = tile::ReduceOp::create(b, first.getLoc(), ValueRange(results).getTypes(), sources,
                                       first.getAxis());
  Block &combine = joined.getCombine().emplaceBlock();
  for (unsigned side = 0; side < 2; ++side)
    for (Value source : sources)
      combine.addArgument(tile::elementOf(source.getType()), location);
  const size_t ofFirst = first.getSources().size();
  ValueRange accumulated = combine.getArguments().take_front(sources.size());
  ValueRange added = combine.getArguments().drop_front(sources.size());
  llvm::SmallVector<Value> yielded;
  append(combine, first.getCombine().front(), accumulated.take_front(ofFirst),
         added.take_front(ofFirst), yielded);
  append(combine, second.getCombine().front(), accumulated.drop_front(ofFirst),
         added.drop_front(ofFirst), yielded);
  b.setInsertionPointToEnd(&combine);
  tile::YieldOp::create(b, first.getLoc(), yielded);
  for (auto [result, from] : llvm::zip(joined.getResults(), results))
    from.replaceAllUsesWith(result);
  second.erase();
  first.erase();
  return joined;
}

} // namespace

void joinReductions(func::FuncOp kernel, const Configuration &) {
  kernel.walk([&](Block *block) {
    llvm::SmallVector<tile::ReduceOp> leaders;
    for (tile::ReduceOp op : llvm::to_vector(block->getOps<tile::ReduceOp>())) {
      if (!crossesWarps(op))
        continue;
      bool isJoined = false;
      for (tile::ReduceOp &leader : leaders) {
        if (!meetAlike(leader, op) || !bringForward(leader, op))
          continue;
        leader = join(leader, op);
        isJoined = true;
        break;
      }
      if (!isJoined)
        leaders.push_back(op);
    }
  });
}

} // namespace nereid::backend::gpu
