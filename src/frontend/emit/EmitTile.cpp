// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/EmitTile.h"

#include "dialect/tile/Exact.h"
#include "frontend/emit/control/Retrace.h"
#include "frontend/emit/threads/Recursion.h"
#include "frontend/emit/threads/Structures.h"
#include "frontend/sema/Annotation.h"
#include "support/Check.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::emit {
namespace {

/// The parameters of a kernel as run-time arguments and constants, in one walk: first for their
/// types, then for their values.
class ParameterBinder {
public:
  explicit ParameterBinder(Emitter &emitter) : emitter(emitter) {}

  void addTypes(const sema::SpecializedParameter &parameter) {
    if (const auto *runtime = std::get_if<RuntimeParameter>(&parameter))
      for (const auto &[name, type] : runtime->arguments(""))
        types.push_back(emitter.irType(type));
    const auto *compound = std::get_if<CompoundPtr>(&parameter);
    const auto *tuple = compound ? std::get_if<Compound::Tuple>(&(*compound)->part) : nullptr;
    for (size_t i = 0; tuple && i < tuple->elements.size(); ++i)
      addTypes(tuple->elements[i]);
  }

  Value bind(const sema::SpecializedParameter &parameter, const ast::Parameter &declared,
             const std::string &name) {
    if (const auto *constant = std::get_if<sema::ConstantValue>(&parameter))
      return *constant;
    if (const auto *runtime = std::get_if<RuntimeParameter>(&parameter))
      return bind(*runtime, declared, name);
    const auto &part = std::get<CompoundPtr>(parameter)->part;
    if (const auto *hosted = std::get_if<Compound::Hosted>(&part))
      return emitter.valueOf(hosted->value, declared.range);
    const auto &tuple = std::get<Compound::Tuple>(part);
    Tuple result;
    if (tuple.record)
      result.record = emitter.recordType(tuple.record);
    for (const auto &element : tuple.elements) {
      size_t index = result.elements.size();
      std::string place = tuple.record ? tuple.record->fields[index] : std::to_string(index);
      result.elements.push_back(bind(element, declared, name + "." + place));
    }
    if (tuple.record && emitter.isOfThreads())
      if (auto array = threads::hostedArray(emitter, *tuple.record, result, declared.range))
        return *array;
    return result;
  }

  mlir::func::FuncOp kernel;
  std::vector<mlir::Type> types;

private:
  using RuntimeParameter = sema::RuntimeParameter;
  using ScalarType = sema::ScalarType;
  using Compound = sema::CompoundParameter;
  using CompoundPtr = std::shared_ptr<const Compound>;

  Value bind(const RuntimeParameter &runtime, const ast::Parameter &declared,
             const std::string &parameter) {
    std::vector<Tensor> parts;
    if (runtime.array)
      return bindArray(runtime, declared, parameter);
    for (auto &[name, type] : runtime.arguments(parameter)) {
      bool isExtent = !parts.empty() && parts.size() <= runtime.block.size();
      bool isStride = !parts.empty() && !isExtent;
      int64_t divisor = !runtime.isDivisibleBy16 || isExtent ? 1
                        : isStride                           ? runtime.strideDivisor()
                                                             : knownMultiple;
      parts.push_back(argument(type, divisor, declared, name));
    }
    if (!runtime.isDescriptor())
      return parts[0];
    auto extents = parts.begin() + 1, strides = extents + runtime.block.size();
    TensorDescriptor descriptor{.base = parts[0],
                                .shape = {},
                                .strides = {},
                                .block = runtime.block,
                                .padsWithNan = runtime.padsWithNan};
    descriptor.shape.assign(extents, strides);
    descriptor.strides.assign(strides, parts.end());
    descriptor.strides.push_back(emitter.integer(1, DType::Int64, declared.range));
    return descriptor;
  }

  /// Strides that the order of the elements tells are computed from the extents.
  ArrayView bindArray(const RuntimeParameter &runtime, const ast::Parameter &declared,
                      const std::string &parameter) {
    using Order = sema::ArrayForm::Order;
    std::vector<Tensor> parts;
    for (auto &[name, type] : runtime.arguments(parameter))
      parts.push_back(argument(type, parts.empty() && runtime.isDivisibleBy16 ? knownMultiple : 1,
                               declared, name));
    auto extents = parts.begin() + 1, strides = extents + runtime.array->rank;
    ArrayView array{parts[0], std::vector<Tensor>(extents, strides),
                    std::vector<Tensor>(strides, parts.end())};
    if (runtime.array->order == Order::Any)
      return array;
    Tensor stride = emitter.integer(1, DType::Int64, declared.range);
    array.strides.assign(array.shape.size(), stride);
    for (size_t i = 0; i < array.shape.size(); ++i) {
      size_t dim = runtime.array->order == Order::C ? array.shape.size() - 1 - i : i;
      array.strides[dim] = stride;
      if (i + 1 < array.shape.size())
        stride = emitter.like<mlir::arith::MulIOp>(declared.range, stride, array.shape[dim]);
    }
    return array;
  }

  Tensor argument(ScalarType type, int64_t divisor, const ast::Parameter &declared,
                  const std::string &name) {
    kernel.setArgAttr(index, tile::nameAttr, emitter.builder.getStringAttr(name));
    if (divisor > 1)
      kernel.setArgAttr(index, tile::divisibilityAttr, emitter.builder.getI64IntegerAttr(divisor));
    mlir::BlockArgument value = kernel.getArgument(index++);
    value.setLoc(emitter.locate(declared.range));
    type.isConst =
        type.isPointer && (type.isConst || sema::readAnnotation(declared.annotation.get()).isConst);
    return {value, {type, {}}};
  }

  Emitter &emitter;
  unsigned index = 0;
};

/// Operands of what was folded. Anything that reads memory stays, for the checks' sake.
void eraseUnusedConstants(mlir::Operation *root) {
  llvm::SmallVector<mlir::Operation *> unused;
  root->walk([&](mlir::arith::ConstantOp constant) {
    if (constant->use_empty())
      unused.push_back(constant);
  });
  for (mlir::Operation *constant : unused)
    constant->erase();
}

} // namespace

Emitter::Emitter(mlir::MLIRContext *context, const sema::Environment &environment,
                 llvm::raw_ostream *types)
    : TileBuilder(context), environment(environment),
      hasDefinitions(!environment.definedNames().empty()), types(types) {}

Surroundings Emitter::surroundings() const {
  return {.isHost = frame && frame->isHost,
          .isOfThreads = block[0] && !(frame && frame->isLibrary),
          .callSite = frame && frame->callSite ? &*frame->callSite : nullptr};
}

unsigned Emitter::countedWarps() {
  constexpr unsigned warpsInTriton = 4;
  if (!warps) {
    warps = warpsInTriton;
    kernel->setAttr(tile::warpsAttr, builder.getI32IntegerAttr(static_cast<int32_t>(warps)));
  }
  return warps;
}

/// One operation, at the kernel's entry, which the first array names and gives its elements.
Tensor Emitter::dynamicMemory(DType element, SourceRange range) {
  sema::ScalarType pointer{element, /*isPointer=*/true};
  if (!dynamic) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&kernel.getBody().front());
    uint64_t count = llvm::divideCeil(std::max(sharedBytes, 1u), byteSize(element));
    auto memory = tile::SharedOp::create(builder, locate(range), irType(pointer), count);
    dynamic = Tensor{memory.getResult(), {pointer, {}}};
  }
  return cast(*dynamic, pointer, range);
}

Emitter::DepthGuard::DepthGuard(Emitter &emitter, SourceRange range) : emitter(emitter) {
  constexpr unsigned deepest = 1000;
  if (emitter.evaluationDepth >= deepest)
    fail(range, DiagnosticId::nested_too_deeply, deepest);
  ++emitter.evaluationDepth;
}

/// Threads divide, take roots and raise to powers of e and 2 as exactly on a GPU as elsewhere.
/// Their products may join with sums, as Numba has it, too.
static void roundAsNumba(mlir::func::FuncOp kernel) {
  kernel.walk([](mlir::Operation *op) {
    if (llvm::isa<mlir::arith::DivFOp, mlir::math::SqrtOp, mlir::math::ExpOp, mlir::math::Exp2Op>(
            op))
      tile::makeExact(op->getResult(0));
  });
}

mlir::OwningOpRef<mlir::ModuleOp> Emitter::run(const ast::Module &module,
                                               const ast::Function &function,
                                               const sema::Specialization &specialization) {
  if (function.mistake)
    throw SourceError(*function.mistake);
  NEREID_CHECK(specialization.parameters.size() == function.parameters.size(),
               "the specialization does not fit the function");
  target = specialization.target;
  const ThreadBlock &given =
      specialization.tuning.block; // in bounds, by who made the specialization
  if (given.x)
    block = {static_cast<uint32_t>(given.x), static_cast<uint32_t>(given.y),
             static_cast<uint32_t>(given.z)};
  sharedBytes = static_cast<uint32_t>(given.sharedBytes);
  checksAsserts = specialization.checksAsserts;
  NEREID_CHECK(function.isOfThreads == (block[0] > 0),
               "kernels of threads, and no others, have a block");
  warps = specialization.tuning.warps;
  mlir::OwningOpRef<mlir::ModuleOp> owner = mlir::ModuleOp::create(locate(function.range));
  builder.setInsertionPointToEnd(owner->getBody());
  ParameterBinder parameters(*this);
  for (const sema::SpecializedParameter &parameter : specialization.parameters)
    parameters.addTypes(parameter);
  auto type = builder.getFunctionType(parameters.types, {});
  kernel = mlir::func::FuncOp::create(builder, locate(function.nameRange), function.name, type);
  kernel->setAttr(tile::kernelAttr, builder.getUnitAttr());
  if (block[0])
    kernel->setAttr(tile::blockAttr, builder.getDenseI64ArrayAttr({block[0], block[1], block[2]}));
  if (specialization.isNoAlias)
    kernel->setAttr(tile::noAliasAttr, builder.getUnitAttr());
  builder.setInsertionPointToStart(kernel.addEntryBlock());

  Frame kernelFrame{.module = module, .function = &function};
  frame = &kernelFrame;
  parameters.kernel = kernel;
  for (auto [declared, given] : llvm::zip(function.parameters, specialization.parameters))
    kernelFrame.scope.define(declared.name, parameters.bind(given, declared, declared.name));
  keepParameters(function, kernelFrame);
  traceBody(function, kernelFrame);
  mlir::func::ReturnOp::create(builder, locate(function.nameRange));
  frame = nullptr;
  eraseUnusedConstants(kernel);
  if (block[0])
    roundAsNumba(kernel);
  return owner;
}

/// A signature that gives a type for a constexpr (`B=i32`) makes it that type, which is seldom
/// meant. A mistake that speaks of the type says where it is from.
static void explainTypes(Diagnostic &diagnostic, const ast::Function &function,
                         const sema::Specialization &specialization) {
  for (auto [declared, given] : llvm::zip(function.parameters, specialization.parameters)) {
    const auto *constant = std::get_if<sema::ConstantValue>(&given);
    bool isType = constant && std::holds_alternative<sema::ScalarType>(*constant);
    if (isType && llvm::StringRef(diagnostic.text).contains(describe(Value(*constant))))
      diagnostic.notes.push_back(
          {declared.range, "'" + declared.name + "' is a constexpr and was given as the type " +
                               sema::toString(*constant) + "; a number is given as its value, as " +
                               declared.name + "=64"});
  }
}

static mlir::OwningOpRef<mlir::ModuleOp>
emitOnce(mlir::MLIRContext &context, const ast::Module &module, const ast::Function &function,
         const sema::Specialization &specialization, const sema::Environment &environment,
         const EmitOptions &options, Emitter::NamesAfterLoops &namesAfterLoops,
         threads::Recursions &recursions) {
  Emitter emitter(&context, environment, options.types);
  emitter.keepsVariables = options.keepsVariables;
  emitter.namesAfterLoops = &namesAfterLoops;
  emitter.recursions = &recursions;
  try {
    auto emitted = emitter.run(module, function, specialization);
    if (options.receivers)
      *options.receivers = std::move(emitter.receivers);
    return emitted;
  } catch (SourceError &error) {
    if (options.wantedConstants)
      *options.wantedConstants = emitter.wantedConstants;
    findFurther(error.diagnostic, emitter, context, environment,
                [&](Emitter &again) { again.run(module, function, specialization); });
    explainTypes(error.diagnostic, function, specialization);
    for (Diagnostic &other : error.diagnostic.further)
      explainTypes(other, function, specialization);
    throw;
  }
}

mlir::OwningOpRef<mlir::ModuleOp> emitTile(mlir::MLIRContext &context, const ast::Module &module,
                                           const ast::Function &function,
                                           const sema::Specialization &specialization,
                                           const sema::Environment &environment,
                                           const EmitOptions &options) {
  Emitter::NamesAfterLoops namesAfterLoops;
  threads::Recursions recursions;
  for (;;)
    try {
      return emitOnce(context, module, function, specialization, environment, options,
                      namesAfterLoops, recursions);
    } catch (const Emitter::IsReadAfterLoop &) {
      // Which is known now.
    } catch (const threads::FoundRecursion &) {
      // The same.
    }
}

} // namespace nereid::emit
