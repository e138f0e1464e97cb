// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and writing memory, through pointers or block pointers.
#include "frontend/emit/Advice.h"
#include "frontend/emit/Arguments.h"

namespace nereid::emit {

using namespace mlir;
using sema::ConstantValue;

namespace {

tile::CacheModifierAttr cacheOf(Emitter &emitter, const Arguments &arguments,
                                std::initializer_list<const char *> allowed) {
  std::string text = arguments.text("cache_modifier");
  if (text.empty())
    return {};
  bool isAllowed = llvm::any_of(allowed, [&](llvm::StringRef name) { return name == text; });
  auto kind = isAllowed ? tile::symbolizeCacheModifier(text.substr(1)) : std::nullopt;
  if (!kind)
    arguments.failValue("cache_modifier", "'' or one of '" + llvm::join(allowed, "', '") + "'");
  return tile::CacheModifierAttr::get(emitter.builder.getContext(), *kind);
}

tile::EvictionPolicyAttr evictionOf(Emitter &emitter, const Arguments &arguments) {
  std::string text = arguments.text("eviction_policy");
  if (text.empty())
    return {};
  auto kind = tile::symbolizeEvictionPolicy(text);
  if (!kind)
    arguments.failValue("eviction_policy", "'', 'evict_first' or 'evict_last'");
  return tile::EvictionPolicyAttr::get(emitter.builder.getContext(), *kind);
}

Tensor pointerOf(Emitter &emitter, const Arguments &arguments, std::string_view name = "pointer") {
  const auto *tensor = arguments[name].as<Tensor>();
  if (tensor && tensor->isPointer())
    return *tensor;
  std::string function(arguments.function());
  if (const ast::Parameter *parameter =
          numberUsedAsPointer(emitter, arguments[name], arguments.range(name)))
    failWithNote(
        parameter->range, {arguments.range(name), "tl." + function + " needs a pointer here"},
        DiagnosticId::argument_type, parameter->name, "the kernel", "an array", "a number");
  fail(arguments.range(name), DiagnosticId::not_a_pointer, function, describe(arguments[name]));
}

/// tl.const promises that nothing is written through a pointer.
void refuseConst(const Arguments &arguments, const Tensor &pointer) {
  if (pointer.type.scalar.isConst)
    failWithNote(arguments.range("pointer"), {{}, "it comes from a parameter declared tl.const"},
                 DiagnosticId::argument_type, "pointer", arguments.function(),
                 "a pointer to write through", describe(pointer));
}

/// The mask as int1; nothing if there is none.
std::optional<Tensor> maskOf(Emitter &emitter, const Arguments &arguments) {
  if (arguments.isNone("mask"))
    return std::nullopt;
  Tensor mask = arguments.tensor("mask");
  if (mask.isPointer() || isFloat(mask.dtype()))
    arguments.failType("mask", "int1");
  return emitter.notZero(mask, arguments.range("mask"));
}

/// What stands beside a scalar pointer must be scalar; one element in a tile counts.
Tensor besideScalar(Emitter &emitter, const Arguments &arguments, const Tensor &value,
                    std::string_view name) {
  if (!value.isTile())
    return value;
  if (value.type.elements() != 1)
    failWithNote(arguments.range(name), {{}, "the pointer is a scalar"},
                 DiagnosticId::argument_type, name, arguments.function(), "a scalar",
                 describe(value));
  return emitter.reshape(value, {}, arguments.range(name));
}

void refuse(const Arguments &arguments, std::initializer_list<const char *> names,
            std::string_view because) {
  for (const char *name : names) {
    const auto *tuple = arguments[name].as<Tuple>();
    const auto *constant = arguments[name].as<ConstantValue>();
    bool isAbsent = (tuple && tuple->elements.empty()) || (constant && !sema::isTrue(*constant));
    if (!isAbsent)
      failWithNote(arguments.range(name), {{}, std::string(because)}, DiagnosticId::argument_value,
                   name, arguments.function(), "left out", describe(arguments[name]));
  }
}

constexpr const char *onlyBlocks = "it goes with block pointers only";
constexpr const char *notBlocks = "block pointers have boundary_check instead";

/// The dimensions that boundary_check names.
std::vector<size_t> checkedDims(Emitter &emitter, const Arguments &arguments, size_t rank) {
  std::vector<size_t> dims;
  for (sema::Integer dim : arguments.integers("boundary_check"))
    dims.push_back(static_cast<size_t>(
        emitter.wrapAxis(dim, static_cast<int64_t>(rank), arguments.range("boundary_check"))));
  return dims;
}

/// A block pointer spelt out: one pointer for each element, and which of them lie inside.
struct Window {
  Tensor pointers;
  std::optional<Tensor> inside;
};

class WindowBuilder {
public:
  WindowBuilder(Emitter &emitter, const BlockPointer &block, SourceRange range)
      : emitter(emitter), block(block), range(range) {}

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
  /// 0, 1 ... along the dimension, as int64.
  Tensor lanes(size_t dim) {
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
  SourceRange range;
};

Tensor emitLoad(Emitter &emitter, const Arguments &arguments, const Tensor &pointer,
                std::optional<Tensor> mask, std::optional<Tensor> other) {
  auto cache = cacheOf(emitter, arguments, {".ca", ".cg", ".cs", ".cv"});
  auto eviction = evictionOf(emitter, arguments);
  sema::ValueType type = pointer.type.with({pointer.dtype()});
  auto load = tile::LoadOp::create(
      emitter.builder, emitter.locate(arguments.callRange()), emitter.irType(type), pointer.value,
      mask ? mask->value : mlir::Value(), other ? other->value : mlir::Value(), cache, eviction,
      arguments.flag("volatile"));
  return {load.getResult(), type};
}

Value loadBlock(Emitter &emitter, const Arguments &arguments, const BlockPointer &block) {
  refuse(arguments, {"mask", "other"}, notBlocks);
  SourceRange range = arguments.callRange();
  std::string padding = arguments.text("padding_option");
  if (!padding.empty() && padding != "zero" && padding != "nan")
    arguments.failValue("padding_option", "'', 'zero' or 'nan'");
  DType element = block.base.dtype();
  if (padding == "nan" && isInteger(element))
    arguments.failValue("padding_option", "'' or 'zero' for integers");
  Window window = WindowBuilder(emitter, block, range)
                      .build(checkedDims(emitter, arguments, block.block.size()));
  std::optional<Tensor> other;
  if (window.inside && !padding.empty()) {
    ConstantValue fill =
        padding == "nan" ? ConstantValue(std::nan("")) : ConstantValue(sema::Integer(0));
    other = emitter.splat(emitter.constant(fill, {element}, range), block.block, range);
  }
  return emitLoad(emitter, arguments, window.pointers, window.inside, other);
}

} // namespace

Value loadBuiltin(Emitter &emitter, const Arguments &arguments) {
  if (const auto *block = arguments["pointer"].as<BlockPointer>())
    return loadBlock(emitter, arguments, *block);
  refuse(arguments, {"boundary_check", "padding_option"}, onlyBlocks);
  Tensor pointer = pointerOf(emitter, arguments);
  std::optional<Tensor> mask = maskOf(emitter, arguments), other;
  if (!arguments.isNone("other")) {
    if (!mask)
      failWithNote(arguments.range("other"), {{}, "`other` needs a mask"},
                   DiagnosticId::argument_value, "other", "load", "left out",
                   describe(arguments["other"]));
    other = emitter.cast(arguments.tensor("other"), {pointer.dtype()}, arguments.range("other"));
  }
  if (!pointer.isTile()) {
    if (mask)
      mask = besideScalar(emitter, arguments, *mask, "mask");
    if (other)
      other = besideScalar(emitter, arguments, *other, "other");
    return emitLoad(emitter, arguments, pointer, mask, other);
  }
  if (mask) // the wider of the two decides, as for any operator
    std::tie(pointer, mask) = [&] {
      OperandPair pair = emitter.broadcast(pointer, *mask, arguments.range("mask"));
      return std::tuple(pair.lhs, std::optional(pair.rhs));
    }();
  if (other)
    other = emitter.broadcastTo(*other, pointer.shape(), arguments.range("other"));
  return emitLoad(emitter, arguments, pointer, mask, other);
}

Value storeBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  auto cache = cacheOf(emitter, arguments, {".wb", ".cg", ".cs", ".wt"});
  auto eviction = evictionOf(emitter, arguments);
  Tensor pointer, value = arguments.tensor("value");
  std::optional<Tensor> mask;
  if (const auto *block = arguments["pointer"].as<BlockPointer>()) {
    refuse(arguments, {"mask"}, notBlocks);
    Window window = WindowBuilder(emitter, *block, range)
                        .build(checkedDims(emitter, arguments, block->block.size()));
    pointer = window.pointers;
    mask = window.inside;
  } else {
    refuse(arguments, {"boundary_check"}, onlyBlocks);
    pointer = pointerOf(emitter, arguments);
    mask = maskOf(emitter, arguments);
  }
  refuseConst(arguments, pointer);
  if (!pointer.isTile()) {
    value = besideScalar(emitter, arguments, value, "value");
    if (mask)
      mask = besideScalar(emitter, arguments, *mask, "mask");
  } else {
    value = emitter.broadcastTo(value, pointer.shape(), arguments.range("value"));
    if (mask)
      mask = emitter.broadcastTo(*mask, pointer.shape(), arguments.range("mask"));
  }
  value = emitter.cast(value, {pointer.dtype()}, arguments.range("value"));
  tile::StoreOp::create(emitter.builder, emitter.locate(range), pointer.value, value.value,
                        mask ? mask->value : mlir::Value(), cache, eviction);
  return {};
}

/// A tuple of integer scalars as int64.
static std::vector<Tensor> extents(Emitter &emitter, const Arguments &arguments,
                                   std::string_view name, size_t rank) {
  std::vector<Value> elements = arguments.elements(name);
  if (elements.size() != rank)
    arguments.failValue(name, "as long as block_shape");
  std::vector<Tensor> result;
  for (const Value &element : elements) {
    const auto *constant = element.as<ConstantValue>();
    const auto *tensor = element.as<Tensor>();
    bool isInteger =
        (constant && sema::asInteger(*constant)) ||
        (tensor && !tensor->isTile() && !tensor->isPointer() && nereid::isInteger(tensor->dtype()));
    if (!isInteger)
      fail(arguments.range(name), DiagnosticId::argument_type, name, arguments.function(),
           "a tuple of integer scalars", describe(element));
    Tensor scalar = emitter.toTensor(element, arguments.range(name));
    result.push_back(emitter.cast(scalar, {DType::Int64}, arguments.range(name)));
  }
  return result;
}

Value make_block_ptrBuiltin(Emitter &emitter, const Arguments &arguments) {
  BlockPointer block;
  block.base = pointerOf(emitter, arguments, "base");
  if (block.base.isTile())
    arguments.failType("base", "a scalar pointer");
  block.block = arguments.shape("block_shape");
  size_t rank = block.block.size();
  if (rank == 0)
    arguments.failValue("block_shape", "of rank 1 or more");
  block.shape = extents(emitter, arguments, "shape", rank);
  block.strides = extents(emitter, arguments, "strides", rank);
  block.offsets = extents(emitter, arguments, "offsets", rank);
  std::vector<sema::Integer> order = arguments.integers("order");
  llvm::sort(order);
  for (size_t i = 0; i < std::max(rank, order.size()); ++i)
    if (order.size() != rank || order[i] != static_cast<sema::Integer>(i))
      arguments.failValue("order", "each dimension once");
  return block;
}

Value advanceBuiltin(Emitter &emitter, const Arguments &arguments) {
  const auto *block = arguments["base"].as<BlockPointer>();
  if (!block)
    arguments.failType("base", "a block pointer");
  BlockPointer moved = *block;
  std::vector<Tensor> steps = extents(emitter, arguments, "offsets", moved.block.size());
  for (size_t i = 0; i < steps.size(); ++i)
    moved.offsets[i] =
        emitter.like<arith::AddIOp>(arguments.callRange(), moved.offsets[i], steps[i]);
  return moved;
}

static tile::MemoryOrder orderOf(const Arguments &arguments) {
  std::string text = arguments.text("sem");
  auto order = tile::symbolizeMemoryOrder(text.empty() ? "acq_rel" : text);
  if (!order)
    arguments.failValue("sem", "'relaxed', 'acquire', 'release' or 'acq_rel'");
  return *order;
}

static tile::MemoryScope scopeOf(const Arguments &arguments) {
  std::string text = arguments.text("scope");
  auto scope = tile::symbolizeMemoryScope(text.empty() ? "gpu" : text);
  if (!scope)
    arguments.failValue("scope", "'cta', 'gpu' or 'sys'");
  return *scope;
}

Value atomic_addBuiltin(Emitter &emitter, const Arguments &arguments) {
  Tensor pointer = pointerOf(emitter, arguments), value = arguments.tensor("val");
  refuseConst(arguments, pointer);
  std::optional<Tensor> mask = maskOf(emitter, arguments);
  sema::ScalarType element{pointer.dtype()};
  if (bitWidth(element.dtype) < (isInteger(element.dtype) ? 32 : 16))
    failWithNote(arguments.range("pointer"),
                 {{}, "integers of 32 and 64 bits and floats of 16 and more can be added to"},
                 DiagnosticId::argument_type, "pointer", "atomic_add", "a pointer to a wider type",
                 describe(pointer));
  if (!pointer.isTile()) {
    value = besideScalar(emitter, arguments, value, "val");
    if (mask)
      mask = besideScalar(emitter, arguments, *mask, "mask");
  } else {
    value = emitter.broadcastTo(value, pointer.shape(), arguments.range("val"));
    if (mask)
      mask = emitter.broadcastTo(*mask, pointer.shape(), arguments.range("mask"));
  }
  value = emitter.cast(value, element, arguments.range("val"));
  auto kind = isFloat(element.dtype) ? tile::AtomicKind::FAdd : tile::AtomicKind::Add;
  auto atomic = tile::AtomicRmwOp::create(emitter.builder, emitter.locate(arguments.callRange()),
                                          value.value.getType(), kind, pointer.value, value.value,
                                          mask ? mask->value : mlir::Value(), orderOf(arguments),
                                          scopeOf(arguments));
  return Tensor{atomic.getResult(), value.type};
}

} // namespace nereid::emit
