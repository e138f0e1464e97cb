// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/EraseUnused.h"
#include "frontend/emit/Arguments.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/Support/SaveAndRestore.h"

namespace nereid::emit {

using sema::ScalarType;

namespace {

/// The tiles to reduce or scan together, all of one shape.
std::vector<Tensor> sourcesOf(Emitter &emitter, const Arguments &arguments) {
  std::vector<Tensor> sources;
  for (const Value &value : arguments.elements("input")) {
    const auto *tensor = value.as<Tensor>();
    if (!tensor || !tensor->isTile())
      fail(arguments.range("input"), DiagnosticId::argument_type, arguments.labelOf("input"),
           arguments.functionOf("input"), "a tile", describe(value));
    sources.push_back(*tensor);
  }
  if (sources.empty())
    arguments.failType("input", "a tile");
  for (Tensor &source : sources)
    source = emitter.broadcastTo(source, sources[0].shape(), arguments.range("input"));
  return sources;
}

/// The type that elements are combined in. Narrow floats are accumulated in float32 and rounded
/// once: in their own type, a sum of ones stops at 2048, at 256 or earlier.
ScalarType accumulatorOf(ScalarType element) {
  bool isNarrow = !element.isPointer && isFloat(element.dtype) && bitWidth(element.dtype) <= 16;
  return isNarrow ? ScalarType{DType::Float32} : element;
}

/// What the combining function returned, as the scalars to yield: each of its tile's element type,
/// or of the type that this is accumulated in.
std::vector<mlir::Value> combined(Emitter &emitter, const Arguments &arguments, const Value &result,
                                  const std::vector<Tensor> &sources) {
  std::vector<Value> values{result};
  if (const auto *tuple = result.as<Tuple>())
    values = tuple->elements;
  std::vector<mlir::Value> yielded;
  for (size_t i = 0; i < values.size() && values.size() == sources.size(); ++i) {
    ScalarType element = sources[i].type.scalar, accumulator = accumulatorOf(element);
    const auto *tensor = values[i].as<Tensor>();
    if (tensor && !tensor->isTile() &&
        (tensor->type.scalar == element || tensor->type.scalar == accumulator))
      yielded.push_back(emitter.cast(*tensor, accumulator, arguments.range("combine_fn")).value);
  }
  if (yielded.size() != sources.size()) {
    std::string types;
    for (const Tensor &source : sources)
      types += (types.empty() ? "" : ", ") + sema::toString(source.type.scalar);
    fail(arguments.range("combine_fn"), DiagnosticId::argument_type, "combine_fn",
         arguments.function(), "a function that returns " + types,
         "one that returns " + describe(result));
  }
  return yielded;
}

void refuseForeign(mlir::Region &combine, const Arguments &arguments) {
  mlir::Operation *foreign = tile::findForeignTo(combine);
  if (!foreign)
    return;
  bool isLoop = llvm::isa<mlir::scf::ForOp, mlir::scf::WhileOp>(foreign);
  std::string what = "a " + foreign->getName().stripDialect().str();
  fail(arguments.range("combine_fn"), DiagnosticId::combine_function_body,
       isLoop ? "a run-time loop" : what);
}

/// Fills the region of a reduction or scan with what the combining function does to two sets of
/// scalars.
void traceCombine(Emitter &emitter, const Arguments &arguments, const std::vector<Tensor> &sources,
                  mlir::Region &combine) {
  SourceRange range = arguments.callRange();
  mlir::OpBuilder::InsertionGuard guard(emitter.builder);
  mlir::Block *block = emitter.builder.createBlock(&combine);
  std::vector<Emitter::CallArgument> scalars;
  for (size_t side = 0; side < 2; ++side)
    for (const Tensor &source : sources) {
      sema::ValueType type{accumulatorOf(source.type.scalar), {}};
      mlir::Value scalar = block->addArgument(emitter.irType(type), emitter.locate(range));
      scalars.push_back({"", Tensor{scalar, type}, arguments.range("combine_fn")});
    }
  emitter.enterRegion(range);
  llvm::SaveAndRestore notElements(emitter.keepsVariables, false);
  Value result = emitter.call(arguments["combine_fn"], scalars, arguments.range("combine_fn"));
  --emitter.regionDepth;
  tile::YieldOp::create(emitter.builder, emitter.locate(range),
                        combined(emitter, arguments, result, sources));
  // What a question about a value left behind (`(x + zeros).dtype`) is no part of the function.
  tile::eraseUnused(combine.getParentOp());
  refuseForeign(combine, arguments);
}

/// Reduces, or scans in the given direction.
enum class Along { Reduce, Scan, ScanBackwards };

std::vector<Tensor> combineAlong(Emitter &emitter, const Arguments &arguments, Along along,
                                 const std::vector<Tensor> &sources, int64_t axis) {
  SourceRange range = arguments.callRange();
  std::vector<mlir::Value> operands;
  std::vector<mlir::Type> types;
  std::vector<Tensor> results;
  for (const Tensor &source : sources) {
    Tensor wide = emitter.cast(source, accumulatorOf(source.type.scalar), range);
    sema::ValueType type = wide.type;
    if (along == Along::Reduce)
      type.shape.erase(type.shape.begin() + axis);
    operands.push_back(wide.value);
    types.push_back(emitter.irType(type));
    results.push_back({{}, type});
  }
  mlir::Location location = emitter.locate(range);
  mlir::Operation *op;
  if (along == Along::Reduce)
    op = tile::ReduceOp::create(emitter.builder, location, types, operands,
                                static_cast<uint32_t>(axis));
  else
    op = tile::ScanOp::create(emitter.builder, location, types, operands,
                              static_cast<uint32_t>(axis), along == Along::ScanBackwards);
  traceCombine(emitter, arguments, sources, op->getRegion(0));
  for (size_t i = 0; i < results.size(); ++i) {
    results[i].value = op->getResult(static_cast<unsigned>(i));
    results[i] = emitter.cast(results[i], sources[i].type.scalar, range);
  }
  return results;
}

/// As many values as the argument was, one or a tuple.
Value likeInput(const Arguments &arguments, const std::vector<Tensor> &results) {
  if (!arguments["input"].is<Tuple>())
    return results[0];
  return Tuple{std::vector<Value>(results.begin(), results.end())};
}

} // namespace

Value reduceBuiltin(Emitter &emitter, const Arguments &arguments) {
  std::vector<Tensor> sources = sourcesOf(emitter, arguments);
  SourceRange range = arguments.callRange();
  auto rank = static_cast<int64_t>(sources[0].shape().size());
  bool isWhole = arguments.isNone("axis"), keepsDims = arguments.flag("keep_dims");
  int64_t axis =
      isWhole ? 0 : emitter.wrapAxis(arguments.integer("axis"), rank, arguments.range("axis"));
  if (isWhole)
    for (Tensor &source : sources)
      source = emitter.reshape(source, {source.type.elements()}, range);
  std::vector<Tensor> results = combineAlong(emitter, arguments, Along::Reduce, sources, axis);
  for (Tensor &result : results)
    for (int64_t i = 0; keepsDims && i < (isWhole ? rank : 1); ++i)
      result = emitter.expandDims(result, axis, range);
  return likeInput(arguments, results);
}

Value associative_scanBuiltin(Emitter &emitter, const Arguments &arguments) {
  std::vector<Tensor> sources = sourcesOf(emitter, arguments);
  auto rank = static_cast<int64_t>(sources[0].shape().size());
  int64_t axis = emitter.wrapAxis(arguments.integer("axis"), rank, arguments.range("axis"));
  Along along = arguments.flag("reverse") ? Along::ScanBackwards : Along::Scan;
  return likeInput(arguments, combineAlong(emitter, arguments, along, sources, axis));
}

} // namespace nereid::emit
