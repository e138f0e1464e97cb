// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions whose elements go where the data says.
#include "frontend/emit/Arguments.h"

namespace nereid::emit {

namespace {

bool isIntegerTile(const Tensor &value) {
  return value.isTile() && !value.isPointer() && isInteger(value.dtype());
}

/// As int32 or int64 with the same value, but for those above the largest int64.
Tensor widened(Emitter &emitter, const Tensor &value, SourceRange range) {
  bool fits = bitWidth(value.dtype()) < 32 || value.dtype() == DType::Int32;
  return emitter.cast(value, {fits ? DType::Int32 : DType::Int64}, range);
}

void assertInside(Emitter &emitter, const Tensor &index, int64_t size, SourceRange range) {
  Value isInside = emitter.binary(
      ast::BinaryOp::And, emitter.compare(ast::CompareOp::Ge, index, integerValue(0), range),
      emitter.compare(ast::CompareOp::Lt, index, integerValue(size), range), range);
  emitter.emitAssert(isInside, "0 <= index < " + std::to_string(size) + " of a tile", range);
}

} // namespace

Value gatherBuiltin(Emitter &emitter, const Arguments &arguments) {
  Tensor source = arguments.tile("src"), index = arguments.tile("index");
  if (!isIntegerTile(index))
    arguments.failType("index", "a tile of integers");
  auto rank = static_cast<int64_t>(source.shape().size());
  auto axis = static_cast<size_t>(
      emitter.wrapAxis(arguments.integer("axis"), rank, arguments.range("axis")));
  sema::Shape shape = source.shape();
  if (index.shape().size() == shape.size())
    shape[axis] = index.shape()[axis];
  if (index.shape() != shape)
    arguments.failType("index",
                       "a tile as long as src in every dimension but " + std::to_string(axis));
  SourceRange range = arguments.callRange();
  index = widened(emitter, index, range);
  assertInside(emitter, index, source.shape()[axis], range);
  sema::ValueType type{source.type.scalar, shape};
  auto op = tile::GatherOp::create(emitter.builder, emitter.locate(range), emitter.irType(type),
                                   source.value, index.value, static_cast<uint32_t>(axis));
  return Tensor{op.getResult(), type};
}

Value histogramBuiltin(Emitter &emitter, const Arguments &arguments) {
  Tensor input = arguments.tile("input");
  if (!isIntegerTile(input) || input.shape().size() != 1)
    arguments.failType("input", "a tile of integers of rank 1");
  sema::Integer bins = arguments.integer("num_bins");
  if (bins < 1)
    arguments.failValue("num_bins", "1 or more");
  SourceRange range = arguments.callRange();
  sema::ValueType type{{DType::Int32}, {static_cast<int64_t>(bins)}};
  emitter.checkShape(type.shape, arguments.range("num_bins"));
  mlir::Value mask;
  if (!arguments.isNone("mask"))
    mask = emitter
               .notZero(emitter.broadcastTo(arguments.tensor("mask"), input.shape(),
                                            arguments.range("mask")),
                        range)
               .value;
  auto op = tile::HistogramOp::create(emitter.builder, emitter.locate(range), emitter.irType(type),
                                      widened(emitter, input, range).value, mask);
  return Tensor{op.getResult(), type};
}

} // namespace nereid::emit
