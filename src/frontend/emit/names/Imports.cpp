// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What imports bring: parts of triton, other modules of the program, and what is known of Python's
// own.
#include "frontend/emit/Advice.h"
#include "frontend/emit/threads/Names.h"
#include "frontend/names/PythonModules.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"

namespace nereid::emit {

using sema::ConstantValue;

Value Emitter::tritonValue(llvm::StringRef path, SourceRange range) {
  if (path == "triton" || path == "triton.language" || path == "triton.language.math")
    return ModuleReference{path.str()};
  Value value = ModuleReference{"triton"};
  for (llvm::StringRef rest = path.split('.').second; !rest.empty(); rest = rest.split('.').second)
    value = attribute(value, rest.split('.').first.str(), range);
  return value;
}

void Emitter::failForeign(const std::string &path, const std::string &module, SourceRange range,
                          std::vector<DiagnosticNote> notes) {
  std::string advice = spellingInKernels(path.substr(path.rfind('.') + 1));
  if (names::isWellKnown(path) || !advice.empty()) {
    notes.push_back({{}, advice.empty() ? "kernels compute with triton.language" : advice});
    failWithNotes(std::move(notes), diagnose(range, DiagnosticId::foreign_name, path));
  }
  std::vector<std::string> searched = environment.searchPath(frame->module);
  bool isAbove = llvm::StringRef(module).starts_with("..");
  notes.push_back({{},
                   isAbove ? "a relative import stays inside of the outermost package: directories "
                             "with an __init__.py, or below one that --path DIR adds"
                           : "--path DIR adds a directory to look in"});
  failWithNotes(std::move(notes),
                diagnose(range, DiagnosticId::module_not_found, module,
                         searched.empty() ? "no directory" : llvm::join(searched, ", ")));
}

Value Emitter::importedValue(const ast::Module &module, const ast::Binding &binding,
                             const std::string &name, SourceRange use) {
  if (std::string path = names::pathOf(binding.import, name); knowsModule(path))
    if (auto value = threads::valueOf(*this, path, use))
      return *value;
  names::Imported found = names.imported(module, binding, name, frame->isHost);
  if (const auto *part = std::get_if<names::PartOfTriton>(&found))
    return tritonValue(part->path, use);
  if (const auto *known = std::get_if<names::Meaning>(&found))
    return valueOf(*known);
  if (const auto *member = std::get_if<names::Member>(&found))
    return memberOf(*member->from, module, binding, member->name, use);
  std::vector<DiagnosticNote> notes;
  if (&frame->module != &module)
    notes.push_back({binding.range, "imported here"});
  const auto &foreign = std::get<names::Foreign>(found);
  failForeign(foreign.path, foreign.module, use, std::move(notes));
}

Value Emitter::memberOf(const ast::Module &from, const ast::Module &importer,
                        const ast::Binding &binding, const std::string &member, SourceRange use) {
  auto part = [&]() -> std::optional<Value> {
    if (const ast::Module *found = names.partOfPackage(importer, binding, member))
      return Value(ModuleReference{ast::Import{binding.import.module, member}.path(), found});
    return std::nullopt;
  };
  auto [entry, isNew] = importsUnderWay.insert({&from, member});
  if (!isNew) {
    if (auto value = part()) // `from . import part` in the package itself
      return *value;
    failWithNote(use, {binding.range, "imported here"}, DiagnosticId::import_cycle, member);
  }
  llvm::scope_exit restore([&, entry] { importsUnderWay.erase(entry); });
  if (auto value = globalValue(from, member, UINT32_MAX, use))
    return *value;
  if (auto value = part())
    return *value;
  std::vector<std::string> candidates;
  for (const ast::Binding &other : from.bindings)
    candidates.push_back(other.name);
  std::vector<DiagnosticNote> notes = suggestion(member, candidates);
  notes.push_back({binding.range, "imported here"});
  failWithNotes(std::move(notes), diagnose(use, DiagnosticId::unknown_attribute,
                                           "module " + binding.import.module, member));
}

/// What `__all__` of a module lists; nothing if it has none, or only a running Python knows it.
std::optional<std::set<std::string>> Emitter::namesExported(const ast::Module &module) {
  std::optional<Value> all;
  try {
    all = globalValue(module, "__all__", UINT32_MAX, {});
  } catch (const SourceError &) {
    return std::nullopt;
  }
  const auto *listed = all ? all->as<Tuple>() : nullptr;
  if (!listed)
    return std::nullopt;
  std::set<std::string> names;
  for (const Value &name : listed->elements)
    if (const auto *constant = name.as<ConstantValue>())
      if (const auto *text = std::get_if<std::string>(constant))
        names.insert(*text);
  return names;
}

bool Emitter::knowsModule(std::string_view path) {
  return isOfThreads() && threads::isKnownModule(path);
}

std::optional<names::Foreign> Emitter::foreignName(const ast::Name &name) {
  const ast::Module &module = frame->module;
  if (frame->scope.values.contains(name.name) || definition(name.name))
    return {};
  if (module.host && module.host->find(name.name))
    return {};
  return names.foreign(module, name.name, frame->before);
}

std::optional<Value> Emitter::hostValue(const std::string &path) {
  auto known = names::partOfPython(path, frame->isLibrary);
  return known ? std::optional(valueOf(*known)) : std::nullopt;
}

Value Emitter::callHost(const sema::HostFunction &function, llvm::ArrayRef<Value> given,
                        SourceRange range) {
  if (given.size() < function.fewest || given.size() > function.most)
    fail(range, DiagnosticId::too_many_arguments, function.name, function.fewest, given.size());
  std::vector<ConstantValue> arguments;
  for (const Value &value : given) {
    auto constant = asConstant(value);
    if (!constant && !frame->isHost) // of run-time values it is the language's
      failForeign(std::string(function.name), "math", range);
    if (!constant)
      fail(range, DiagnosticId::not_constexpr, "the argument of " + std::string(function.name));
    arguments.push_back(*constant);
  }
  if (auto result = function.apply(arguments))
    return *result;
  fail(range, DiagnosticId::operand_type, function.name, describe(given.front()));
}

Value Emitter::environmentVariable(const Value &name, const std::optional<Value> &otherwise,
                                   SourceRange range) {
  const auto *constant = name.as<ConstantValue>();
  const auto *text = constant ? std::get_if<std::string>(constant) : nullptr;
  if (!text)
    fail(range, DiagnosticId::not_constexpr, "the name of an environment variable");
  auto given = definition(*text);
  const auto *value = given ? given->as<ConstantValue>() : nullptr;
  if (!value) {
    if (auto set = environment.environmentVariable(*text))
      return stringValue(*set);
    if (otherwise)
      return *otherwise;
    failWithNote(range, {{}, "settled by --define " + *text + "=VALUE"},
                 DiagnosticId::only_python_knows, "environment variable '" + *text + "'");
  }
  bool isText = std::holds_alternative<std::string>(*value) || given->isNone();
  return isText ? *given : stringValue(sema::toString(*value));
}

} // namespace nereid::emit
