// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/expression.h"

#include "frontend/emit/Evaluate.h"
#include "frontend/parse/Parser.h"
#include "jit/Boundary.h"
#include "jit/launch/Binding.h"
#include "jit/launch/OutsideBrackets.h"

#include "llvm/Support/Casting.h"

#include <limits>

namespace nereid {

struct detail::ExpressionState {
  ExpressionState(std::string text, std::string label)
      : file(std::move(label), std::move(text)), text(file.text()) {}
  SourceFile file;
  std::string text;
  ast::ExprPtr tree;
};

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
    if (const Array *array = argument->array())
      return sema::ArrayFacts{array->shape(), array->strides()};
    return jit::toConstant(argument->get());
  }
  std::vector<std::string> definedNames() const override { return scope.names(); }

private:
  const Scope &scope;
};

class GivenArguments final : public Scope {
public:
  explicit GivenArguments(const Arguments &arguments) : arguments(arguments) {}

  const Argument *find(const std::string &name) const override {
    for (const NamedArgument &argument : arguments)
      if (argument.name == name)
        return &argument.value;
    return nullptr;
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const NamedArgument &argument : arguments)
      names.push_back(argument.name);
    return names;
  }

private:
  const Arguments &arguments;
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

Expression::Expression(std::string text, std::string label) {
  auto made = std::make_shared<detail::ExpressionState>(std::move(text), std::move(label));
  made->tree = reportAsUsage([&] { return parseExpression(made->file); });
  state = std::move(made);
}

const std::string &Expression::text() const { return state->text; }

Argument Expression::evaluate(const Scope &scope) const {
  const auto *name = llvm::dyn_cast<ast::Name>(state->tree.get());
  const Argument *named = name ? scope.find(name->name) : nullptr;
  if (named && named->array())
    return *named;
  return reportAsUsage([&] {
    SourceRange range = state->tree->range;
    ConstantValue constant = toConstant(evaluateIn(*state->tree, scope), range);
    if (const auto *type = std::get_if<sema::ScalarType>(&constant); type && type->isPointer)
      fail(range, DiagnosticId::expected, "a value, not the type of a pointer");
    return jit::toArgument(constant);
  });
}

std::vector<int64_t> Expression::evaluateIntegers(const Scope &scope) const {
  return reportAsUsage([&] {
    emit::Value value = evaluateIn(*state->tree, scope);
    const auto *several = value.as<emit::Tuple>();
    if (!several)
      return std::vector{toInteger(value, state->tree->range)};
    std::vector<int64_t> values;
    for (const emit::Value &element : several->elements)
      values.push_back(toInteger(element, state->tree->range));
    return values;
  });
}

Grid Expression::evaluateGrid(const Scope &scope) const {
  std::vector<int64_t> extents = evaluateIntegers(scope);
  if (extents.empty() || extents.size() > 3)
    throw Error(Error::Kind::Usage, "a grid has 1 to 3 extents, but " + state->file.name() + ' ' +
                                        text() + " has " + std::to_string(extents.size()));
  extents.resize(3, 1);
  return {extents[0], extents[1], extents[2]};
}

Argument Expression::evaluate(const Arguments &arguments) const {
  return evaluate(GivenArguments(arguments));
}
std::vector<int64_t> Expression::evaluateIntegers(const Arguments &arguments) const {
  return evaluateIntegers(GivenArguments(arguments));
}
Grid Expression::evaluateGrid(const Arguments &arguments) const {
  return evaluateGrid(GivenArguments(arguments));
}

NamedArgument parseDefinition(std::string_view text, const std::string &label) {
  SourceFile file(label, std::string(text));
  std::vector<uint32_t> equals = jit::findOutsideBrackets(TokenKind::Equal, file);
  if (equals.empty() || equals[0] == 0)
    throw Error(Error::Kind::Usage,
                label + ' ' + std::string(text) + " is not of the form NAME=VALUE");
  std::string name(text.substr(0, equals[0]));
  Expression value(std::string(text.substr(equals[0] + 1)), label + ' ' + name);
  return {name, value.evaluate()};
}

} // namespace nereid
