// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/nests/Nest.h"

#include "analysis/AxisInfo.h"
#include "analysis/Strides.h"
#include "backend/cpu/emit/KernelEmitter.h"
#include "dialect/tile/Tile.h"
#include "support/Check.h"

using namespace mlir;

namespace nereid::backend::cpu {

llvm::SmallVector<unsigned, 4> innermostLast(size_t rank, unsigned vectorDim) {
  llvm::SmallVector<unsigned, 4> order;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (dim != vectorDim)
      order.push_back(dim);
  order.push_back(vectorDim);
  return order;
}

Nest::Nest(KernelEmitter &kernel, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> loopOrder,
           unsigned vectorDim, unsigned width)
    : kernel(kernel), b(kernel.builder()), lanes(kernel.lanes()), shape(shape), order(loopOrder),
      vectorDim(vectorDim), fullWidth(width), indices(shape.size(), nullptr) {
  levels.push_back({b.GetInsertBlock(), {}});
}

Coordinates Nest::identity() const {
  Coordinates at(shape.size());
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    at[dim] = shape[dim] == 1 ? none : static_cast<int>(dim);
  return at;
}

Coordinates Nest::normalized(Value value, const Coordinates &at) const {
  Coordinates result = at;
  for (auto [dim, size] : llvm::enumerate(tile::shapeOf(value.getType())))
    if (size == 1)
      result[dim] = none;
  return result;
}

unsigned Nest::levelOf(const Coordinates &at) const {
  for (unsigned depth = order.size(); depth > 0; --depth)
    if (llvm::is_contained(at, static_cast<int>(order[depth - 1])))
      return depth;
  return 0;
}

// Loops

void Nest::takeTogether(unsigned dim, unsigned count) {
  NEREID_CHECK(dim != vectorDim && shape[dim] % count == 0, "rounds are not whole");
  together = static_cast<int>(dim);
  togetherIndices.resize(count);
}

void Nest::moveTo(unsigned which) {
  if (together == none)
    return;
  indices[together] = togetherIndices[which];
  for (Level &level : levels)
    std::erase_if(level.values, [&](const auto &entry) {
      return llvm::is_contained(entry.first.second, together);
    });
}

void Nest::standAt(llvm::ArrayRef<llvm::Value *> place, bool isMultiple) {
  indices.assign(place.begin(), place.end());
  currentWidth = fullWidth;
  isAligned = isMultiple;
}

void Nest::emit(Body body, Body enter, Body leave) { emitLoops(0, {body, enter, leave}); }

void Nest::emitLoops(unsigned depth, const Hooks &hooks) {
  if (depth == order.size()) {
    emitInnermost(hooks.body);
    return;
  }
  bool isInnermost = depth + 1 == order.size();
  if (isInnermost)
    hooks.enter();
  emitDimension(depth, hooks);
  if (isInnermost)
    hooks.leave();
}

void Nest::emitDimension(unsigned depth, const Hooks &hooks) {
  int64_t extent = shape[order[depth]];
  if (order[depth] != vectorDim) {
    bool isTogether = static_cast<int>(order[depth]) == together;
    emitLoop(depth, 0, extent, isTogether ? togetherIndices.size() : 1, hooks);
    return;
  }
  int64_t whole = extent - extent % fullWidth;
  currentWidth = fullWidth;
  if (whole > 0)
    emitLoop(depth, 0, whole, fullWidth, hooks);
  currentWidth = 1;
  if (whole < extent)
    emitLoop(depth, whole, extent, 1, hooks);
}

void Nest::emitLoop(unsigned depth, int64_t begin, int64_t end, int64_t step, const Hooks &hooks) {
  auto inside = [&](llvm::Value *index) {
    bool isBackwards = static_cast<int>(order[depth]) == backwards;
    indices[order[depth]] =
        isBackwards ? b.CreateSub(b.getInt64(shape[order[depth]] - step), index) : index;
    if (static_cast<int>(order[depth]) == together)
      for (auto [which, other] : llvm::enumerate(togetherIndices))
        other = b.CreateAdd(index, b.getInt64(which));
    fillTurned(depth);
    levels.push_back({b.GetInsertBlock(), {}});
    emitLoops(depth + 1, hooks);
    levels.pop_back();
  };
  kernel.loop(begin, end, step, inside, "lane");
}

// Values

Lanes Nest::evaluate(Value value, const Coordinates &at) {
  if (!tile::isTile(value.getType()))
    return Lanes::uniform(kernel.scalar(value));
  if (isKnownMask(value, at))
    return Lanes::uniform(b.getInt1(isAllActive));
  Key key(value.getAsOpaquePointer(), normalized(value, at));
  for (Level &level : llvm::reverse(levels))
    if (auto found = level.values.find(key); found != level.values.end())
      return found->second;
  unsigned level = levelOf(key.second);
  bool isHere = level + 1 >= levels.size() || level == order.size();
  Level &home = isHere ? levels.back() : levels[level];
  std::optional<llvm::IRBuilderBase::InsertPointGuard> guard;
  if (!isHere) { // what is computed here may end in another block than it began in
    guard.emplace(b);
    if (llvm::Instruction *end = home.block->getTerminator())
      b.SetInsertPoint(end);
    else
      b.SetInsertPoint(home.block);
  }
  bool isStored = readsStored && kernel.storage().isStored(value);
  Operation *load = isNoneActive && isStored ? maskedLoadOf(value) : nullptr;
  Lanes result = load && isKnownMask(tile::accessOf(load).mask, key.second)
                     ? this->load(load, key.second)
                 : isStored ? readStored(value, key.second)
                            : compute(value, key.second);
  home.values[key] = result;
  return result;
}

Lanes Nest::evaluateDefinition(Value value, const Coordinates &at) {
  return compute(value, normalized(value, at));
}

void Nest::define(Value tile) {
  Coordinates at = normalized(tile, identity());
  Lanes value = compute(tile, at);
  writeScratch(kernel.storage().offsetOf(tile), shape, tile::elementOf(tile.getType()), at,
               vector(value));
  levels.back().values[Key(tile.getAsOpaquePointer(), at)] = value;
}

llvm::Value *Nest::evaluateScalar(Operation *op) {
  if (llvm::isa<tile::LoadOp>(op))
    return load(op, {}).base;
  Value source = op->getOperand(0);
  return evaluate(source, Coordinates(tile::shapeOf(source.getType()).size(), none)).base;
}

Lanes Nest::compute(Value value, const Coordinates &at) {
  Operation *op = value.getDefiningOp();
  NEREID_CHECK(op && tile::isLanewise(op), "a tile that must be stored was not");
  SourceLines::Scope scope(kernel.sourceLines(), b, op);
  bool isShape = false;
  Lanes shaped = computeShape(op, at, isShape);
  if (isShape)
    return shaped;
  if (llvm::isa<tile::LoadOp>(op)) {
    const Turned *found = currentWidth > 1 && !isNoneActive ? turnedOf(value, at) : nullptr;
    return found ? readTurned(*found) : load(op, at);
  }
  if (llvm::isa<tile::SplitOp>(op)) {
    OpOperand &source = op->getOpOperand(0);
    return readHalf(source.get(), tile::mapThrough(tile::laneMapOf(source), at),
                    llvm::cast<OpResult>(value).getResultNumber());
  }
  llvm::SmallVector<Lanes, 3> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(evaluate(operand.get(), tile::mapThrough(tile::laneMapOf(operand), at)));
  return computeLanewise(llvm::cast<OpResult>(value), at, operands);
}

bool Nest::knows(Operation *op) {
  if (auto constant = llvm::dyn_cast<arith::ConstantOp>(op))
    return !tile::isTile(constant.getType()) || llvm::isa<SplatElementsAttr>(constant.getValue());
  return llvm::isa<tile::RangeOp, tile::LoadOp, tile::SplitOp>(op) || tile::movesLanes(op);
}

Lanes Nest::computeShape(Operation *op, const Coordinates &at, bool &isShape) {
  isShape = true;
  if (tile::movesLanes(op)) {
    OpOperand &source = op->getOpOperand(0);
    return evaluate(source.get(), tile::mapThrough(tile::laneMapOf(source), at));
  }
  if (auto constant = llvm::dyn_cast<arith::ConstantOp>(op)) {
    auto splat = llvm::dyn_cast<SplatElementsAttr>(constant.getValue());
    NEREID_CHECK(splat, "constant tiles hold one value");
    return Lanes::uniform(lanes.constant(splat.getSplatValue<Attribute>(), splat.getElementType()));
  }
  if (auto range = llvm::dyn_cast<tile::RangeOp>(op)) {
    llvm::Value *start = b.getInt32(range.getStart());
    if (at[0] == none)
      return Lanes::uniform(start);
    llvm::Value *first = b.CreateAdd(b.CreateTrunc(indices[at[0]], b.getInt32Ty()), start);
    bool isAlongLanes = at[0] == static_cast<int>(vectorDim) && currentWidth > 1;
    return isAlongLanes ? Lanes{Lanes::Kind::Affine, first, b.getInt32(1)} : Lanes::uniform(first);
  }
  isShape = false;
  return {};
}

Lanes Nest::computeLanewise(OpResult result, const Coordinates &at,
                            llvm::ArrayRef<Lanes> operands) {
  Operation *op = result.getOwner();
  bool isUniform =
      llvm::all_of(operands, [](const Lanes &v) { return v.kind == Lanes::Kind::Uniform; });
  llvm::SmallVector<llvm::Value *, 3> values;
  if (!isUniform) {
    if (Lanes affine = computeAffine(op, operands); affine.base)
      return affine;
    if (Lanes run = computeRun(result, at, operands); run.base)
      return run;
    if (Lanes quotients = computeQuotients(result, operands); quotients.base)
      return quotients;
  }
  for (const Lanes &operand : operands)
    values.push_back(isUniform ? operand.base : vector(operand));
  auto results = lanes.emit(op, values);
  NEREID_CHECK(!results.empty(), "no code for operation " + op->getName().getStringRef().str());
  llvm::Value *emitted = results[result.getResultNumber()];
  return isUniform ? Lanes::uniform(emitted) : Lanes::vector(emitted);
}

/// Keeps addresses in the form base + lane * step through the operations that addresses are made
/// of. An empty result means that the operation does not keep it.
Lanes Nest::computeAffine(Operation *op, llvm::ArrayRef<Lanes> v) {
  if (llvm::any_of(v, [](const Lanes &lanes) { return lanes.kind == Lanes::Kind::Vector; }))
    return {};
  auto step = [&](const Lanes &value) {
    return value.step ? value.step : llvm::ConstantInt::get(value.base->getType(), 0);
  };
  bool areExact = llvm::none_of(v, [](const Lanes &lanes) { return lanes.exact; });
  auto exact = [&]() -> llvm::Value * {
    if (areExact)
      return nullptr;
    llvm::SmallVector<llvm::Value *, 2> vectors;
    for (const Lanes &operand : v)
      vectors.push_back(vector(operand));
    return lanes.emit(op, vectors)[0];
  };
  auto make = [&](llvm::Value *base, llvm::Value *step, llvm::Value *exact) {
    return Lanes{Lanes::Kind::Affine, base, step, exact};
  };
  if (llvm::isa<arith::AddIOp>(op))
    return make(b.CreateAdd(v[0].base, v[1].base), b.CreateAdd(step(v[0]), step(v[1])), exact());
  if (llvm::isa<arith::SubIOp>(op))
    return make(b.CreateSub(v[0].base, v[1].base), b.CreateSub(step(v[0]), step(v[1])), exact());
  if (llvm::isa<arith::MulIOp>(op) && (!v[0].step || !v[1].step)) {
    const Lanes &factor = v[0].step ? v[1] : v[0], &affine = v[0].step ? v[0] : v[1];
    // Where neighbours are equal, by whatever it is multiplied: the builder folds constants alone.
    auto *constant = llvm::dyn_cast<llvm::ConstantInt>(affine.step);
    bool isEqual = constant && constant->isZero();
    return make(b.CreateMul(affine.base, factor.base),
                isEqual ? affine.step : b.CreateMul(affine.step, factor.base), exact());
  }
  if (llvm::isa<tile::PointerCastOp>(op))
    return v[0];
  bool mayWiden = llvm::isa<arith::ExtSIOp, arith::ExtUIOp>(op) && analysis::isWideOffset(op);
  if (mayWiden || llvm::isa<arith::TruncIOp>(op)) {
    llvm::Type *type = lanes.laneType(tile::elementOf(op->getResult(0).getType()));
    llvm::Value *base = lanes.emit(op, v[0].base)[0];
    bool isExact = llvm::isa<arith::TruncIOp>(op) || analysis::isPlainRange(op->getOperand(0));
    llvm::Value *widened = isExact && !v[0].exact ? nullptr : lanes.emit(op, vector(v[0]))[0];
    return make(base, b.CreateSExtOrTrunc(v[0].step, type), widened);
  }
  if (auto offset = llvm::dyn_cast<tile::OffsetOp>(op)) {
    // Fewer than 32 bits wrap within an array.
    bool mayWrap = tile::elementOf(offset.getOffset().getType()).getIntOrFloatBitWidth() < 32;
    if (v[1].step && mayWrap)
      return {};
    Type pointee = tile::elementOf(tile::pointeeOf(offset.getType()));
    llvm::Value *base = lanes.emit(op, {v[0].base, v[1].base})[0];
    llvm::Value *bytes = b.getInt64(0);
    if (v[1].step)
      bytes = b.CreateMul(b.CreateSExt(v[1].step, b.getInt64Ty()),
                          b.getInt64(tile::byteSizeOf(pointee)));
    return make(base, v[0].step ? b.CreateAdd(v[0].step, bytes) : bytes, nullptr);
  }
  return {};
}

/// Quotients and remainders of neighbours, of which indices are made where a kernel numbers the
/// elements of several dimensions through: within a vector they are often equal, or neighbours.
/// That holds for addresses (docs/decisions/0007); whoever wants the numbers gets them lane by
/// lane.
Lanes Nest::computeRun(OpResult result, const Coordinates &at, llvm::ArrayRef<Lanes> v) {
  Operation *op = result.getOwner();
  if (!llvm::isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) ||
      llvm::any_of(v, [](const Lanes &lanes) { return lanes.kind == Lanes::Kind::Vector; }))
    return {};
  std::optional<int64_t> step = stepInVector(result, at);
  if (!step)
    return {};
  llvm::Value *first = lanes.emit(op, {v[0].base, v[1].base})[0];
  return {Lanes::Kind::Affine, first, llvm::ConstantInt::get(first->getType(), *step),
          lanes.emit(op, {vector(v[0]), vector(v[1])})[0]};
}

/// How far neighbours in each of the nest's vectors are known to be apart: not at all, or by one.
std::optional<int64_t> Nest::stepInVector(Value value, const Coordinates &at) const {
  auto along = llvm::find(at, static_cast<int>(vectorDim));
  if (!isAligned || currentWidth == 1 || shape[vectorDim] % fullWidth != 0 || along == at.end())
    return std::nullopt;
  const analysis::Axis axis = kernel.axes().of(value).axes[along - at.begin()];
  if (axis.contiguity % currentWidth == 0)
    return 1;
  if (axis.constancy % currentWidth == 0)
    return 0;
  return std::nullopt;
}

/// Of integers that are kept in memory, as quotients are that stand before a loop, the same is
/// known; and of pointers, as they are where a column of them stands beside a row of offsets.
Lanes Nest::readStored(Value value, const Coordinates &at) {
  Lanes read = readScratch(value, at);
  Type element = tile::elementOf(value.getType());
  auto pointer = llvm::dyn_cast<tile::PointerType>(element);
  bool isNumber = element.isIntOrIndex() && !element.isInteger(1);
  if (read.kind != Lanes::Kind::Vector || !(isNumber || pointer))
    return read;
  std::optional<int64_t> step = stepInVector(value, at);
  if (!step)
    return read;
  llvm::Value *first = b.CreateExtractElement(read.base, uint64_t(0));
  if (pointer)
    return {Lanes::Kind::Affine, first, b.getInt64(*step * tile::byteSizeOf(pointer.getPointee()))};
  return {Lanes::Kind::Affine, first, llvm::ConstantInt::get(first->getType(), *step), read.base};
}

llvm::Value *Nest::vector(const Lanes &value) {
  if (value.kind == Lanes::Kind::Vector)
    return value.base;
  if (value.kind == Lanes::Kind::Uniform)
    return lanes.splat(value.base, currentWidth);
  if (value.exact)
    return value.exact;
  llvm::SmallVector<llvm::Constant *, 32> counts;
  auto *stepType = llvm::cast<llvm::IntegerType>(value.step->getType());
  for (unsigned i = 0; i < currentWidth; ++i)
    counts.push_back(llvm::ConstantInt::get(stepType, i));
  llvm::Value *steps =
      b.CreateMul(llvm::ConstantVector::get(counts), lanes.splat(value.step, currentWidth));
  if (value.base->getType()->isPointerTy())
    return b.CreateGEP(b.getInt8Ty(), value.base, steps);
  return b.CreateAdd(lanes.splat(value.base, currentWidth), steps);
}

llvm::Value *Nest::elementIndex(llvm::ArrayRef<int64_t> tileShape, const Coordinates &at) {
  llvm::Value *index = b.getInt64(0);
  int64_t stride = 1;
  for (int dim = static_cast<int>(tileShape.size()) - 1; dim >= 0; --dim) {
    if (at[dim] != none)
      index = b.CreateAdd(index, b.CreateMul(indices[at[dim]], b.getInt64(stride)));
    stride *= tileShape[dim];
  }
  return index;
}

} // namespace nereid::backend::cpu
