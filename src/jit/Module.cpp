// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Annotation.h"
#include "jit/Boundary.h"
#include "jit/State.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid {

Module Module::load(const std::string &path) {
  auto source = jit::atBoundary([&] { return driver::parseFile(path); });
  auto state = std::make_shared<detail::ModuleState>();
  state->source = std::move(source);
  return Module(std::move(state));
}

Module Module::fromText(std::string text, std::string name) {
  auto source = jit::atBoundary([&] { return driver::parse(std::move(name), std::move(text)); });
  auto state = std::make_shared<detail::ModuleState>();
  state->source = std::move(source);
  return Module(std::move(state));
}

std::vector<std::string> Module::kernelNames() const {
  std::vector<std::string> names;
  const ast::Module &tree = state->source->tree;
  for (const auto &function : tree.functions)
    // The last definition of a name wins; those it replaces cannot be reached.
    if (tree.function(function->name) == function.get())
      names.push_back(function->name);
  return names;
}

Kernel Module::kernel(std::string_view name) const {
  const ast::Function *function = state->source->tree.function(name);
  if (!function) {
    Diagnostic diagnostic =
        diagnose({}, DiagnosticId::no_such_kernel, name, state->source->file.path());
    bool isUndecorated = llvm::is_contained(state->source->tree.skippedDefinitions, name);
    diagnostic.notes.push_back({{},
                                isUndecorated
                                    ? "decorate '" + std::string(name) + "' with @triton.jit"
                                    : jit::suggest(name, kernelNames(), "kernels", "kernel")});
    throw jit::toError(diagnostic);
  }
  std::vector<Parameter> parameters;
  for (const ast::Parameter &parameter : function->parameters)
    parameters.push_back({parameter.name, jit::readAnnotation(parameter).isConstexpr,
                          parameter.defaultValue != nullptr});
  return detail::KernelState::wrap({state, function, std::move(parameters)});
}

} // namespace nereid
