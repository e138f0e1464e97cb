// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/tiles/Pieces.h"

#include "analysis/Slice.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::backend::gpu {

bool hasPieces(Operation *op) {
  if (op->getNumResults() == 0 || !tile::isTile(op->getResult(0).getType()))
    return false;
  if (auto constant = llvm::dyn_cast<arith::ConstantOp>(op))
    return llvm::isa<SplatElementsAttr>(constant.getValue());
  if (auto load = llvm::dyn_cast<tile::LoadOp>(op))
    return !load.getIsVolatile();
  if (llvm::isa<tile::RangeOp, tile::DotOp>(op))
    return true;
  return tile::isLanewise(op) && op->getNumRegions() == 0 && !tile::accessOf(op).touchesMemory();
}

std::optional<unsigned> dimOfOperand(OpOperand &operand, unsigned dim) {
  if (!tile::isTile(operand.get().getType()))
    return std::nullopt;
  // A product's rows are those of its left factor, its columns those of the right one.
  if (auto dot = llvm::dyn_cast<tile::DotOp>(operand.getOwner())) {
    Value whole = dim == 0 ? dot.getRhs() : dot.getLhs();
    return operand.get() == whole ? std::nullopt : std::optional(dim);
  }
  for (auto [at, to] : llvm::enumerate(tile::laneMapOf(operand)))
    if (to == static_cast<int>(dim))
      return at;
  return std::nullopt;
}

bool isCarriedSum(BlockArgument argument) {
  auto type = llvm::dyn_cast<RankedTensorType>(argument.getType());
  return type && type.getRank() == 2 && type.getElementType().isIntOrFloat() &&
         llvm::isa<scf::ForOp>(argument.getOwner()->getParentOp());
}

llvm::SmallVector<Value> carriedSums(scf::ForOp loop) {
  llvm::SmallVector<Value> sums;
  for (BlockArgument argument : loop.getRegionIterArgs())
    if (isCarriedSum(argument))
      sums.push_back(argument);
  return sums;
}

namespace {

/// What of a loop's body is wanted in pieces, and what whole.
class Wanted {
public:
  /// A value, and along which dimension it is taken apart.
  using Piece = std::pair<Value, unsigned>;

  Wanted(scf::ForOp loop, unsigned dim) : loop(loop) {
    llvm::SmallVector<Piece> roots;
    llvm::SmallVector<Value> wholeRoots;
    for (auto [argument, yielded] : llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues()))
      if (isCarriedSum(argument))
        roots.emplace_back(yielded, dim);
      else
        wholeRoots.push_back(yielded);
    auto piecesOf = [&](Piece piece, llvm::SmallVectorImpl<Piece> &sources) {
      auto [value, along] = piece;
      pieces.insert(piece);
      if (!isInside(value) || llvm::isa<BlockArgument>(value))
        return true;
      for (OpOperand &operand : value.getDefiningOp()->getOpOperands())
        if (std::optional<unsigned> at = dimOfOperand(operand, along))
          sources.emplace_back(operand.get(), *at);
        else
          wholeRoots.push_back(operand.get());
      return true;
    };
    analysis::walkBack<Piece>(roots, piecesOf, [](Piece) {});
    auto wholesOf = [&](Value value, llvm::SmallVectorImpl<Value> &sources) {
      Operation *op = value.getDefiningOp();
      if (op && isInside(value) && whole.insert(op).second)
        op->walk([&](Operation *inner) { llvm::append_range(sources, inner->getOperands()); });
      return true;
    };
    analysis::walkBack<Value>(wholeRoots, wholesOf, [](Value) {});
  }

  llvm::SetVector<Piece> pieces;
  llvm::DenseSet<Operation *> whole;

private:
  bool isInside(Value value) { return value.getParentBlock() == loop.getBody(); }

  scf::ForOp loop;
};

} // namespace

bool keepsSumsApart(scf::ForOp loop, unsigned dim) {
  Wanted wanted(loop, dim);
  return llvm::none_of(wanted.whole, [&](Operation *op) {
    return op
        ->walk([&](Operation *inner) {
          bool isSum = llvm::any_of(inner->getOperands(), [&](Value operand) {
            auto argument = llvm::dyn_cast<BlockArgument>(operand);
            return argument && argument.getOwner() == loop.getBody() && isCarriedSum(argument);
          });
          return isSum ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  });
}

bool multipliesInPieces(scf::ForOp loop, unsigned dim) {
  Wanted wanted(loop, dim);
  return llvm::none_of(wanted.whole, [](Operation *op) {
    auto isProduct = [](tile::DotOp) { return WalkResult::interrupt(); };
    return op->walk(isProduct).wasInterrupted();
  });
}

bool combinesLanewise(tile::ReduceOp reduce) {
  return llvm::all_of(reduce.getCombine().front().without_terminator(), [](Operation &op) {
    return op.getNumRegions() == 0 && (llvm::isa<arith::ConstantOp>(op) || tile::isLanewise(&op));
  });
}

Type Pieces::pieceType(Type tile, unsigned dim) const {
  llvm::SmallVector<int64_t> shape(tile::shapeOf(tile));
  shape[dim] = length;
  return RankedTensorType::get(shape, tile::elementOf(tile));
}

Value Pieces::of(Value tile, unsigned dim) {
  if (auto found = known.find({tile, dim}); found != known.end())
    return found->second;
  Operation *op = tile.getDefiningOp();
  Value piece;
  if (auto loop = llvm::dyn_cast<scf::ForOp>(op)) {
    cloneLoop(loop, dim, *this);
    return known.at({tile, dim});
  }
  if (auto range = llvm::dyn_cast<tile::RangeOp>(op))
    piece = makeRange(range);
  else
    piece = clone(op, dim)->getResult(llvm::cast<OpResult>(tile).getResultNumber());
  known[{tile, dim}] = piece;
  return piece;
}

Operation *Pieces::clone(Operation *op, unsigned dim) {
  llvm::SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<unsigned> at = dimOfOperand(operand, dim);
    operands.push_back(at ? of(operand.get(), *at) : operand.get());
  }
  Operation *copy = b.clone(*op);
  copy->setOperands(operands);
  for (Value result : copy->getResults())
    result.setType(pieceType(result.getType(), dim));
  if (auto constant = llvm::dyn_cast<arith::ConstantOp>(copy))
    constant.setValueAttr(llvm::cast<SplatElementsAttr>(constant.getValue())
                              .resizeSplat(llvm::cast<ShapedType>(constant.getType())));
  for (auto [result, original] : llvm::zip(copy->getResults(), op->getResults()))
    known[{original, dim}] = result;
  return copy;
}

void Pieces::cloneEffect(Operation *op, unsigned dim) {
  llvm::SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(tile::isTile(operand.getType()) ? of(operand, dim) : operand);
  Operation *copy = b.clone(*op);
  copy->setOperands(operands);
  for (Value result : copy->getResults()) // of an atomic, which nobody reads
    result.setType(pieceType(result.getType(), dim));
}

/// A value that is not taken apart, as it follows from loops that were copied.
Value Pieces::whole(Value value) {
  if (Value found = ofCopies.lookup(value))
    return found;
  Operation *op = value.getDefiningOp();
  Value result = value;
  if (op && op->getNumRegions() == 0 && isMemoryEffectFree(op)) {
    llvm::SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(whole(operand));
    if (!llvm::equal(operands, op->getOperands())) {
      Operation *copy = b.clone(*op);
      copy->setOperands(operands);
      result = copy->getResult(llvm::cast<OpResult>(value).getResultNumber());
    }
  }
  return ofCopies[value] = result;
}

/// What of an operation of a loop is wanted, which reads what the loop's copy has computed.
void Pieces::clonePieces(Operation &op, const PieceSet &wanted, const IRMapping &inBody) {
  for (OpResult result : op.getResults())
    for (unsigned at : {0u, 1u})
      if (wanted.contains({result, at})) {
        Operation *piece = of(result, at).getDefiningOp();
        for (OpOperand &operand : piece->getOpOperands())
          operand.set(inBody.lookupOrDefault(operand.get()));
      }
}

/// A loop of pieces of all its sums. What comes from outside is computed outside.
class LoopOfPieces {
public:
  LoopOfPieces(scf::ForOp loop, unsigned dim, llvm::MutableArrayRef<Pieces> parts)
      : loop(loop), dim(dim), parts(parts), any(parts.front()), b(any.b), wanted(loop, dim) {}

  void run() {
    for (Pieces &part : parts)
      for (auto [value, at] : wanted.pieces)
        if (value.getParentBlock() != loop.getBody())
          part.of(value, at);
    build();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(copy.getBody());
    buildRound();
    for (const Carried &each : carried())
      if (each.part)
        each.part->known[{loop.getTiedLoopResult(each.argument), dim}] =
            copy.getResult(each.number);
      else
        for (Pieces &part : parts)
          part.ofCopies[loop.getTiedLoopResult(each.argument)] = copy.getResult(each.number);
  }

private:
  /// What the copy carries: a piece of a sum, or what is no sum and all parts share.
  struct Carried {
    BlockArgument argument;
    Pieces *part;
    unsigned number;
  };

  /// Sums first: they may come from a loop, which is copied then, and what else it gives with it.
  llvm::SmallVector<Carried> carried() {
    llvm::SmallVector<Carried> all;
    for (Pieces &part : parts)
      for (BlockArgument argument : loop.getRegionIterArgs())
        if (isCarriedSum(argument))
          all.push_back({argument, &part, unsigned(all.size())});
    for (BlockArgument argument : loop.getRegionIterArgs())
      if (!isCarriedSum(argument))
        all.push_back({argument, nullptr, unsigned(all.size())});
    return all;
  }

  void build() {
    llvm::SmallVector<Value> inits;
    for (const Carried &each : carried()) {
      Value init = loop.getTiedLoopInit(each.argument)->get();
      inits.push_back(each.part ? each.part->of(init, dim) : any.whole(init));
    }
    loop.getBody()->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!loop->isAncestor(operand.getParentRegion()->getParentOp()))
          inBody.map(operand, any.whole(operand));
    });
    copy = scf::ForOp::create(b, loop.getLoc(), any.whole(loop.getLowerBound()),
                              any.whole(loop.getUpperBound()), any.whole(loop.getStep()), inits);
    copy->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    copy.setUnsignedCmp(loop.getUnsignedCmp());
  }

  /// The first part as the round has it, with what all parts share; the others behind it.
  void buildRound() {
    inBody.map(loop.getInductionVar(), copy.getInductionVar());
    for (const Carried &each : carried())
      if (each.part)
        each.part->known[{each.argument, dim}] = copy.getRegionIterArg(each.number);
      else
        inBody.map(each.argument, copy.getRegionIterArg(each.number));
    for (Pieces &part : parts)
      for (Operation &op : loop.getBody()->without_terminator()) {
        if (&part == &any && wanted.whole.contains(&op))
          b.clone(op, inBody);
        part.clonePieces(op, wanted.pieces, inBody);
      }
    llvm::SmallVector<Value> yielded;
    for (const Carried &each : carried()) {
      Value value = loop.getTiedLoopYieldedValue(each.argument)->get();
      yielded.push_back(each.part ? each.part->of(value, dim) : inBody.lookupOrDefault(value));
    }
    scf::YieldOp::create(b, loop.getLoc(), yielded);
  }

  scf::ForOp loop, copy;
  unsigned dim;
  llvm::MutableArrayRef<Pieces> parts;
  Pieces &any;
  OpBuilder &b;
  Wanted wanted;
  IRMapping inBody;
};

void Pieces::cloneLoop(scf::ForOp loop, unsigned dim, llvm::MutableArrayRef<Pieces> parts) {
  LoopOfPieces(loop, dim, parts).run();
}

Value Pieces::makeRange(tile::RangeOp range) {
  Location loc = range.getLoc();
  Type type = pieceType(range.getType(), 0);
  int32_t start = range.getStart();
  Value piece = tile::RangeOp::create(b, loc, type, start, start + static_cast<int32_t>(length));
  return arith::AddIOp::create(b, loc, piece, tile::SplatOp::create(b, loc, type, first));
}

llvm::SmallVector<Value> Pieces::combine(tile::ReduceOp reduce, ValueRange a, ValueRange c) {
  Block &body = reduce.getCombine().front();
  Type shape = a[0].getType();
  IRMapping mapping;
  for (unsigned i = 0; i < a.size(); ++i) {
    mapping.map(body.getArgument(i), a[i]);
    mapping.map(body.getArgument(a.size() + i), c[i]);
  }
  // What the function reads of the kernel is one value for all lanes.
  auto onTiles = [&](Value value) {
    Value found = mapping.lookupOrDefault(value);
    if (!tile::isTile(found.getType()))
      found = tile::SplatOp::create(b, reduce.getLoc(), tile::withElement(shape, value.getType()),
                                    found);
    return found;
  };
  for (Operation &op : body.without_terminator()) {
    if (llvm::isa<arith::ConstantOp>(op)) {
      b.clone(op, mapping);
      continue;
    }
    llvm::SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(onTiles(operand));
    Operation *copy = b.clone(op);
    copy->setOperands(operands);
    for (auto [result, original] : llvm::zip(copy->getResults(), op.getResults())) {
      result.setType(tile::withElement(shape, original.getType()));
      mapping.map(original, result);
    }
  }
  llvm::SmallVector<Value> results;
  for (Value yielded : body.getTerminator()->getOperands())
    results.push_back(onTiles(yielded));
  return results;
}

} // namespace nereid::backend::gpu
