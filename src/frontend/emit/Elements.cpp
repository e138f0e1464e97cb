// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements and slices of tiles. What is read is the one lane whose index fits, found by combining
// all bits with `or`; what is written makes a new tile that a name then stands for.
#include "frontend/emit/Advice.h"
#include "frontend/emit/Subscripts.h"
#include "frontend/emit/threads/Arrays.h"

namespace nereid::emit {

using namespace mlir;
using sema::ConstantValue;

namespace {

/// A tile read or written at some of its indices.
class TileAccess {
  /// What a slice takes, after `from` where that is known only at run time.
  struct Part : Span {
    std::optional<Tensor> from = {};
  };

public:
  TileAccess(Emitter &emitter, SourceRange range) : emitter(emitter), range(range) {}

  Tensor read(const Tensor &tile, llvm::ArrayRef<Value> indices);
  Tensor write(const Tensor &tile, llvm::ArrayRef<Value> indices, const Value &value);

private:
  struct Target {
    std::optional<Tensor> mask;             // broadcasts to the tile; nothing if all is written
    sema::Shape shape;                      // of the part that is written
    llvm::SmallVector<int64_t> missing;     // dimensions with one index, which the part lacks
    std::vector<std::optional<Part>> spans; // of dimensions with a slice
  };

  [[noreturn]] void fail(const Value &object, const std::string &reason) {
    failWithNote(range, {{}, reason}, DiagnosticId::cannot_index, describe(object));
  }
  void checkCount(const Tensor &tile, llvm::ArrayRef<Value> indices, bool isRead);
  std::optional<Part> movingPart(const SliceValue &slice, int64_t size, const Tensor &tile);
  Part partOf(const SliceValue &slice, int64_t size, const Tensor &tile);
  Tensor positionOf(const Value &index, int64_t size, const Tensor &tile);
  Tensor scalarIndex(const Value &index, const Tensor &tile);
  void watch(const Value &first, const Value &last, int64_t size);
  Tensor positions(const Part &part);
  Tensor along(Tensor value, int64_t axis, int64_t rank);
  Tensor isEqual(const Tensor &lhs, const Tensor &rhs);
  Tensor pick(const Tensor &tile, const Tensor &mask, int64_t axis);
  Tensor pickMany(const Tensor &tile, int64_t axis, const Tensor &wanted, const Tensor &labels);
  Tensor reduceBits(const Tensor &bits, int64_t axis);
  Tensor toBits(const Tensor &tile);
  Tensor converted(const Value &value, sema::ScalarType type);
  Target targetOf(const Tensor &tile, llvm::ArrayRef<Value> indices);
  Tensor spread(Tensor value, const Target &target, const sema::Shape &shape);

  Emitter &emitter;
  SourceRange range;
};

void TileAccess::checkCount(const Tensor &tile, llvm::ArrayRef<Value> indices, bool isRead) {
  size_t count = llvm::count_if(indices, [](const Value &index) { return !index.isNone(); });
  if (!isRead && count != indices.size())
    fail(tile, "None inserts a dimension, which nothing can be assigned to");
  bool isExpansion = llvm::all_of(indices, [](const Value &index) {
    const auto *slice = index.as<SliceValue>();
    return index.isNone() || (slice && isOpen(*slice));
  });
  if (count > tile.shape().size() && !(isExpansion && !tile.isTile()))
    fail(tile, "it takes at most one index for each of its " + std::to_string(tile.shape().size()) +
                   " dimensions, and None for new ones");
}

/// `tile[n:n + 4]`: where it begins is known only at run time, and how long it is from the
/// text.
std::optional<TileAccess::Part> TileAccess::movingPart(const SliceValue &slice, int64_t size,
                                                       const Tensor &tile) {
  if (!slice.lower || !slice.upper || asConstant(*slice.lower) || slice.upper->isNone() ||
      slice.lower->isNone())
    return std::nullopt;
  Tensor from = scalarIndex(*slice.lower, tile);
  const auto *to = slice.upper->as<Tensor>();
  auto known = to ? distance(from, *to) : std::nullopt;
  auto step = slice.step && !slice.step->isNone() ? asConstant(*slice.step)
                                                  : std::optional(ConstantValue(sema::Integer(1)));
  if (!known || !step || !sema::asInteger(*step) || *sema::asInteger(*step) <= 0)
    return std::nullopt;
  int64_t length = *known, stride = static_cast<int64_t>(*sema::asInteger(*step));
  if (length <= 0)
    fail(tile, "the slice is empty");
  if (length > size)
    fail(tile, "the slice is longer than the dimension");
  Part part{{0, stride, (length + stride - 1) / stride}, from};
  watch(from,
        emitter.binary(ast::BinaryOp::Add, from, integerValue((part.count - 1) * stride), range),
        size);
  return part;
}

TileAccess::Part TileAccess::partOf(const SliceValue &slice, int64_t size, const Tensor &tile) {
  if (auto moving = movingPart(slice, size, tile))
    return *moving;
  Part part{cut(emitter, slice, size, range)};
  if (part.count == 0)
    fail(tile, "the slice is empty");
  return part;
}

Tensor TileAccess::scalarIndex(const Value &index, const Tensor &tile) {
  const auto *scalar = index.as<Tensor>();
  if (!scalar || scalar->isTile() || scalar->isPointer() || !isInteger(scalar->dtype()))
    fail(tile, "an index is an integer scalar, None or a slice, not " + describe(index));
  return *scalar;
}

/// The checked mode reports indices that lie outside.
void TileAccess::watch(const Value &first, const Value &last, int64_t size) {
  Value isInside = emitter.logical(
      ast::BoolOp::And, emitter.compare(ast::CompareOp::Ge, first, integerValue(0), range),
      emitter.compare(ast::CompareOp::Lt, last, integerValue(size), range), range);
  emitter.emitAssert(isInside, "0 <= index < " + std::to_string(size) + " of a tile", range);
}

/// The index as a scalar, counted from the front.
Tensor TileAccess::positionOf(const Value &index, int64_t size, const Tensor &tile) {
  if (auto constant = asConstant(index)) {
    auto integer = sema::asInteger(*constant);
    if (!integer)
      fail(tile, "an index is an integer, None or a slice, not " + describe(index));
    if (*integer < -size || *integer >= size)
      fail(tile, "the index " + sema::toString(*constant) + " is out of range");
    return emitter.integer(static_cast<int64_t>(*integer < 0 ? *integer + size : *integer),
                           DType::Int32, range);
  }
  Tensor scalar = scalarIndex(index, tile);
  watch(scalar, scalar, size);
  return scalar;
}

Tensor TileAccess::positions(const Part &part) {
  Tensor steps = emitter.arange(0, part.count, range);
  auto times = emitter.binary(ast::BinaryOp::Mul, steps, integerValue(part.step), range);
  Value start = part.from ? Value(*part.from) : integerValue(part.start);
  return *emitter.binary(ast::BinaryOp::Add, times, start, range).as<Tensor>();
}

/// A tile of rank 1 as one of rank `rank` that lies along `axis`.
Tensor TileAccess::along(Tensor value, int64_t axis, int64_t rank) {
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis)
      value = emitter.expandDims(value, i, range);
  return value;
}

Tensor TileAccess::isEqual(const Tensor &lhs, const Tensor &rhs) {
  return *emitter.compare(ast::CompareOp::Eq, lhs, rhs, range).as<Tensor>();
}

Tensor TileAccess::toBits(const Tensor &tile) {
  if (!isFloat(tile.dtype()))
    return tile;
  int width = bitWidth(tile.dtype());
  DType type = width == 64   ? DType::Int64
               : width == 32 ? DType::Int32
               : width == 16 ? DType::Int16
                             : DType::Int8;
  return emitter.bitcast(tile, {type}, range);
}

Tensor TileAccess::reduceBits(const Tensor &bits, int64_t axis) {
  sema::ValueType type = bits.type;
  type.shape.erase(type.shape.begin() + axis);
  Location location = emitter.locate(range);
  auto op = tile::ReduceOp::create(emitter.builder, location, TypeRange{emitter.irType(type)},
                                   ValueRange{bits.value}, static_cast<uint32_t>(axis));
  OpBuilder::InsertionGuard guard(emitter.builder);
  mlir::Type element = emitter.irType(bits.type.scalar);
  Block *block =
      emitter.builder.createBlock(&op.getCombine(), {}, {element, element}, {location, location});
  mlir::Value both =
      arith::OrIOp::create(emitter.builder, location, block->getArgument(0), block->getArgument(1));
  tile::YieldOp::create(emitter.builder, location, both);
  return {op.getResult(0), type};
}

/// Along `axis`, the lane where the mask, which broadcasts to the tile, is true; at most one is.
Tensor TileAccess::pick(const Tensor &tile, const Tensor &mask, int64_t axis) {
  Tensor bits = toBits(tile), chosen = emitter.broadcastTo(mask, bits.shape(), range);
  Tensor zero =
      emitter.splat(emitter.constant(ConstantValue(sema::Integer(0)), bits.type.scalar, range),
                    bits.shape(), range);
  Tensor kept{emitter.make<arith::SelectOp>(range, chosen.value, bits.value, zero.value),
              bits.type};
  return emitter.bitcast(reduceBits(kept, axis), tile.type.scalar, range);
}

/// Replaces the dimension `axis`, whose lanes have the given labels, by the lanes that are wanted;
/// zero where no lane has the label.
Tensor TileAccess::pickMany(const Tensor &tile, int64_t axis, const Tensor &wanted,
                            const Tensor &labels) {
  auto rank = static_cast<int64_t>(tile.shape().size()) + 1;
  Tensor mask = isEqual(along(wanted, axis, rank), along(labels, axis + 1, rank));
  sema::Shape shape = tile.shape();
  shape.insert(shape.begin() + axis, wanted.shape()[0]);
  Tensor repeated = emitter.broadcastTo(emitter.expandDims(tile, axis, range), shape, range);
  return pick(repeated, mask, axis + 1);
}

Tensor TileAccess::read(const Tensor &tile, llvm::ArrayRef<Value> indices) {
  checkCount(tile, indices, /*isRead=*/true);
  Tensor result = tile;
  int64_t axis = 0;
  for (const Value &index : indices) {
    if (index.isNone()) {
      result = emitter.expandDims(
          result, std::min<int64_t>(axis++, static_cast<int64_t>(result.shape().size())), range);
      continue;
    }
    const auto *slice = index.as<SliceValue>();
    if (slice && isOpen(*slice)) {
      ++axis;
      continue;
    }
    int64_t size = result.shape()[static_cast<size_t>(axis)];
    auto rank = static_cast<int64_t>(result.shape().size());
    Tensor lanes = emitter.arange(0, size, range);
    if (slice)
      result = pickMany(result, axis++, positions(partOf(*slice, size, tile)), lanes);
    else
      result = pick(result, along(isEqual(lanes, positionOf(index, size, tile)), axis, rank), axis);
  }
  return result;
}

/// As a store does it: cast to the element type.
Tensor TileAccess::converted(const Value &value, sema::ScalarType type) {
  const auto *number = value.as<ConstantValue>();
  bool isDirect = number && isFloat(type.dtype) && sema::asNumber(*number);
  return isDirect ? emitter.constant(*number, type, range)
                  : emitter.cast(emitter.toTensor(value, range), type, range);
}

/// Where the tile is written, and what the written part looks like.
TileAccess::Target TileAccess::targetOf(const Tensor &tile, llvm::ArrayRef<Value> indices) {
  Target target;
  auto rank = static_cast<int64_t>(tile.shape().size());
  for (int64_t axis = 0; axis < rank; ++axis) {
    auto at = static_cast<size_t>(axis);
    const Value *index = at < indices.size() ? &indices[at] : nullptr;
    const auto *slice = index ? index->as<SliceValue>() : nullptr;
    int64_t size = tile.shape()[at];
    target.spans.emplace_back();
    if (!index || (slice && isOpen(*slice))) {
      target.shape.push_back(size);
      continue;
    }
    Tensor lanes = emitter.arange(0, size, range), isChosen;
    if (slice) {
      Part part = partOf(*slice, size, tile);
      target.spans.back() = part;
      target.shape.push_back(part.count);
      Tensor yes = emitter.constant(ConstantValue(true), {DType::Int1}, range);
      isChosen = pickMany(emitter.splat(yes, {part.count}, range), 0, lanes, positions(part));
    } else {
      target.missing.push_back(axis);
      isChosen = isEqual(lanes, positionOf(*index, size, tile));
    }
    isChosen = along(isChosen, axis, rank);
    target.mask =
        target.mask ? *emitter.logical(ast::BoolOp::And, *target.mask, isChosen, range).as<Tensor>()
                    : isChosen;
  }
  return target;
}

/// What is assigned, spread over the shape of the tile.
Tensor TileAccess::spread(Tensor value, const Target &target, const sema::Shape &shape) {
  bool isOne = target.shape.empty() && value.type.elements() == 1;
  value =
      isOne ? emitter.reshape(value, {}, range) : emitter.broadcastTo(value, target.shape, range);
  for (int64_t axis : target.missing)
    value = emitter.expandDims(value, axis, range);
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (const auto &part = target.spans[axis])
      value = pickMany(value, static_cast<int64_t>(axis), emitter.arange(0, shape[axis], range),
                       positions(*part));
  return emitter.broadcastTo(value, shape, range);
}

Tensor TileAccess::write(const Tensor &tile, llvm::ArrayRef<Value> indices, const Value &value) {
  checkCount(tile, indices, /*isRead=*/false);
  Target target = targetOf(tile, indices);
  Tensor given = spread(converted(value, tile.type.scalar), target, tile.shape());
  if (!target.mask)
    return given;
  Tensor chosen = emitter.broadcastTo(*target.mask, tile.shape(), range);
  return {emitter.make<arith::SelectOp>(range, chosen.value, given.value, tile.value), tile.type};
}

} // namespace

Tensor Emitter::element(const Tensor &tile, llvm::ArrayRef<Value> indices, SourceRange range) {
  return TileAccess(*this, range).read(tile, indices);
}

void Emitter::assignElement(const ast::Subscript &target, const Value &value,
                            std::optional<ast::BinaryOp> op, const ast::Expr &valueExpr) {
  const auto *name = llvm::dyn_cast<ast::Name>(target.object.get());
  Value object = evaluate(*target.object);
  if (const auto *array = object.as<ArrayView>()) {
    Value index = evaluate(*target.index), next = value;
    if (op)
      next = binary(*op, threads::readElement(*this, *array, index, target.range), value,
                    target.range);
    return threads::writeElement(*this, *array, index, next, target.range);
  }
  const auto *tile = object.as<Tensor>();
  if (!name || !tile || !tile->isTile() || tile->isPointer())
    failElementAssignment(target, object, valueExpr.range.text(), op);
  std::vector<Value> indices = indicesOf(evaluate(*target.index));
  Value next = value;
  if (op)
    next = binary(*op, element(*tile, indices, target.range), value, target.range);
  assignName(name->name, TileAccess(*this, target.range).write(*tile, indices, next), target.range);
}

} // namespace nereid::emit
