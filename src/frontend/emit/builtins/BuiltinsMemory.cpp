// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and writing memory, through pointers or block pointers.
#include "frontend/emit/Pointers.h"
#include "frontend/emit/builtins/Window.h"

namespace nereid::emit {

using namespace mlir;
using sema::ConstantValue;

namespace {

tile::CacheModifierAttr cacheOf(Emitter &emitter, const Arguments &arguments,
                                std::initializer_list<const char *> allowed) {
  std::string text = arguments.choice("cache_modifier");
  if (text.empty())
    return {};
  bool isAllowed = llvm::any_of(allowed, [&](llvm::StringRef name) { return name == text; });
  auto kind = isAllowed ? tile::symbolizeCacheModifier(text.substr(1)) : std::nullopt;
  if (!kind)
    arguments.failValue("cache_modifier", "'' or one of '" + llvm::join(allowed, "', '") + "'");
  return tile::CacheModifierAttr::get(emitter.builder.getContext(), *kind);
}

tile::EvictionPolicyAttr evictionOf(Emitter &emitter, const Arguments &arguments) {
  std::string text = arguments.choice("eviction_policy");
  if (text.empty())
    return {};
  auto kind = tile::symbolizeEvictionPolicy(text);
  if (!kind)
    arguments.failValue("eviction_policy", "'', 'evict_first' or 'evict_last'");
  return tile::EvictionPolicyAttr::get(emitter.builder.getContext(), *kind);
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
  std::string padding = arguments.choice("padding_option");
  if (!padding.empty() && padding != "zero" && padding != "nan")
    arguments.failValue("padding_option", "'', 'zero' or 'nan'");
  DType element = block.base.dtype();
  if (padding == "nan" && isInteger(element))
    arguments.failValue("padding_option", "'' or 'zero' for integers");
  Window window =
      windowOf(emitter, block, checkedDims(emitter, arguments, block.block.size()), range);
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
      mask = besidePointer(emitter, arguments, pointer, *mask, "mask");
    if (other)
      other = besidePointer(emitter, arguments, pointer, *other, "other");
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
    Window window =
        windowOf(emitter, *block, checkedDims(emitter, arguments, block->block.size()), range);
    pointer = window.pointers;
    mask = window.inside;
  } else {
    refuse(arguments, {"boundary_check"}, onlyBlocks);
    pointer = pointerOf(emitter, arguments);
    mask = maskOf(emitter, arguments);
  }
  refuseConst(arguments, pointer);
  value = besidePointer(emitter, arguments, pointer, value, "value");
  if (mask)
    mask = besidePointer(emitter, arguments, pointer, *mask, "mask");
  value = emitter.cast(value, {pointer.dtype()}, arguments.range("value"));
  tile::StoreOp::create(emitter.builder, emitter.locate(range), pointer.value, value.value,
                        mask ? mask->value : mlir::Value(), cache, eviction);
  return {};
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

} // namespace nereid::emit
