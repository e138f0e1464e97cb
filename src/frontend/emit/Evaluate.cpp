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

/// One written configuration as all that its loops make of it.
class ConfigExpander {
public:
  ConfigExpander(HostEmitter &host, std::vector<ConfigValues> &made)
      : emitter(host.emitter), scope(host.frame.scope), made(made) {}

  void expand(const ast::WrittenConfig &config, size_t loop = 0) {
    if (loop == config.clauses.size()) {
      made.push_back({evaluated(config.values), evaluated(config.options)});
      return;
    }
    const ast::WrittenConfig::Clause &clause = config.clauses[loop];
    Scope outer = scope;
    for (const Value &element : elementsOf(*clause.iterable)) {
      if (const auto *name = llvm::dyn_cast<ast::Name>(clause.target.get()))
        scope.define(name->name, element);
      else
        emitter.assign(*clause.target, element);
      if (llvm::all_of(clause.conditions, [&](const ast::ExprPtr &condition) {
            return emitter.constantCondition(emitter.evaluate(*condition), "the filter of a list",
                                             condition->range);
          }))
        expand(config, loop + 1);
    }
    scope = std::move(outer);
  }

private:
  std::vector<Value> elementsOf(const ast::Expr &iterable) {
    Value value = emitter.evaluate(iterable);
    if (const auto *tuple = value.as<Tuple>())
      return tuple->elements;
    if (const auto *range = value.as<RangeValue>())
      return emitter.staticElements(*range, iterable.range);
    fail(iterable.range, DiagnosticId::cannot_iterate, describe(value));
  }

  std::vector<ConfigItem> evaluated(const std::vector<ast::WrittenConfig::Item> &items) {
    std::vector<ConfigItem> result;
    for (const auto &[name, expr] : items) {
      Value value = emitter.evaluate(*expr);
      const auto *constant = value.as<sema::ConstantValue>();
      if (!constant)
        fail(expr->range, DiagnosticId::argument_type, name, "Config",
             "a number, a bool, a text, a dtype or None", describe(value));
      result.push_back({name, *constant, expr->range});
    }
    return result;
  }

  Emitter &emitter;
  Scope &scope;
  std::vector<ConfigValues> &made;
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

static bool isListOfLiterals(const ast::Expr &expr) {
  const auto *list = llvm::dyn_cast<ast::List>(&expr);
  return list && llvm::all_of(list->elements, [](const ast::ExprPtr &element) {
           return llvm::isa<ast::Constant>(*element);
         });
}

/// Shapes and numbers are nowhere deep; a stack of their own takes longer than they do.
Value evaluate(const ast::Expr &expr, const ast::Module &module,
               const sema::Environment &environment) {
  if (const auto *literal = llvm::dyn_cast<ast::Constant>(&expr))
    return sema::valueOf(*literal);
  auto act = [&] { return HostEmitter(module, environment).emitter.evaluate(expr); };
  return isListOfLiterals(expr) ? act() : onDeepStack(act);
}

std::vector<ConfigValues> evaluateConfigs(const ast::WrittenTuning &tuning,
                                          const ast::Module &module,
                                          const sema::Environment &environment) {
  return onDeepStack([&] {
    HostEmitter host(module, environment);
    std::vector<ConfigValues> made;
    for (const ast::WrittenConfig &config : tuning.configs)
      ConfigExpander(host, made).expand(config);
    return made;
  });
}

/// In the body of a function: `f.kernel`, or as Python writes it, `f.<locals>.kernel`.
static const ast::Function *findLocalKernel(const ast::Module &module, llvm::StringRef name,
                                            const sema::Environment &environment) {
  for (const auto &local : llvm::reverse(module.locals)) {
    llvm::StringRef rest = name;
    if (!rest.consume_front(local->holder) || !rest.consume_front("."))
      continue;
    rest.consume_front("<locals>.");
    if (const ast::Function *found = findKernel(*local, rest.str(), environment))
      return found;
  }
  return nullptr;
}

const ast::Function *findKernel(const ast::Module &module, const std::string &name,
                                const sema::Environment &environment) {
  if (name.find('.') != std::string::npos)
    return findLocalKernel(module, name, environment);
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
