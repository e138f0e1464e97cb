// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tl.map_elementwise: the function is traced on scalars, and what it does is then written for
// tiles. A branch becomes a choice between what its arms give; a loop goes on while any lane does,
// and lanes that are done keep what they had. Nothing of the scalars remains, so every executor has
// it.
#include "frontend/emit/Arguments.h"
#include "frontend/emit/TileForm.h"

#include "llvm/Support/SaveAndRestore.h"

namespace nereid::emit {

using namespace mlir;

namespace {

/// A tile cut into `pack` tiles, which have the lanes i, i + pack, i + 2 pack and so on in a row.
std::vector<Tensor> cut(Emitter &emitter, const Tensor &tile, int64_t pack, SourceRange range) {
  if (pack == 1)
    return {tile};
  Tensor rows = emitter.reshape(tile, {tile.type.elements() / pack, pack}, range);
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < pack; ++i)
    parts.push_back(emitter.element(rows, {SliceValue{}, integerValue(i)}, range));
  return parts;
}

/// The reverse.
Tensor joined(Emitter &emitter, llvm::ArrayRef<Tensor> parts, llvm::ArrayRef<int64_t> shape,
              SourceRange range) {
  if (parts.size() == 1)
    return parts[0];
  // Part i of each row is put where the column is i.
  auto pack = static_cast<int64_t>(parts.size());
  int64_t rows = parts[0].type.elements();
  sema::Shape table{rows, pack};
  Tensor columns = emitter.broadcastTo(emitter.expandDims(emitter.arange(0, pack, range), 0, range),
                                       table, range);
  Tensor result;
  for (int64_t i = 0; i < pack; ++i) {
    Tensor part = emitter.broadcastTo(emitter.expandDims(parts[static_cast<size_t>(i)], 1, range),
                                      table, range);
    if (i == 0) {
      result = part;
      continue;
    }
    Tensor here =
        *emitter.compare(ast::CompareOp::Eq, columns, integerValue(i), range).as<Tensor>();
    result.value = emitter.make<arith::SelectOp>(range, here.value, part.value, result.value);
  }
  return emitter.reshape(result, shape, range);
}

/// What cannot be said of lanes that do it together.
Operation *findForeign(Region &function) {
  Operation *foreign = nullptr;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool hasTiles = llvm::any_of(op->getResultTypes(), tile::isTile);
    bool isLanes = !hasTiles && (TileForm::isUniform(*op) || tile::isElementwise(op)) &&
                   !tile::accessOf(op).touchesMemory();
    if (isLanes || op->hasTrait<OpTrait::IsTerminator>() ||
        llvm::isa<scf::IfOp, scf::ForOp, scf::WhileOp, tile::AssertOp, tile::AssumeOp>(op))
      return WalkResult::advance();
    foreign = op;
    return WalkResult::interrupt();
  });
  return foreign;
}

/// What the function returned for scalars, as scalars.
std::vector<Tensor> resultsOf(Emitter &emitter, const Arguments &arguments, const Value &result) {
  std::vector<Value> values{result};
  if (const auto *tuple = result.as<Tuple>())
    values = tuple->elements;
  std::vector<Tensor> scalars;
  for (const Value &value : values) {
    Value scalar = emitter.runtimeForm(value, arguments.callRange());
    const auto *tensor = scalar.as<Tensor>();
    if (!tensor || tensor->isTile())
      fail(arguments.range("scalar_fn"), DiagnosticId::argument_type, "scalar_fn",
           arguments.function(), "a function that returns scalars",
           "one that returns " + describe(result));
    scalars.push_back(*tensor);
  }
  return scalars;
}

/// The operands, broadcast to one shape.
std::vector<Tensor> operandsOf(Emitter &emitter, const Arguments &arguments) {
  std::vector<Tensor> operands;
  sema::Shape shape;
  SourceRange range = arguments.range("args");
  for (const Value &value : arguments.elements("args")) {
    operands.push_back(emitter.toTensor(value, range));
    shape = emitter.commonShape(shape, operands.back().shape(), range);
  }
  if (operands.empty())
    fail(arguments.callRange(), DiagnosticId::missing_argument, "args", arguments.function());
  for (Tensor &operand : operands)
    operand = emitter.broadcastTo(operand, shape, range);
  return operands;
}

int64_t packOf(const Arguments &arguments, const Tensor &operand) {
  sema::Integer pack = arguments.integer("pack");
  bool fits = pack >= 1 && operand.type.elements() % static_cast<int64_t>(pack) == 0;
  if (!fits)
    arguments.failValue("pack", "a number that divides the " +
                                    std::to_string(operand.type.elements()) + " elements");
  return static_cast<int64_t>(pack);
}

} // namespace

Value map_elementwiseBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  std::vector<Tensor> operands = operandsOf(emitter, arguments), parts;
  int64_t pack = packOf(arguments, operands[0]);
  if (!operands[0].isTile()) { // there is one element, and the function is for such
    std::vector<Emitter::CallArgument> scalars;
    for (const Tensor &operand : operands)
      scalars.push_back({"", operand, arguments.range("args")});
    Value result = emitter.call(arguments["scalar_fn"], scalars, arguments.range("scalar_fn"));
    return emitter.runtimeForm(result, range);
  }
  for (const Tensor &operand : operands)
    llvm::append_range(parts, cut(emitter, operand, pack, range));
  Region function;
  TileForm form(emitter, parts[0].shape(), range);
  std::vector<Tensor> results;
  {
    OpBuilder::InsertionGuard guard(emitter.builder);
    Block *block = emitter.builder.createBlock(&function);
    std::vector<Emitter::CallArgument> scalars;
    for (const Tensor &part : parts) {
      Tensor scalar{block->addArgument(emitter.irType(part.type.scalar), emitter.locate(range)),
                    {part.type.scalar, {}}};
      form.give(scalar.value, part.value);
      scalars.push_back({"", scalar, arguments.range("args")});
    }
    emitter.enterRegion(range);
    llvm::SaveAndRestore notElements(emitter.keepsVariables, false);
    Value result = emitter.call(arguments["scalar_fn"], scalars, arguments.range("scalar_fn"));
    --emitter.regionDepth;
    results = resultsOf(emitter, arguments, result);
  }
  if (Operation *foreign = findForeign(function))
    arguments.failValue("scalar_fn",
                        "a function that computes with its arguments; this one has a " +
                            foreign->getName().stripDialect().str());
  if (results.size() % static_cast<size_t>(pack) != 0)
    arguments.failValue("pack",
                        "a number that divides that of results, " + std::to_string(results.size()));
  form.write(function.front(), {});
  std::vector<Value> whole;
  for (size_t i = 0; i < results.size(); i += static_cast<size_t>(pack)) {
    std::vector<Tensor> pieces;
    for (const Tensor &scalar : llvm::ArrayRef<Tensor>(results).slice(i, static_cast<size_t>(pack)))
      pieces.push_back({form.of(scalar.value), {scalar.type.scalar, parts[0].shape()}});
    whole.emplace_back(joined(emitter, pieces, operands[0].shape(), range));
  }
  return whole.size() == 1 ? whole[0] : Value(Tuple{std::move(whole)});
}

} // namespace nereid::emit
