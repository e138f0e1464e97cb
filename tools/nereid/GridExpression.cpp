// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GridExpression.h"

#include "frontend/emit/Evaluate.h"
#include "frontend/parse/Parser.h"
#include "jit/Binding.h"
#include "jit/Boundary.h"
#include "jit/Suggest.h"

#include "llvm/Support/Casting.h"

#include <limits>

namespace nereid::command {
namespace {

using sema::ConstantValue;
using sema::Integer;

/// The mistake as the user sees it: one in the command line, not in a kernel.
template <typename F> decltype(auto) reportAsUsage(F &&act) {
  try {
    return act();
  } catch (const SourceError &error) {
    throw Error(Error::Kind::Usage, jit::toError(error.diagnostic).what());
  }
}

/// What every expression may name besides the arguments, as a module says it.
const ast::Module &prelude() {
  static const SourceFile file("prelude", "import triton\n"
                                          "import triton.language as tl\n"
                                          "from triton import cdiv, next_power_of_2\n"
                                          "from math import inf, nan\n");
  static const ast::Module module = parseModule(file);
  return module;
}

/// The arguments as the evaluator sees them.
class ArgumentEnvironment final : public sema::Environment {
public:
  explicit ArgumentEnvironment(const Scope &scope) : scope(scope) {}

  std::optional<Definition> definition(std::string_view name) const override {
    const Argument *argument = scope.find(std::string(name));
    if (!argument)
      return std::nullopt;
    if (auto *array = std::get_if<Array>(&argument->get()))
      return sema::ArrayFacts{array->shape(), array->strides()};
    return jit::toConstant(argument->get());
  }
  std::vector<std::string> definedNames() const override { return scope.names(); }

private:
  const Scope &scope;
};

emit::Value evaluateIn(const ast::Expr &expr, const Scope &scope) {
  try {
    return emit::evaluate(expr, prelude(), ArgumentEnvironment(scope));
  } catch (SourceError &error) {
    if (error.diagnostic.id == DiagnosticId::unknown_name)
      error.diagnostic.notes.push_back({{}, "a string is written in double quotes"});
    throw;
  }
}

ConstantValue toConstant(const emit::Value &value, SourceRange range) {
  if (const auto *constant = value.as<ConstantValue>())
    return *constant;
  if (value.is<sema::ArrayFacts>())
    failWithNote(range, {{}, "write " + std::string(range.text()) + ".shape[0] for its length"},
                 DiagnosticId::expected, "a number, not an array");
  fail(range, DiagnosticId::expected, "a number, not " + emit::describe(value));
}

int64_t toInteger(const emit::Value &value, SourceRange range) {
  ConstantValue constant = toConstant(value, range);
  auto *result = std::get_if<Integer>(&constant);
  if (!result)
    fail(range, DiagnosticId::expected, "an integer, not " + sema::typeName(constant));
  if (*result < std::numeric_limits<int64_t>::min() ||
      *result > std::numeric_limits<int64_t>::max())
    fail(range, DiagnosticId::constant_overflow);
  return static_cast<int64_t>(*result);
}

} // namespace

GridExpression::GridExpression(std::string label, std::string text)
    : source(text), file(std::make_shared<SourceFile>(std::move(label), std::move(text))) {
  tree = reportAsUsage([&] { return parseExpression(*file); });
}

const std::string *GridExpression::name() const {
  auto *name = llvm::dyn_cast<ast::Name>(tree.get());
  return name ? &name->name : nullptr;
}

ConstantValue GridExpression::evaluate(const Scope &scope) const {
  return reportAsUsage([&] { return toConstant(evaluateIn(*tree, scope), tree->range); });
}

std::vector<int64_t> GridExpression::evaluateIntegers(const Scope &scope) const {
  return reportAsUsage([&] {
    emit::Value value = evaluateIn(*tree, scope);
    const auto *several = value.as<emit::Tuple>();
    if (!several)
      return std::vector{toInteger(value, tree->range)};
    std::vector<int64_t> values;
    for (const emit::Value &element : several->elements)
      values.push_back(toInteger(element, tree->range));
    return values;
  });
}

Grid evaluateGrid(const GridExpression &expression, const Scope &scope) {
  std::vector<int64_t> extents = expression.evaluateIntegers(scope);
  if (extents.empty() || extents.size() > 3)
    throw Error(Error::Kind::Usage, "a grid has 1 to 3 extents, but --grid " + expression.text() +
                                        " has " + std::to_string(extents.size()));
  extents.resize(3, 1);
  return {extents[0], extents[1], extents[2]};
}

Argument toArgument(const ConstantValue &value) {
  struct Visitor {
    Argument operator()(std::monostate) const { return nullptr; }
    Argument operator()(bool boolean) const { return boolean; }
    Argument operator()(double number) const { return number; }
    Argument operator()(const std::string &text) const { return text; }
    Argument operator()(sema::ScalarType type) const { return type.dtype; }
    Argument operator()(Integer integer) const {
      if (integer >= std::numeric_limits<int64_t>::min() &&
          integer <= std::numeric_limits<int64_t>::max())
        return static_cast<int64_t>(integer);
      if (integer > 0 && integer <= std::numeric_limits<uint64_t>::max())
        return static_cast<uint64_t>(integer);
      throw Error(Error::Kind::Usage,
                  sema::toString(ConstantValue(integer)) + " does not fit 64 bits");
    }
  };
  return std::visit(Visitor(), value);
}

} // namespace nereid::command
