// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Binding.h"

#include "jit/Annotation.h"
#include "support/Check.h"
#include "support/Diagnostics.h"

#include <algorithm>

namespace nereid::jit {
namespace {

std::vector<std::string> parameterNames(const ast::Function &function) {
  std::vector<std::string> names;
  for (const ast::Parameter &parameter : function.parameters)
    names.push_back(parameter.name);
  return names;
}

size_t findParameter(const ast::Function &function, const std::string &name) {
  for (size_t i = 0; i < function.parameters.size(); ++i)
    if (function.parameters[i].name == name)
      return i;
  failWithNote(function.nameRange,
               {{}, suggest(name, parameterNames(function), "parameters", "parameter")},
               DiagnosticId::unknown_argument, describe(function), name);
}

[[noreturn]] void failMissing(const ast::Function &function, const ast::Parameter &parameter) {
  if (!readAnnotation(parameter).isConstexpr)
    fail(parameter.range, DiagnosticId::missing_argument, parameter.name, describe(function));
  failWithNote(parameter.range,
               {{}, "an int, a float, a bool, a string, a dtype or None is accepted"},
               DiagnosticId::missing_constexpr, parameter.name, function.name);
}

class DefaultEvaluator {
public:
  DefaultEvaluator(const driver::SourceModule &source, const ast::Parameter &parameter)
      : source(source), parameter(parameter), before(parameter.range.begin) {}

  sema::ConstantValue evaluate(const ast::Expr &expr) {
    if (auto *constant = llvm::dyn_cast<ast::Constant>(&expr))
      return sema::valueOf(*constant);
    if (auto *unary = llvm::dyn_cast<ast::Unary>(&expr))
      return sema::fold(unary->op, evaluate(*unary->operand), expr.range);
    if (auto *binary = llvm::dyn_cast<ast::Binary>(&expr))
      return evaluateBinary(*binary);
    if (auto *attribute = llvm::dyn_cast<ast::Attribute>(&expr))
      return dtypeOf(*attribute);
    if (auto *call = llvm::dyn_cast<ast::Call>(&expr); call && isConstexprCall(*call))
      return evaluate(*call->arguments[0].value);
    if (auto *call = llvm::dyn_cast<ast::Call>(&expr))
      return floatOf(*call);
    if (auto *name = llvm::dyn_cast<ast::Name>(&expr))
      return constantOf(*name);
    failNotConstant(expr);
  }

private:
  sema::ConstantValue evaluateBinary(const ast::Binary &chain) {
    sema::ConstantValue value = evaluate(*chain.first);
    for (const ast::Binary::Step &step : chain.steps)
      value = sema::fold(step.op, value, evaluate(*step.operand), step.range);
    return value;
  }

  [[noreturn]] void failNotConstant(const ast::Expr &expr) {
    fail(expr.range, DiagnosticId::not_constexpr, "the default of '" + parameter.name + "'");
  }

  sema::ConstantValue dtypeOf(const ast::Attribute &attribute) {
    if (std::optional<DType> dtype = parseDType(attribute.name))
      return sema::ScalarType{*dtype, false};
    failNotConstant(attribute);
  }

  /// tl.constexpr(value) is how modules write constants that kernels may use.
  static bool isConstexprCall(const ast::Call &call) {
    auto *callee = llvm::dyn_cast<ast::Attribute>(call.callee.get());
    return callee && callee->name == "constexpr" && call.arguments.size() == 1;
  }

  /// float("inf") and float("nan") are how Python writes these numbers.
  sema::ConstantValue floatOf(const ast::Call &call) {
    auto *callee = llvm::dyn_cast<ast::Name>(call.callee.get());
    if (!callee || callee->name != "float" || call.arguments.size() != 1 ||
        source.tree.rebinding("float", 0, before))
      failNotConstant(call);
    sema::ConstantValue value = evaluate(*call.arguments[0].value);
    std::optional<double> number = sema::asNumber(value);
    if (auto *text = std::get_if<std::string>(&value))
      number = sema::parseFloat(*text);
    if (!number)
      failNotConstant(call);
    return *number;
  }

  sema::ConstantValue constantOf(const ast::Name &name) {
    // The value that it had when the module came to this place; each step leads further back.
    const ast::ModuleConstant *constant = source.tree.constant(name.name, before);
    if (!constant || source.tree.rebinding(name.name, constant->range.begin, before))
      failNotConstant(name);
    uint32_t here = std::exchange(before, constant->range.begin);
    sema::ConstantValue value = evaluate(*constant->value);
    before = here;
    return value;
  }

  const driver::SourceModule &source;
  const ast::Parameter &parameter;
  uint32_t before;
};

} // namespace

std::string describe(const ast::Function &function) { return "kernel '" + function.name + "'"; }

sema::ConstantValue toConstant(const Argument::Value &value) {
  struct Visitor {
    sema::ConstantValue operator()(std::monostate none) const { return none; }
    sema::ConstantValue operator()(bool boolean) const { return boolean; }
    sema::ConstantValue operator()(int64_t integer) const { return sema::Integer(integer); }
    sema::ConstantValue operator()(uint64_t integer) const { return sema::Integer(integer); }
    sema::ConstantValue operator()(double number) const { return number; }
    sema::ConstantValue operator()(const std::string &text) const { return text; }
    sema::ConstantValue operator()(DType dtype) const { return sema::ScalarType{dtype, false}; }
    sema::ConstantValue operator()(const Array &) const {
      NEREID_UNREACHABLE("an array is no constant");
    }
  };
  return std::visit(Visitor(), value);
}

std::vector<std::optional<size_t>> bindNames(const ast::Function &function,
                                             const std::vector<std::string> &names) {
  std::vector<std::optional<size_t>> bound(function.parameters.size());
  for (size_t i = 0; i < names.size(); ++i) {
    size_t parameter = findParameter(function, names[i]);
    if (bound[parameter])
      fail(function.parameters[parameter].range, DiagnosticId::duplicate_argument, names[i],
           describe(function));
    bound[parameter] = i;
  }
  for (size_t i = 0; i < bound.size(); ++i) {
    const ast::Parameter &parameter = function.parameters[i];
    if (parameter.isVariadic)
      fail(parameter.range, DiagnosticId::unsupported_syntax, "*" + parameter.name);
    if (!bound[i] && !parameter.defaultValue)
      failMissing(function, parameter);
  }
  return bound;
}

sema::ConstantValue evaluateDefault(const driver::SourceModule &source,
                                    const ast::Parameter &parameter) {
  return DefaultEvaluator(source, parameter).evaluate(*parameter.defaultValue);
}

} // namespace nereid::jit
