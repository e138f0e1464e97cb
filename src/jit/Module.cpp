// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/Evaluate.h"
#include "jit/Boundary.h"
#include "jit/ReadArtifact.h"
#include "jit/State.h"
#include "jit/Suggest.h"
#include "jit/launch/Binding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace nereid {

/// A compiled kernel begins like no text does.
static std::shared_ptr<const runtime::Artifact> readCompiled(const std::string &path,
                                                             const std::string &bytes) {
  if (!runtime::looksLikeArtifact(bytes))
    return nullptr;
  return jit::readArtifact({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()}, path);
}

static driver::ModuleOptions toDriver(const ModuleOptions &options, std::string name) {
  driver::ModuleOptions result{options.paths, {}, std::move(name), options.firstLine};
  for (const NamedArgument &definition : options.definitions) {
    if (definition.value.array())
      throw Error(Error::Kind::Usage, "definition '" + definition.name +
                                          "' is an array; a number, a bool, a string, a dtype or "
                                          "None is accepted");
    result.definitions.emplace_back(definition.name, jit::toConstant(definition.value.get()));
  }
  return result;
}

Module Module::load(const std::string &path, const ModuleOptions &options) {
  auto state = std::make_shared<detail::ModuleState>();
  jit::atBoundary([&] {
    std::string bytes = driver::readFile(path);
    state->artifact = readCompiled(path, bytes);
    if (!state->artifact)
      state->source = driver::parse(path, std::move(bytes), toDriver(options, path));
    else if (!options.paths.empty() || !options.definitions.empty())
      throw Error(Error::Kind::Usage,
                  path + " is compiled already: no path and no definition can change it");
  });
  return Module(std::move(state));
}

Module Module::fromText(std::string text, std::string name, const ModuleOptions &options) {
  auto source = jit::atBoundary([&] {
    return driver::parse(options.path, std::move(text), toDriver(options, std::move(name)));
  });
  auto state = std::make_shared<detail::ModuleState>();
  state->source = std::move(source);
  return Module(std::move(state));
}

std::vector<std::string> Module::kernelNames() const {
  if (state->artifact)
    return {state->artifact->kernel};
  std::vector<std::string> names = state->source->tree.functionNames();
  llvm::append_range(names, state->source->tree.localFunctionNames());
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
    bool isPart = parameter.part != runtime::ArtifactParameter::Part::Value;
    bool isKnown = !kernel.parameters.empty() && kernel.parameters.back().name == parameter.name;
    if (isPart || (isKnown && isFixed))
      continue;
    if (!isKnown)
      kernel.parameters.push_back({parameter.name, isFixed, isFixed});
    else // a tuple, with an element that launches give
      kernel.parameters.back() = {parameter.name, false, false};
  }
  return kernel;
}

/// For a module without a kernel: the functions that would be kernels if they were decorated.
static std::string describeUndecorated(const driver::SourceModule &source) {
  std::string list;
  for (const ast::Binding &binding : source.tree.bindings)
    if (binding.kind == ast::Binding::Kind::Skipped)
      list += (list.empty() ? ", which makes a kernel of a def; those without are " : ", ") +
              binding.name;
  return list;
}

Kernel Module::kernel() const {
  std::vector<std::string> names = kernelNames();
  bool isPlain = names.size() > 1 && state->source->tree.functionNames().size() == 1;
  if (names.size() == 1 || isPlain) // it is the first, and those in functions are named
    return kernel(names[0]);
  const std::string &file = state->source->file.name();
  if (names.empty())
    throw Error(Error::Kind::Usage,
                file + " holds no @triton.jit function" + describeUndecorated(*state->source));
  Diagnostic diagnostic = diagnose({}, DiagnosticId::kernel_name_needed, file, names.size());
  diagnostic.notes.push_back({{}, "the kernels are " + llvm::join(names, ", ")});
  throw jit::toError(diagnostic);
}

Kernel Module::kernel(std::string_view name) const {
  auto suggestion = [&] { return jit::suggest(name, kernelNames(), "kernels", "kernel"); };
  if (state->artifact) {
    if (name != state->artifact->kernel)
      failNoKernel(name, state->artifact->source, suggestion());
    return detail::KernelState::wrap(compiledKernel(state));
  }
  const driver::SourceModule &source = *state->source;
  const ast::Function *function = jit::atBoundary(
      [&] { return emit::findKernel(source.tree, std::string(name), source.modules); });
  if (!function) {
    bool isUndecorated = source.tree.binds(name, ast::Binding::Kind::Skipped);
    failNoKernel(name, state->source->file.name(),
                 isUndecorated ? "decorate '" + std::string(name) + "' with @triton.jit"
                               : suggestion());
  }
  if (function->mistake)
    throw jit::toError(*function->mistake);
  auto declaration = std::make_shared<const jit::Declaration>(state->source, *function);
  std::vector<Parameter> parameters;
  for (size_t i = 0; i < function->parameters.size(); ++i)
    parameters.push_back({function->parameters[i].name, declaration->annotation(i).isConstexpr,
                          function->parameters[i].defaultValue != nullptr});
  return detail::KernelState::wrap(
      {state, std::move(declaration), function->name, std::move(parameters)});
}

} // namespace nereid
