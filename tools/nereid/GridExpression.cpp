// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GridExpression.h"

#include "frontend/parse/Parser.h"
#include "jit/Annotation.h"
#include "jit/Binding.h"
#include "jit/Boundary.h"

#include "llvm/Support/Casting.h"

#include <algorithm>
#include <limits>

namespace nereid::command {
namespace {

using sema::ConstantValue;
using sema::Integer;

constexpr const char *accepted =
    "a number, an argument's name, NAME.shape[i], NAME.stride[i], + - * // %, cdiv, "
    "next_power_of_2, min or max";

/// The mistake as the user sees it: one in the command line, not in a kernel.
template <typename F> decltype(auto) reportAsUsage(F &&act) {
  try {
    return act();
  } catch (const SourceError &error) {
    throw Error(Error::Kind::Usage, jit::toError(error.diagnostic).what());
  }
}

class Evaluator {
public:
  explicit Evaluator(const Scope &scope) : scope(scope) {}

  ConstantValue evaluate(const ast::Expr &expr) const {
    if (auto *constant = llvm::dyn_cast<ast::Constant>(&expr))
      return sema::valueOf(*constant);
    if (auto *name = llvm::dyn_cast<ast::Name>(&expr))
      return scalar(*name);
    if (auto *unary = llvm::dyn_cast<ast::Unary>(&expr))
      return sema::fold(unary->op, evaluate(*unary->operand), expr.range);
    if (auto *binary = llvm::dyn_cast<ast::Binary>(&expr))
      return evaluateBinary(*binary);
    if (auto *call = llvm::dyn_cast<ast::Call>(&expr))
      return callFunction(*call);
    if (auto *subscript = llvm::dyn_cast<ast::Subscript>(&expr))
      return dimension(*subscript);
    if (auto *attribute = llvm::dyn_cast<ast::Attribute>(&expr))
      return dtype(*attribute);
    fail(expr.range, DiagnosticId::expected, accepted);
  }

  int64_t integer(const ast::Expr &expr) const {
    ConstantValue value = evaluate(expr);
    auto *result = std::get_if<Integer>(&value);
    if (!result)
      fail(expr.range, DiagnosticId::expected, "an integer, not " + sema::typeName(value));
    if (*result < std::numeric_limits<int64_t>::min() ||
        *result > std::numeric_limits<int64_t>::max())
      fail(expr.range, DiagnosticId::constant_overflow);
    return static_cast<int64_t>(*result);
  }

private:
  ConstantValue evaluateBinary(const ast::Binary &chain) const {
    ConstantValue value = evaluate(*chain.first);
    for (const ast::Binary::Step &step : chain.steps)
      value = sema::fold(step.op, value, evaluate(*step.operand), step.range);
    return value;
  }

  const Argument &find(const ast::Name &name) const {
    if (const Argument *argument = scope.find(name.name))
      return *argument;
    std::string hint = "a string is written in double quotes";
    if (std::vector<std::string> names = scope.names(); !names.empty())
      hint = jit::suggest(name.name, names, "names", "name") + "; " + hint;
    failWithNote(name.range, {{}, hint}, DiagnosticId::unknown_name, name.name);
  }

  ConstantValue scalar(const ast::Name &name) const {
    if (name.name == "inf")
      return std::numeric_limits<double>::infinity();
    if (name.name == "nan")
      return std::numeric_limits<double>::quiet_NaN();
    const Argument &argument = find(name);
    if (std::holds_alternative<Array>(argument.get()))
      fail(name.range, DiagnosticId::expected,
           "a number, but '" + name.name + "' is an array; write " + name.name + ".shape[0]");
    return jit::toConstant(argument.get());
  }

  /// tl.float32
  ConstantValue dtype(const ast::Attribute &attribute) const {
    std::optional<DType> type = parseDType(attribute.name);
    if (!type || !llvm::isa<ast::Name>(attribute.object.get()))
      fail(attribute.range, DiagnosticId::expected, accepted);
    return sema::ScalarType{*type, false};
  }

  /// NAME.shape[i] and NAME.stride[i]
  ConstantValue dimension(const ast::Subscript &subscript) const {
    auto *attribute = llvm::dyn_cast<ast::Attribute>(subscript.object.get());
    auto *name = attribute ? llvm::dyn_cast<ast::Name>(attribute->object.get()) : nullptr;
    bool isShape = attribute && attribute->name == "shape";
    if (!name || (!isShape && attribute->name != "stride"))
      fail(subscript.range, DiagnosticId::expected, accepted);
    auto *array = std::get_if<Array>(&find(*name).get());
    if (!array)
      fail(name->range, DiagnosticId::expected, "an array; '" + name->name + "' is none");
    const std::vector<int64_t> &values = isShape ? array->shape() : array->strides();
    auto rank = static_cast<int64_t>(values.size());
    int64_t index = integer(*subscript.index);
    if (index < -rank || index >= rank)
      fail(subscript.index->range, DiagnosticId::expected,
           "an axis of '" + name->name + "', which has " + std::to_string(rank) + " dimensions");
    return Integer(values[static_cast<size_t>(index < 0 ? index + rank : index)]);
  }

  ConstantValue callFunction(const ast::Call &call) const {
    std::vector<int64_t> values;
    for (const ast::Argument &argument : call.arguments) {
      if (!argument.name.empty() || argument.isStarred)
        fail(argument.value->range, DiagnosticId::expected, "a plain argument");
      values.push_back(integer(*argument.value));
    }
    return Integer(apply(call, values));
  }

  static int64_t apply(const ast::Call &call, const std::vector<int64_t> &values) {
    std::string_view name = calledName(*call.callee);
    if (name == "cdiv" && values.size() == 2)
      return divideUp(call, values[0], values[1]);
    if (name == "next_power_of_2" && values.size() == 1)
      return roundUp(call, values[0]);
    if (name == "min" && !values.empty())
      return *std::min_element(values.begin(), values.end());
    if (name == "max" && !values.empty())
      return *std::max_element(values.begin(), values.end());
    fail(call.range, DiagnosticId::expected,
         "cdiv(a, b), next_power_of_2(a), min(a, ...) or max(a, ...)");
  }

  /// `cdiv` and `triton.cdiv` are the same.
  static std::string_view calledName(const ast::Expr &callee) {
    if (auto *name = llvm::dyn_cast<ast::Name>(&callee))
      return name->name;
    if (auto *attribute = llvm::dyn_cast<ast::Attribute>(&callee))
      return attribute->name;
    return {};
  }

  static int64_t divideUp(const ast::Call &call, int64_t value, int64_t divisor) {
    if (divisor == 0)
      fail(call.range, DiagnosticId::constant_division_by_zero);
    Integer wide = value, by = divisor;
    return static_cast<int64_t>(wide / by + (wide % by != 0 && (wide < 0) == (by < 0)));
  }

  static int64_t roundUp(const ast::Call &call, int64_t value) {
    if (value > int64_t(1) << 62)
      fail(call.range, DiagnosticId::constant_overflow);
    return nextPowerOf2(value);
  }

  const Scope &scope;
};

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
  return reportAsUsage([&] { return Evaluator(scope).evaluate(*tree); });
}

std::vector<int64_t> GridExpression::evaluateIntegers(const Scope &scope) const {
  return reportAsUsage([&] {
    Evaluator evaluator(scope);
    std::vector<int64_t> values;
    const ast::ExprList *elements = nullptr;
    if (auto *tuple = llvm::dyn_cast<ast::Tuple>(tree.get()))
      elements = &tuple->elements;
    else if (auto *list = llvm::dyn_cast<ast::List>(tree.get()))
      elements = &list->elements;
    if (!elements)
      return std::vector{evaluator.integer(*tree)};
    for (const ast::ExprPtr &element : *elements)
      values.push_back(evaluator.integer(*element));
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
