// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names, objects and functions of a running host (sema/HostScope.h) as values of a trace.
#include "frontend/emit/Advice.h"

namespace nereid::emit {

using sema::ConstantValue;
using sema::HostValue;

std::optional<Value> Emitter::hostedValue(const ast::Module &module, const std::string &name,
                                          SourceRange use) {
  const HostValue *given = module.host ? module.host->find(name) : nullptr;
  return given ? std::optional(valueOf(*given, use)) : std::nullopt;
}

std::optional<Value> Emitter::hostedDefault(const ast::Module &module, const std::string &parameter,
                                            SourceRange use) {
  const HostValue *given = module.host ? module.host->defaultOf(parameter) : nullptr;
  return given ? std::optional(valueOf(*given, use)) : std::nullopt;
}

namespace {

struct ValueMaker {
  Emitter &emitter;
  SourceRange use;

  Value operator()(const ConstantValue &constant) const { return constant; }
  Value operator()(const sema::LanguagePart &part) const {
    return emitter.tritonValue(part.path, use);
  }
  Value operator()(const sema::HostedFunction &function) const {
    return JitFunction{function.function, function.module};
  }
  Value operator()(const std::shared_ptr<const sema::HostTuple> &tuple) const {
    Tuple result;
    for (const HostValue &element : tuple->elements)
      result.elements.push_back(emitter.valueOf(element, use));
    return emitter.checkedTuple(std::move(result), use);
  }
  Value operator()(const std::shared_ptr<const sema::HostNamespace> &space) const { return space; }
  Value operator()(const std::shared_ptr<const sema::HostCall> &call) const { return call; }
  Value operator()(const sema::Foreign &foreign) const {
    fail(use, DiagnosticId::foreign_name, foreign.description);
  }
};

} // namespace

Value Emitter::valueOf(const HostValue &given, SourceRange use) {
  return std::visit(ValueMaker{*this, use}, given.variant);
}

Value Emitter::hostedAttribute(const sema::HostNamespace &space, const std::string &name,
                               SourceRange range) {
  if (auto member = space.members.find(name); member != space.members.end())
    return valueOf(member->second, range);
  fail(range, DiagnosticId::unknown_attribute, space.name, name);
}

/// A value as the host gets it; nothing for what it could do nothing with.
static std::optional<HostValue> toHost(const Value &value) {
  if (auto constant = asConstant(value))
    return HostValue{*constant};
  if (const auto *tuple = value.as<Tuple>()) {
    auto result = std::make_shared<sema::HostTuple>();
    for (const Value &element : tuple->elements) {
      auto given = toHost(element);
      if (!given)
        return std::nullopt;
      result->elements.push_back(std::move(*given));
    }
    return HostValue{std::shared_ptr<const sema::HostTuple>(std::move(result))};
  }
  if (const auto *space = value.as<std::shared_ptr<const sema::HostNamespace>>())
    return HostValue{*space};
  if (const auto *call = value.as<std::shared_ptr<const sema::HostCall>>())
    return HostValue{*call};
  return std::nullopt;
}

Value Emitter::callHosted(const sema::HostCall &callee, const std::vector<CallArgument> &arguments,
                          SourceRange range) {
  std::vector<sema::HostCall::Named> given;
  for (const CallArgument &argument : arguments) {
    auto value = toHost(argument.value);
    if (!value)
      failNotConstexpr(
          *this, argument.value,
          diagnose(argument.range, DiagnosticId::argument_not_constexpr,
                   argument.name.empty() ? std::to_string(given.size()) : argument.name,
                   callee.name));
    given.emplace_back(argument.name, std::move(*value));
  }
  return valueOf(callee.call(given), range);
}

} // namespace nereid::emit
