// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/builtins/Window.h"

namespace nereid::emit {

using namespace mlir;

namespace {

class WindowBuilder {
public:
  WindowBuilder(Emitter &emitter, const BlockPointer &block, const Tensor *rows, SourceRange range)
      : emitter(emitter), block(block), rows(rows), range(range) {}

  Window build(llvm::ArrayRef<size_t> checked) {
    Tensor base = block.base;
    std::optional<Tensor> steps;
    for (size_t dim = 0; dim < block.block.size(); ++dim) {
      base = emitter.offset(base, multiply(block.offsets[dim], block.strides[dim]), false, range);
      Tensor along = alongDim(lanes(dim), block.strides[dim], dim);
      steps = steps ? add(*steps, along) : along;
    }
    Window window{emitter.offset(base, *steps, false, range), std::nullopt};
    for (size_t dim : checked) {
      Tensor fits = emitter.broadcastTo(placed(insideOf(dim), dim), block.block, range);
      window.inside =
          window.inside ? emitter.like<arith::AndIOp>(range, *window.inside, fits) : fits;
    }
    return window;
  }

private:
  Tensor add(const Tensor &lhs, const Tensor &rhs) {
    OperandPair pair = emitter.broadcast(lhs, rhs, range);
    return emitter.like<arith::AddIOp>(range, pair.lhs, pair.rhs);
  }
  Tensor multiply(const Tensor &lhs, const Tensor &rhs) {
    OperandPair pair = emitter.broadcast(lhs, rhs, range);
    return emitter.like<arith::MulIOp>(range, pair.lhs, pair.rhs);
  }
  /// 0, 1 ... along the dimension, or the rows that were named, as int64.
  Tensor lanes(size_t dim) {
    if (rows && dim == 0)
      return *rows;
    return emitter.cast(emitter.arange(0, block.block[dim], range), {DType::Int64}, range);
  }
  /// A 1-D tile as one of the window's rank that varies along `dim`.
  Tensor placed(Tensor values, size_t dim) {
    for (size_t i = 0; i < block.block.size(); ++i)
      if (i != dim)
        values = emitter.expandDims(values, static_cast<int64_t>(i), range);
    return values;
  }
  Tensor alongDim(const Tensor &values, const Tensor &stride, size_t dim) {
    auto constant = asConstant(stride);
    bool isUnit = constant && sema::asInteger(*constant) == sema::Integer(1);
    return placed(isUnit ? values : multiply(values, stride), dim);
  }
  Tensor insideOf(size_t dim) {
    Tensor index = add(lanes(dim), block.offsets[dim]);
    Tensor zero = emitter.splat(emitter.integer(0, DType::Int64, range), index.shape(), range);
    Tensor extent = emitter.splat(block.shape[dim], index.shape(), range);
    sema::ValueType type = index.type.with({DType::Int1});
    Tensor isAbove{
        emitter.make<arith::CmpIOp>(range, arith::CmpIPredicate::sge, index.value, zero.value),
        type};
    Tensor isBelow{
        emitter.make<arith::CmpIOp>(range, arith::CmpIPredicate::slt, index.value, extent.value),
        type};
    return emitter.like<arith::AndIOp>(range, isAbove, isBelow);
  }

  Emitter &emitter;
  const BlockPointer &block;
  const Tensor *rows;
  SourceRange range;
};

} // namespace

Window windowOf(Emitter &emitter, const BlockPointer &block, llvm::ArrayRef<size_t> checked,
                SourceRange range, const Tensor *rows) {
  return WindowBuilder(emitter, block, rows, range).build(checked);
}

} // namespace nereid::emit
