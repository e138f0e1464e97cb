// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which thread this is, what the threads of a block do together, and memory that is theirs.
#include "frontend/emit/Arguments.h"
#include "frontend/emit/threads/Arrays.h"
#include "frontend/emit/threads/Complex.h"
#include "frontend/emit/threads/Names.h"
#include "frontend/emit/threads/Operators.h"
#include "frontend/emit/threads/Structures.h"
#include "frontend/emit/threads/Texts.h"

namespace nereid::emit {

using namespace mlir;
using namespace threads;

static Tensor wide(Emitter &emitter, const Tensor &index, SourceRange range) {
  return emitter.cast(index, {DType::Int64}, range);
}

static Tensor sizeOfBlock(Emitter &emitter, int axis, SourceRange range) {
  return emitter.integer(emitter.block[static_cast<size_t>(axis)], DType::Int64, range);
}

/// For each of the axes that `ndim` counts, what `along` gives: one value, or a tuple.
static Value forAxes(const Arguments &arguments, llvm::function_ref<Tensor(int)> along) {
  sema::Integer count = arguments.integer("ndim");
  if (count < 1 || count > 3)
    arguments.failValue("ndim", "1, 2 or 3");
  Tuple all;
  for (int axis = 0; axis < count; ++axis)
    all.elements.emplace_back(along(axis));
  return count == 1 ? all.elements[0] : Value(all);
}

Value cudaGridBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  return forAxes(arguments, [&](int axis) {
    Tensor before =
        emitter.like<arith::MulIOp>(range, wide(emitter, blockIndex(emitter, axis, range), range),
                                    sizeOfBlock(emitter, axis, range));
    return emitter.like<arith::AddIOp>(range, before,
                                       wide(emitter, threadIndex(emitter, axis, range), range));
  });
}

Value cudaGridSizeBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  return forAxes(arguments, [&](int axis) {
    return emitter.like<arith::MulIOp>(range,
                                       wide(emitter, gridExtent(emitter, axis, range), range),
                                       sizeOfBlock(emitter, axis, range));
  });
}

Value cudaSyncThreadsBuiltin(Emitter &emitter, const Arguments &arguments) {
  tile::SyncThreadsOp::create(emitter.builder, emitter.locate(arguments.callRange()),
                              /*whole_grid=*/false);
  return {};
}

Value cudaThisGridBuiltin(Emitter &, const Arguments &) {
  return ClassReference{std::string(gridGroup)};
}

Value cudaGridSyncBuiltin(Emitter &emitter, const Arguments &arguments) {
  tile::SyncThreadsOp::create(emitter.builder, emitter.locate(arguments.callRange()),
                              /*whole_grid=*/true);
  return integerValue(0); // as Numba has it
}

Value cudaNanoSleepBuiltin(Emitter &, const Arguments &arguments) {
  if (!isNumber(arguments["ns"]) || isPointer(arguments["ns"]))
    arguments.failType("ns", "a number");
  return {};
}

/// For how many threads of the block `predicate` is not zero.
static Tensor syncThreadsCount(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  const Value &given = arguments["predicate"];
  if (!isNumber(given) || isPointer(given))
    arguments.failType("predicate", "a number");
  Tensor predicate = emitter.notZero(
      castNumber(emitter, given, DType::Int32, arguments.range("predicate")), range);
  return {emitter.make<tile::SyncThreadsCountOp>(range, predicate.value), {{DType::Int32}, {}}};
}

/// 1 or 0, an int32.
static Value compareCount(Emitter &emitter, const Arguments &arguments,
                          arith::CmpIPredicate comparison, int64_t with) {
  SourceRange range = arguments.callRange();
  Tensor count = syncThreadsCount(emitter, arguments);
  mlir::Value holds = emitter.make<arith::CmpIOp>(range, comparison, count.value,
                                                  emitter.integer(with, DType::Int32, range).value);
  return Tensor{emitter.make<arith::ExtUIOp>(range, count.value.getType(), holds), count.type};
}

Value cudaSyncThreadsCountBuiltin(Emitter &emitter, const Arguments &arguments) {
  return syncThreadsCount(emitter, arguments);
}

Value cudaSyncThreadsAndBuiltin(Emitter &emitter, const Arguments &arguments) {
  int64_t threads = 1;
  for (int64_t extent : emitter.block)
    threads *= extent;
  return compareCount(emitter, arguments, arith::CmpIPredicate::eq, threads);
}

Value cudaSyncThreadsOrBuiltin(Emitter &emitter, const Arguments &arguments) {
  return compareCount(emitter, arguments, arith::CmpIPredicate::ne, 0);
}

static Value fence(Emitter &emitter, const Arguments &arguments) {
  tile::BarrierOp::create(emitter.builder, emitter.locate(arguments.callRange()));
  return {};
}
Value cudaThreadFenceBuiltin(Emitter &emitter, const Arguments &arguments) {
  return fence(emitter, arguments);
}
Value cudaThreadFenceBlockBuiltin(Emitter &emitter, const Arguments &arguments) {
  return fence(emitter, arguments);
}
Value cudaThreadFenceSystemBuiltin(Emitter &emitter, const Arguments &arguments) {
  return fence(emitter, arguments);
}

/// The type of the parts of elements that are complex numbers; nothing of others.
static std::optional<DType> complexPart(const Arguments &arguments) {
  const auto *type = arguments["dtype"].as<const sema::Builtin *>();
  if (type && *type == sema::findFunction("numba", "complex64"))
    return DType::Float32;
  if (type && *type == sema::findFunction("numba", "complex128"))
    return DType::Float64;
  return std::nullopt;
}

template <typename Op>
static Value makeStructures(Emitter &emitter, const std::shared_ptr<const Structure> &structure,
                            sema::Shape shape, int64_t count, SourceRange range) {
  sema::ScalarType pointer{DType::Int8, /*isPointer=*/true};
  auto bytes = static_cast<uint64_t>(count * structure->size);
  auto memory = Op::create(emitter.builder, emitter.locate(range), emitter.irType(pointer), bytes);
  Tensor base{memory.getResult(), {pointer, {}}};
  shape.push_back(structure->size);
  return asStructures(emitter, contiguous(emitter, base, shape, range), structure, range);
}

/// An array of constant shape in memory that `Op` makes.
template <typename Op> static Value makeArray(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  sema::Shape shape;
  int64_t count = 1;
  constexpr int64_t mostElements = int64_t(1) << 28;
  for (sema::Integer extent : arguments.integers("shape")) {
    if (extent < 1 || extent > mostElements || extent * count > mostElements)
      arguments.failValue("shape", "of one element or more, and of constant extents");
    shape.push_back(static_cast<int64_t>(extent));
    count *= shape.back();
  }
  if (shape.empty())
    arguments.failValue("shape", "an integer, or a tuple of them");
  if (auto structure = structureOf(arguments["dtype"]))
    return makeStructures<Op>(emitter, structure, std::move(shape), count, range);
  std::optional<DType> part = complexPart(arguments);
  sema::ScalarType element = part ? sema::ScalarType{*part} : arguments.dtype("dtype");
  sema::ScalarType pointer{element.dtype, /*isPointer=*/true};
  Tensor base{Op::create(emitter.builder, emitter.locate(range), emitter.irType(pointer),
                         static_cast<uint64_t>(part ? 2 * count : count))
                  .getResult(),
              {pointer, {}}};
  ArrayView array = contiguous(emitter, base, shape, range);
  return part ? asComplexArray(emitter, array, range) : array;
}

/// cuda.shared.array(0, ...): as many elements as the launch has bytes for. All such arrays begin
/// at the same place.
static bool isLeftToLaunch(const Arguments &arguments) {
  std::vector<sema::Integer> extents = arguments.integers("shape");
  return extents.size() == 1 && extents[0] == 0;
}

Value cudaSharedArrayBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  if (isLeftToLaunch(arguments)) {
    if (auto structure = structureOf(arguments["dtype"])) {
      ArrayView bytes = contiguous(emitter, emitter.dynamicMemory(DType::Int8, range),
                                   {emitter.sharedBytes / structure->size, structure->size}, range);
      return asStructures(emitter, bytes, structure, range);
    }
    DType element = arguments.dtype("dtype").dtype;
    return contiguous(emitter, emitter.dynamicMemory(element, range),
                      {emitter.sharedBytes / byteSize(element)}, range);
  }
  return makeArray<tile::SharedOp>(emitter, arguments);
}

Value cudaConstArrayLikeBuiltin(Emitter &, const Arguments &arguments) {
  const auto *array = arguments["ary"].as<ArrayView>();
  if (!array || !llvm::isa_and_nonnull<tile::TableOp>(array->base.value.getDefiningOp()))
    arguments.failType("ary", "an array that is a constant of the module");
  return *array;
}

/// Of an array whose last dimension lies together, which the checked device cannot see.
Value arrayViewBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  if (const auto *number = arguments["self"].as<Tensor>()) {
    sema::ScalarType type = arguments.dtype("dtype");
    if (type.isPointer || bitWidth(type.dtype) != bitWidth(number->dtype()))
      arguments.failType("dtype", "a type of as many bits as the number has");
    return emitter.bitcast(*number, type, range);
  }
  const auto *array = arguments["self"].as<ArrayView>();
  std::optional<DType> part = complexPart(arguments);
  if (!array || array->shape.empty() || array->isComplex || array->structure ||
      lengthOfTexts(array->kind) || part)
    arguments.failType("self", "an array of real numbers with a dimension");
  auto known = asConstant(array->strides.back());
  if (!known || sema::asInteger(*known) != sema::Integer(1))
    arguments.failType("self", "an array whose last dimension lies together");
  sema::ScalarType element = arguments.dtype("dtype");
  sema::ScalarType pointer{element.dtype, /*isPointer=*/true, array->base.type.scalar.isConst};
  auto rescaled = [&](const Tensor &count) {
    Tensor bytes = emitter.like<arith::MulIOp>(
        range, count, emitter.integer(byteSize(array->base.dtype()), DType::Int64, range));
    return emitter.like<arith::DivSIOp>(
        range, bytes, emitter.integer(byteSize(element.dtype), DType::Int64, range));
  };
  ArrayView view{emitter.cast(array->base, pointer, range),
                 array->shape,
                 array->strides,
                 false,
                 nullptr,
                 array->isField};
  view.shape.back() = rescaled(array->shape.back());
  for (Tensor &stride : llvm::drop_end(view.strides))
    stride = rescaled(stride);
  return view;
}

/// Whether each stride is what the extents behind it make, as it is computed for arrays in C's
/// order.
static bool liesTogether(const ArrayView &array) {
  auto known = asConstant(array.strides.back());
  bool isRight = known && sema::asInteger(*known) == sema::Integer(1);
  for (size_t dim = array.shape.size() - 1; isRight && dim-- > 0;) {
    mlir::Value stride = array.strides[dim].value, inner = array.strides[dim + 1].value;
    mlir::Value extent = array.shape[dim + 1].value;
    auto numbers = std::array{asConstant(array.strides[dim]), asConstant(array.strides[dim + 1]),
                              asConstant(array.shape[dim + 1])};
    auto product = stride.getDefiningOp<arith::MulIOp>();
    bool isProduct = product && ((product.getLhs() == inner && product.getRhs() == extent) ||
                                 (product.getLhs() == extent && product.getRhs() == inner));
    bool isKnown = numbers[0] && numbers[1] && numbers[2] &&
                   *sema::asInteger(*numbers[0]) ==
                       *sema::asInteger(*numbers[1]) * *sema::asInteger(*numbers[2]);
    bool isLast = numbers[1] && *sema::asInteger(*numbers[1]) == 1 && stride == extent;
    isRight = isProduct || isKnown || isLast;
  }
  return isRight;
}

Value arrayReshapeBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  const auto *array = arguments["self"].as<ArrayView>();
  if (!array || array->shape.empty() || array->structure || array->isComplex ||
      lengthOfTexts(array->kind))
    arguments.failType("self", "an array of real numbers with a dimension");
  if (!liesTogether(*array))
    arguments.failType("self", "an array whose elements lie together, the last index fastest");
  std::vector<Value> given = arguments.elements("shape");
  if (given.size() == 1)
    if (const auto *tuple = given[0].as<Tuple>())
      given = std::vector<Value>(tuple->elements);
  auto integer = [&](int64_t value) { return emitter.integer(value, DType::Int64, range); };
  auto product = [&](const Tensor &x, const Tensor &y) {
    return emitter.like<arith::MulIOp>(range, x, y);
  };
  auto whereOpen = [&](const Tensor &extent, const Tensor &yes) {
    Tensor isOpen = emitter.compareSame(ast::CompareOp::Eq, {extent, integer(-1)}, range);
    return Tensor{emitter.make<arith::SelectOp>(range, isOpen.value, yes.value, extent.value),
                  extent.type};
  };
  std::vector<Tensor> shape;
  Tensor rest = integer(1), size = rest;
  for (const Tensor &extent : array->shape)
    size = product(size, extent);
  for (const Value &extent : given) {
    if (!isNumber(extent) || isPointer(extent))
      arguments.failType("shape", "integers, of which one may be -1");
    shape.push_back(emitter.cast(emitter.toTensor(extent, range), {DType::Int64}, range));
    rest = product(rest, whereOpen(shape.back(), integer(1)));
  }
  for (Tensor &extent : shape)
    extent = whereOpen(extent, emitter.like<arith::DivSIOp>(range, size, rest));
  ArrayView result{array->base, shape, shape, false, nullptr, array->isField, array->kind};
  Tensor stride = integer(1);
  for (size_t dim = shape.size(); dim-- > 0; stride = product(stride, shape[dim]))
    result.strides[dim] = stride;
  return result;
}

Value cudaLocalArrayBuiltin(Emitter &emitter, const Arguments &arguments) {
  return makeArray<tile::LocalOp>(emitter, arguments);
}

} // namespace nereid::emit
