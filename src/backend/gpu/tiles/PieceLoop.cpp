// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/tiles/PieceLoop.h"

#include "backend/gpu/tiles/Pieces.h"
#include "dialect/nv/Nv.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::backend::gpu {

namespace {

Value zeros(OpBuilder &b, Location loc, RankedTensorType type) {
  Attribute zero = b.getZeroAttr(type.getElementType());
  return arith::ConstantOp::create(b, loc, SplatElementsAttr::get(type, zero));
}

Value number(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
}

class LoopMaker {
public:
  LoopMaker(const Group &group, const KeptRows *kept, RowKeeper &keeper)
      : group(group), keeper(keeper), loc(group.back().op->getLoc()), b(group.back().op),
        size(group.front().size), length(group.front().length) {
    auto isOfGroup = [&](KeptRows::Row row) {
      return llvm::any_of(group, [&](const Sink &sink) {
        return llvm::is_contained(sink.loads, row.load.getOperation());
      });
    };
    for (const KeptRows::Row &row :
         kept ? llvm::ArrayRef(kept->rows) : llvm::ArrayRef<KeptRows::Row>())
      if (isOfGroup(row))
        rows.push_back(&row);
    end = rows.empty() ? size : std::min(size, kept->pieces * length);
  }

  void make() {
    llvm::SmallVector<Value> carried = makeRounds();
    for (int64_t i = 0; end + i * length < size; ++i)
      carried = makeRest(i, carried);
    reduce(carried);
    for (const Sink &sink : group)
      sink.op->erase();
  }

private:
  llvm::SmallVector<Value> makeRounds() {
    llvm::SmallVector<Value> inits = initialSums();
    Value start = number(b, loc, 0);
    auto loop =
        scf::ForOp::create(b, loc, start, number(b, loc, end), number(b, loc, length), inits);
    loop->setAttr(nv::disjointRoundsAttr, b.getUnitAttr());
    if (!inits.empty() && !loop.getBody()->empty())
      loop.getBody()->getTerminator()->erase();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Pieces pieces(b, loop.getInductionVar(), length);
    if (!rows.empty()) {
      Value index = arith::DivUIOp::create(b, loc, loop.getInductionVar(), number(b, loc, length));
      for (const KeptRows::Row *row : rows)
        pieces.set(tile::LoadOp(row->load).getResult(), 0, keeper.read(b, loc, row->room, index));
    }
    Value isFirst;
    if (!inits.empty())
      isFirst =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, loop.getInductionVar(), start);
    llvm::SmallVector<Value> next = makeRound(pieces, loop.getRegionIterArgs(), isFirst);
    if (!inits.empty())
      scf::YieldOp::create(b, loc, next);
    return llvm::to_vector_of<Value>(loop.getResults());
  }

  /// Pieces that registers hold are rounds behind the loop.
  llvm::SmallVector<Value> makeRest(int64_t i, ValueRange carried) {
    b.setInsertionPoint(group.back().op);
    Pieces pieces(b, number(b, loc, end + i * length), length);
    for (const KeptRows::Row *row : rows)
      pieces.set(tile::LoadOp(row->load).getResult(), 0, row->rest[i]);
    return makeRound(pieces, carried, nullptr);
  }

  llvm::SmallVector<Value> initialSums() {
    llvm::SmallVector<Value> inits;
    for (const Sink &sink : group)
      if (auto reduce = llvm::dyn_cast<tile::ReduceOp>(sink.op))
        for (Value source : reduce.getSources()) {
          llvm::SmallVector<int64_t> shape(tile::shapeOf(source.getType()));
          shape[sink.dim] = sink.length;
          inits.push_back(
              zeros(b, loc, RankedTensorType::get(shape, tile::elementOf(source.getType()))));
        }
    return inits;
  }

  /// What is carried behind the round. In the first one nothing is; null if it is no first one.
  llvm::SmallVector<Value> makeRound(Pieces &pieces, ValueRange sums, Value isFirst) {
    llvm::SmallVector<Value> next;
    for (const Sink &sink : group) {
      auto reduce = llvm::dyn_cast<tile::ReduceOp>(sink.op);
      if (!reduce) {
        pieces.cloneEffect(sink.op, sink.dim);
        continue;
      }
      llvm::SmallVector<Value> parts;
      for (Value source : reduce.getSources())
        parts.push_back(pieces.of(source, sink.dim));
      ValueRange carried = sums.slice(next.size(), parts.size());
      for (auto [part, sum] : llvm::zip(parts, pieces.combine(reduce, carried, parts)))
        next.push_back(isFirst ? Value(arith::SelectOp::create(b, loc, isFirst, part, sum)) : sum);
    }
    return next;
  }

  void reduce(ValueRange carried) {
    b.setInsertionPoint(group.back().op);
    unsigned taken = 0;
    for (const Sink &sink : group)
      if (auto reduce = llvm::dyn_cast<tile::ReduceOp>(sink.op)) {
        Operation *rest = b.clone(*reduce);
        rest->setOperands(carried.slice(taken, reduce.getSources().size()));
        taken += reduce.getSources().size();
        reduce->replaceAllUsesWith(rest->getResults());
      }
  }

  const Group &group;
  RowKeeper &keeper;
  Location loc;
  OpBuilder b;
  int64_t size, length, end; // `end` of what a loop goes over
  llvm::SmallVector<const KeptRows::Row *> rows;
};

} // namespace

llvm::SmallVector<tile::LoadOp> KeptRows::loads() const {
  llvm::SmallVector<tile::LoadOp> loads;
  for (const Row &row : rows)
    loads.push_back(row.load);
  return loads;
}

void KeptRows::begin(RowKeeper &keeper) {
  for (Row &row : rows) {
    row.room = keeper.keep(row.load, length, pieces);
    OpBuilder b(row.load);
    const int64_t size = tile::elementCount(row.load.getType());
    for (int64_t first = pieces * length; first < size; first += length) {
      Pieces rest(b, number(b, row.load.getLoc(), first), length);
      row.rest.push_back(rest.of(row.load.getResult(), 0));
    }
  }
}

void makeLoop(const Group &group, const KeptRows *rows, RowKeeper &keeper) {
  LoopMaker(group, rows, keeper).make();
}

} // namespace nereid::backend::gpu
