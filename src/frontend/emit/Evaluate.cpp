// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/Evaluate.h"

#include "frontend/emit/Emitter.h"
#include "support/DeepStack.h"

namespace nereid::emit {
namespace {

/// An emitter that stands in a module, outside functions.
class HostEmitter {
public:
  HostEmitter(const ast::Module &module, const sema::Environment &environment)
      : emitter(nullptr, environment, nullptr), frame{.module = module, .isHost = true} {
    emitter.frame = &frame;
  }

  Emitter emitter;
  Frame frame;
};

sema::ConstantValue toConstant(const Value &value, const ast::Parameter &parameter) {
  if (const auto *constant = value.as<sema::ConstantValue>())
    return *constant;
  fail(parameter.range, DiagnosticId::not_constexpr, "the default of '" + parameter.name + "'");
}

} // namespace

sema::ConstantValue evaluateDefault(const ast::Module &module, const ast::Function &function,
                                    const ast::Parameter &parameter,
                                    const sema::Environment &environment) {
  if (const auto *literal = llvm::dyn_cast<ast::Constant>(parameter.defaultValue.get()))
    return toConstant(sema::valueOf(*literal), parameter);
  return onDeepStack([&] {
    HostEmitter host(module, environment);
    return toConstant(host.emitter.defaultValue(module, function, parameter), parameter);
  });
}

Value evaluate(const ast::Expr &expr, const ast::Module &module,
               const sema::Environment &environment) {
  if (const auto *literal = llvm::dyn_cast<ast::Constant>(&expr))
    return sema::valueOf(*literal);
  return onDeepStack([&] { return HostEmitter(module, environment).emitter.evaluate(expr); });
}

const ast::Function *findKernel(const ast::Module &module, const std::string &name,
                                const sema::Environment &environment) {
  const ast::Function *only = module.function(name);
  auto count = llvm::count_if(module.bindings, [&](const ast::Binding &binding) {
    return binding.name == name || binding.name == "*";
  });
  if (!only || count == 1)
    return only;
  return onDeepStack([&]() -> const ast::Function * {
    HostEmitter host(module, environment);
    auto value = host.emitter.globalValue(module, name, UINT32_MAX, only->nameRange);
    const auto *function = value ? value->as<JitFunction>() : nullptr;
    return function && function->module == &module ? function->function : nullptr;
  });
}

} // namespace nereid::emit
