// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor descriptors: arrays whose blocks are named by their offsets. What lies outside the array
// is never touched. They are written out as pointers, like block pointers (docs/decisions/0008).
#include "frontend/emit/Advice.h"
#include "frontend/emit/Pointers.h"
#include "frontend/emit/builtins/Atomics.h"
#include "frontend/emit/builtins/Window.h"

namespace nereid::emit {

using namespace mlir;
using sema::ConstantValue;

namespace {

std::vector<Tensor> castAll(Emitter &emitter, std::vector<Tensor> scalars, DType type,
                            SourceRange range) {
  for (Tensor &scalar : scalars)
    scalar = emitter.cast(scalar, {type}, range);
  return scalars;
}

const TensorDescriptor &descriptorOf(const Arguments &arguments, std::string_view name = "self") {
  const auto *descriptor = arguments[name].as<TensorDescriptor>();
  if (!descriptor)
    arguments.failType(name, "a tensor descriptor");
  return *descriptor;
}

/// What every descriptor promises, its array and its rows begin at multiples of 16 bytes, of what
/// the kernel finds in memory: nothing else says so. Elsewhere other arrays are put up with.
void promiseMultiple(Emitter &emitter, Tensor &scalar, int64_t amount, SourceRange range) {
  mlir::Value source = scalar.value;
  while (source.getDefiningOp<arith::ExtSIOp>() || source.getDefiningOp<arith::ExtUIOp>())
    source = source.getDefiningOp()->getOperand(0);
  if (amount < 2 ||
      !llvm::isa_and_present<tile::LoadOp, tile::IntToPointerOp>(source.getDefiningOp()))
    return;
  scalar.value = emitter.make<tile::HintOp>(range, tile::HintKind::Divisibility, scalar.value,
                                            llvm::ArrayRef(amount));
}

/// The block at `offsets`, int64 scalars. With `rows`, of those rows.
Window blockAt(Emitter &emitter, const TensorDescriptor &descriptor, std::vector<Tensor> offsets,
               SourceRange range, const Tensor *rows = nullptr) {
  BlockPointer block{.base = descriptor.base,
                     .shape = castAll(emitter, descriptor.shape, DType::Int64, range),
                     .strides = descriptor.strides,
                     .offsets = std::move(offsets),
                     .block = descriptor.block};
  if (rows)
    block.block[0] = rows->shape()[0];
  auto all = llvm::to_vector(llvm::seq<size_t>(0, block.block.size()));
  return windowOf(emitter, block, all, range, rows);
}

Window blockOf(Emitter &emitter, const Arguments &arguments, const TensorDescriptor &descriptor) {
  return blockAt(emitter, descriptor,
                 extents(emitter, arguments, "offsets", descriptor.block.size()),
                 arguments.callRange());
}

Tensor load(Emitter &emitter, const Window &window, bool padsWithNan, SourceRange range) {
  sema::ValueType type = window.pointers.type.with({window.pointers.dtype()});
  ConstantValue padding =
      padsWithNan ? ConstantValue(std::nan("")) : ConstantValue(sema::Integer(0));
  mlir::Value other =
      emitter.splat(emitter.constant(padding, type.scalar, range), type.shape, range).value;
  auto op = tile::LoadOp::create(emitter.builder, emitter.locate(range), window.pointers.value,
                                 window.inside->value, other);
  return {op.getResult(), type};
}

/// The argument `value` as the elements of the block.
Tensor elementsFor(Emitter &emitter, const Arguments &arguments, const Window &window) {
  Tensor value =
      besidePointer(emitter, arguments, window.pointers, arguments.tensor("value"), "value");
  return emitter.cast(value, {window.pointers.dtype()}, arguments.range("value"));
}

void store(Emitter &emitter, const Arguments &arguments, const Window &window) {
  Tensor value = elementsFor(emitter, arguments, window);
  tile::StoreOp::create(emitter.builder, emitter.locate(arguments.callRange()),
                        window.pointers.value, value.value, window.inside->value);
}

void refuseConst(const Arguments &arguments, const TensorDescriptor &descriptor,
                 std::string_view name) {
  if (descriptor.base.type.scalar.isConst)
    failWithNote(arguments.range(name), {{}, "its base comes from a parameter declared tl.const"},
                 DiagnosticId::argument_type, name, arguments.function(),
                 "a descriptor to write through", describe(arguments[name]));
}

/// Rows named by `x_offsets`, from the column `y_offset` on.
Window rowsOf(Emitter &emitter, const Arguments &arguments, const TensorDescriptor &descriptor) {
  if (descriptor.block.size() != 2 || descriptor.block[0] != 1)
    failWithNote(arguments.range("self"),
                 {{}, "its block_shape is " + sema::toString(descriptor.block)},
                 DiagnosticId::argument_value, "self", arguments.function(),
                 "a descriptor with blocks of one row, (1, n)", describe(arguments["self"]));
  Tensor rows = arguments.tile("x_offsets");
  if (rows.shape().size() != 1 || rows.isPointer() || !isInteger(rows.dtype()))
    arguments.failType("x_offsets", "a 1-D tile of integers");
  rows = emitter.cast(rows, {DType::Int64}, arguments.range("x_offsets"));
  std::vector<Tensor> offsets = extents(emitter, arguments, "y_offset", 1);
  offsets.insert(offsets.begin(), emitter.integer(0, DType::Int64, arguments.callRange()));
  return blockAt(emitter, descriptor, std::move(offsets), arguments.callRange(), &rows);
}

} // namespace

Value make_tensor_descriptorBuiltin(Emitter &emitter, const Arguments &arguments) {
  TensorDescriptor descriptor;
  descriptor.base = pointerOf(emitter, arguments, "base");
  if (descriptor.base.isTile())
    arguments.failType("base", "a scalar pointer");
  descriptor.block = arguments.shape("block_shape");
  size_t rank = descriptor.block.size();
  if (rank < 1 || rank > 5)
    arguments.failValue("block_shape", "of rank 1 to 5");
  descriptor.shape = castAll(emitter, extents(emitter, arguments, "shape", rank), DType::Int32,
                             arguments.range("shape"));
  descriptor.strides = extents(emitter, arguments, "strides", rank);
  auto last = asConstant(descriptor.strides.back());
  if (!last || sema::asInteger(*last) != sema::Integer(1))
    failWithNote(arguments.range("strides"), {{}, "the elements of a row lie side by side"},
                 DiagnosticId::argument_value, "strides", arguments.function(),
                 "a tuple that ends in the constexpr 1", describe(arguments["strides"]));
  constexpr int64_t unitBytes = 16;
  promiseMultiple(emitter, descriptor.base, unitBytes, arguments.range("base"));
  for (size_t i = 0; i + 1 < rank; ++i)
    promiseMultiple(emitter, descriptor.strides[i], unitBytes / byteSize(descriptor.base.dtype()),
                    arguments.range("strides"));
  std::string padding = arguments.text("padding_option");
  if (padding != "zero" && padding != "nan")
    arguments.failValue("padding_option", "'zero' or 'nan'");
  descriptor.padsWithNan = padding == "nan";
  if (descriptor.padsWithNan && isInteger(descriptor.base.dtype()))
    arguments.failValue("padding_option", "'zero' for integers");
  return descriptor;
}

static Value loadFrom(Emitter &emitter, const Arguments &arguments, std::string_view name) {
  const TensorDescriptor &descriptor = descriptorOf(arguments, name);
  return load(emitter, blockOf(emitter, arguments, descriptor), descriptor.padsWithNan,
              arguments.callRange());
}

static Value storeTo(Emitter &emitter, const Arguments &arguments, std::string_view name) {
  const TensorDescriptor &descriptor = descriptorOf(arguments, name);
  refuseConst(arguments, descriptor, name);
  store(emitter, arguments, blockOf(emitter, arguments, descriptor));
  return {};
}

Value load_tensor_descriptorBuiltin(Emitter &emitter, const Arguments &arguments) {
  return loadFrom(emitter, arguments, "desc");
}

Value store_tensor_descriptorBuiltin(Emitter &emitter, const Arguments &arguments) {
  return storeTo(emitter, arguments, "desc");
}

Value descriptor_loadBuiltin(Emitter &emitter, const Arguments &arguments) {
  return loadFrom(emitter, arguments, "self");
}

Value descriptor_storeBuiltin(Emitter &emitter, const Arguments &arguments) {
  return storeTo(emitter, arguments, "self");
}

Value descriptor_gatherBuiltin(Emitter &emitter, const Arguments &arguments) {
  const TensorDescriptor &descriptor = descriptorOf(arguments);
  return load(emitter, rowsOf(emitter, arguments, descriptor), descriptor.padsWithNan,
              arguments.callRange());
}

Value descriptor_scatterBuiltin(Emitter &emitter, const Arguments &arguments) {
  const TensorDescriptor &descriptor = descriptorOf(arguments);
  refuseConst(arguments, descriptor, "self");
  store(emitter, arguments, rowsOf(emitter, arguments, descriptor));
  return {};
}

static Value atomicOn(Emitter &emitter, const Arguments &arguments, AtomicAction action) {
  const TensorDescriptor &descriptor = descriptorOf(arguments);
  refuseConst(arguments, descriptor, "self");
  DType element = descriptor.base.dtype();
  if (!isAtomicThroughDescriptor(action, element)) {
    std::vector<DiagnosticNote> notes{{{}, "its base is a " + describe(descriptor.base)}};
    if (isAtomic(action, element))
      notes.push_back(
          {{}, "the same function of pointers takes " + std::string(nereid::name(element))});
    failWithNotes(
        std::move(notes),
        diagnose(arguments.range("self"), DiagnosticId::argument_type, "self", arguments.function(),
                 "a descriptor of " + std::string(atomicElementsThroughDescriptor(action)),
                 describe(arguments["self"])));
  }
  Window window = blockOf(emitter, arguments, descriptor);
  Atomic atomic{action, window.pointers, elementsFor(emitter, arguments, window), window.inside};
  emitAtomic(emitter, atomic, arguments.callRange());
  return {};
}

Value descriptor_atomic_addBuiltin(Emitter &emitter, const Arguments &arguments) {
  return atomicOn(emitter, arguments, AtomicAction::Add);
}

Value descriptor_atomic_maxBuiltin(Emitter &emitter, const Arguments &arguments) {
  return atomicOn(emitter, arguments, AtomicAction::Max);
}

Value descriptor_atomic_minBuiltin(Emitter &emitter, const Arguments &arguments) {
  return atomicOn(emitter, arguments, AtomicAction::Min);
}

Value descriptor_atomic_andBuiltin(Emitter &emitter, const Arguments &arguments) {
  return atomicOn(emitter, arguments, AtomicAction::And);
}

Value descriptor_atomic_orBuiltin(Emitter &emitter, const Arguments &arguments) {
  return atomicOn(emitter, arguments, AtomicAction::Or);
}

Value descriptor_atomic_xorBuiltin(Emitter &emitter, const Arguments &arguments) {
  return atomicOn(emitter, arguments, AtomicAction::Xor);
}

} // namespace nereid::emit
