// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores of numba.cuda that say which caches keep an element.
#include "frontend/emit/Arguments.h"
#include "frontend/emit/threads/Arrays.h"
#include "frontend/emit/threads/Operators.h"

namespace nereid::emit {

using namespace mlir;
using namespace threads;

/// What is shared, or one thread's own, or part of the kernel, has no such caches.
static Tensor globalElement(Emitter &emitter, const Arguments &arguments) {
  const auto *array = arguments["array"].as<ArrayView>();
  if (!array || array->isComplex || array->structure || !array->kind.empty())
    arguments.failType("array", "an array of real numbers");
  Operation *op = array->base.value.getDefiningOp();
  while (llvm::isa_and_nonnull<tile::OffsetOp, tile::PointerCastOp>(op))
    op = op->getOperand(0).getDefiningOp();
  if (llvm::isa_and_nonnull<tile::SharedOp, tile::LocalOp, tile::TableOp>(op))
    arguments.failValue("array", "an array that the launch gave");
  return elementAddress(emitter, *array, arguments["index"], arguments.callRange());
}

static tile::CacheModifierAttr attributeOf(Emitter &emitter, tile::CacheModifier cache) {
  return tile::CacheModifierAttr::get(emitter.builder.getContext(), cache);
}

static Value load(Emitter &emitter, const Arguments &arguments, tile::CacheModifier cache) {
  Tensor pointer = globalElement(emitter, arguments);
  sema::ValueType type{{pointer.dtype()}, {}};
  auto op = tile::LoadOp::create(emitter.builder, emitter.locate(arguments.callRange()),
                                 emitter.irType(type), pointer.value, mlir::Value(), mlir::Value(),
                                 attributeOf(emitter, cache), tile::EvictionPolicyAttr(),
                                 /*is_volatile=*/false);
  return Tensor{op.getResult(), type};
}

static Value store(Emitter &emitter, const Arguments &arguments, tile::CacheModifier cache) {
  Tensor pointer = globalElement(emitter, arguments);
  if (pointer.type.scalar.isConst)
    arguments.failType("array", "an array that is not read only");
  const Value &value = arguments["value"];
  if (!isNumber(value) || isPointer(value))
    arguments.failType("value", "a number");
  Tensor stored = castNumber(emitter, value, pointer.dtype(), arguments.range("value"));
  tile::StoreOp::create(emitter.builder, emitter.locate(arguments.callRange()), pointer.value,
                        stored.value, mlir::Value(), attributeOf(emitter, cache),
                        tile::EvictionPolicyAttr());
  return {};
}

#define CACHED(id, act, cache)                                                                     \
  Value cuda##id##Builtin(Emitter &emitter, const Arguments &arguments) {                          \
    return act(emitter, arguments, tile::CacheModifier::cache);                                    \
  }
CACHED(Ldca, load, CacheAll)
CACHED(Ldcg, load, CacheGlobal)
CACHED(Ldcs, load, CacheStreaming)
CACHED(Ldlu, load, CacheStreaming) // goes as early as what is read once
CACHED(Ldcv, load, DontCache)
CACHED(Stcg, store, CacheGlobal)
CACHED(Stcs, store, CacheStreaming)
CACHED(Stwb, store, WriteBack)
CACHED(Stwt, store, WriteThrough)
#undef CACHED

} // namespace nereid::emit
