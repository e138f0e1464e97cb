// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Annotation.h"
#include "jit/Boundary.h"
#include "jit/State.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid {

/// A compiled kernel begins like no text does.
static std::shared_ptr<const runtime::Artifact> readCompiled(const std::string &path,
                                                             const std::string &bytes) {
  if (!runtime::looksLikeArtifact(bytes))
    return nullptr;
  try {
    auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
    return std::make_shared<runtime::Artifact>(runtime::deserialize({data, bytes.size()}));
  } catch (const runtime::ArtifactError &error) {
    throw Error(Error::Kind::Environment, path + ' ' + error.what());
  }
}

Module Module::load(const std::string &path) {
  auto state = std::make_shared<detail::ModuleState>();
  jit::atBoundary([&] {
    std::string bytes = driver::readFile(path);
    state->artifact = readCompiled(path, bytes);
    if (!state->artifact)
      state->source = driver::parse(path, std::move(bytes));
  });
  return Module(std::move(state));
}

Module Module::fromText(std::string text, std::string name) {
  auto source = jit::atBoundary([&] { return driver::parse(std::move(name), std::move(text)); });
  auto state = std::make_shared<detail::ModuleState>();
  state->source = std::move(source);
  return Module(std::move(state));
}

std::vector<std::string> Module::kernelNames() const {
  if (state->artifact)
    return {state->artifact->kernel};
  std::vector<std::string> names;
  const ast::Module &tree = state->source->tree;
  for (const auto &function : tree.functions)
    // The last definition of a name wins; those it replaces cannot be reached.
    if (tree.function(function->name) == function.get())
      names.push_back(function->name);
  return names;
}

[[noreturn]] static void failNoKernel(std::string_view name, const std::string &path,
                                      const std::string &note) {
  Diagnostic diagnostic = diagnose({}, DiagnosticId::no_such_kernel, name, path);
  diagnostic.notes.push_back({{}, note});
  throw jit::toError(diagnostic);
}

static detail::KernelState compiledKernel(const std::shared_ptr<detail::ModuleState> &module) {
  detail::KernelState kernel{module, nullptr, module->artifact->kernel, {}};
  for (const runtime::ArtifactParameter &parameter : module->artifact->parameters) {
    bool isFixed = !std::holds_alternative<runtime::ScalarSlot>(parameter.value);
    kernel.parameters.push_back({parameter.name, isFixed, isFixed});
  }
  return kernel;
}

Kernel Module::kernel(std::string_view name) const {
  std::string suggestion = jit::suggest(name, kernelNames(), "kernels", "kernel");
  if (state->artifact) {
    if (name != state->artifact->kernel)
      failNoKernel(name, state->artifact->source, suggestion);
    return detail::KernelState::wrap(compiledKernel(state));
  }
  const ast::Function *function = state->source->tree.function(name);
  if (!function) {
    bool isUndecorated = llvm::is_contained(state->source->tree.skippedDefinitions, name);
    failNoKernel(name, state->source->file.path(),
                 isUndecorated ? "decorate '" + std::string(name) + "' with @triton.jit"
                               : suggestion);
  }
  std::vector<Parameter> parameters;
  for (const ast::Parameter &parameter : function->parameters)
    parameters.push_back({parameter.name, jit::readAnnotation(parameter).isConstexpr,
                          parameter.defaultValue != nullptr});
  return detail::KernelState::wrap({state, function, function->name, std::move(parameters)});
}

} // namespace nereid
