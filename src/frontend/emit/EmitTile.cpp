// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/EmitTile.h"

#include "frontend/emit/Emitter.h"
#include "frontend/sema/Annotation.h"
#include "support/Check.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::emit {
namespace {

constexpr uint64_t mostOperations = 1'000'000, mostSteps = 20'000'000;

std::vector<mlir::Type> argumentTypes(Emitter &emitter,
                                      const sema::Specialization &specialization) {
  std::vector<mlir::Type> types;
  for (const auto &parameter : specialization.parameters)
    if (const auto *runtime = std::get_if<sema::RuntimeParameter>(&parameter))
      types.push_back(emitter.irType(runtime->type));
  return types;
}

/// Gives each parameter its value: an argument of the kernel or a constant.
void bindParameters(Emitter &emitter, const ast::Function &function,
                    const sema::Specialization &specialization, mlir::func::FuncOp kernel,
                    Scope &scope) {
  unsigned index = 0;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const ast::Parameter &parameter = function.parameters[i];
    if (const auto *constant = std::get_if<sema::ConstantValue>(&specialization.parameters[i])) {
      scope.define(parameter.name, *constant);
      continue;
    }
    const auto &runtime = std::get<sema::RuntimeParameter>(specialization.parameters[i]);
    kernel.setArgAttr(index, tile::nameAttr, emitter.builder.getStringAttr(parameter.name));
    if (runtime.isDivisibleBy16)
      kernel.setArgAttr(index, tile::divisibilityAttr, emitter.builder.getI64IntegerAttr(16));
    mlir::BlockArgument argument = kernel.getArgument(index++);
    argument.setLoc(emitter.locate(parameter.range));
    sema::ScalarType type = runtime.type;
    type.isConst = type.isPointer && sema::readAnnotation(parameter.annotation.get()).isConst;
    scope.define(parameter.name, Tensor{argument, {type, {}}});
  }
}

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
    : builder(context, this), environment(environment),
      hasDefinitions(!environment.definedNames().empty()), types(types) {}

/// Every operation has a location and every value a type, so that who makes one comes by here.
void Emitter::refuseOutsideKernels() {
  if (frame && frame->isHost)
    fail(currentRange, DiagnosticId::not_constexpr, "what is computed outside kernels");
}

mlir::Location Emitter::locate(SourceRange range) {
  refuseOutsideKernels();
  if (!range.file)
    return builder.getUnknownLoc();
  mlir::StringAttr &path = fileNames[range.file];
  if (!path)
    path = builder.getStringAttr(range.file->name());
  auto [line, column] = range.file->position(range.begin);
  mlir::Location location = mlir::FileLineColLoc::get(path, line, column);
  return frame && frame->callSite ? mlir::CallSiteLoc::get(location, *frame->callSite) : location;
}

void Emitter::countStep(SourceRange range) {
  currentRange = range;
  if (++stepCount > mostSteps || operationCount > mostOperations)
    failWithNote(range, {{}, "static loops and calls are written out while compiling; use range"},
                 DiagnosticId::kernel_too_large, mostOperations);
}

Emitter::DepthGuard::DepthGuard(Emitter &emitter, SourceRange range) : emitter(emitter) {
  constexpr unsigned deepest = 1000;
  if (emitter.evaluationDepth >= deepest)
    fail(range, DiagnosticId::nested_too_deeply, deepest);
  ++emitter.evaluationDepth;
}

mlir::OwningOpRef<mlir::ModuleOp> Emitter::run(const ast::Module &module,
                                               const ast::Function &function,
                                               const sema::Specialization &specialization) {
  if (function.mistake)
    throw SourceError(*function.mistake);
  NEREID_CHECK(specialization.parameters.size() == function.parameters.size(),
               "the specialization does not fit the function");
  mlir::OwningOpRef<mlir::ModuleOp> owner = mlir::ModuleOp::create(locate(function.range));
  builder.setInsertionPointToEnd(owner->getBody());
  auto type = builder.getFunctionType(argumentTypes(*this, specialization), {});
  auto kernel =
      mlir::func::FuncOp::create(builder, locate(function.nameRange), function.name, type);
  kernel->setAttr(tile::kernelAttr, builder.getUnitAttr());
  if (specialization.isNoAlias)
    kernel->setAttr(tile::noAliasAttr, builder.getUnitAttr());
  builder.setInsertionPointToStart(kernel.addEntryBlock());

  Frame kernelFrame{.module = module, .function = &function};
  frame = &kernelFrame;
  bindParameters(*this, function, specialization, kernel, kernelFrame.scope);
  traceBody(function, kernelFrame);
  mlir::func::ReturnOp::create(builder, locate(function.nameRange));
  frame = nullptr;
  eraseUnusedConstants(kernel);
  return owner;
}

mlir::OwningOpRef<mlir::ModuleOp> emitTile(mlir::MLIRContext &context, const ast::Module &module,
                                           const ast::Function &function,
                                           const sema::Specialization &specialization,
                                           llvm::raw_ostream *types,
                                           const sema::Environment &environment) {
  return Emitter(&context, environment, types).run(module, function, specialization);
}

} // namespace nereid::emit
