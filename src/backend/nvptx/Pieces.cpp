// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/Pieces.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace nereid::backend::nvptx {

bool hasPieces(Operation *op) {
  if (op->getNumResults() == 0 || !tile::isTile(op->getResult(0).getType()))
    return false;
  if (auto constant = llvm::dyn_cast<arith::ConstantOp>(op))
    return llvm::isa<SplatElementsAttr>(constant.getValue());
  if (auto load = llvm::dyn_cast<tile::LoadOp>(op))
    return !load.getIsVolatile();
  if (llvm::isa<tile::RangeOp>(op))
    return true;
  return tile::isLanewise(op) && op->getNumRegions() == 0 && !tile::accessOf(op).touchesMemory();
}

std::optional<unsigned> dimOfOperand(OpOperand &operand, unsigned dim) {
  if (!tile::isTile(operand.get().getType()))
    return std::nullopt;
  for (auto [at, to] : llvm::enumerate(tile::laneMapOf(operand)))
    if (to == static_cast<int>(dim))
      return at;
  return std::nullopt;
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

Value Pieces::makeRange(tile::RangeOp range) {
  Location loc = range.getLoc();
  Type type = pieceType(range.getType(), 0);
  auto start = static_cast<int32_t>(range.getStart());
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

} // namespace nereid::backend::nvptx
