// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/names/Names.h"

#include "frontend/names/Language.h"
#include "frontend/names/PythonModules.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringRef.h"

namespace nereid::names {

std::string pathOf(const ast::Import &import, const std::string &name) {
  return import.member == "*" ? ast::Import{import.module, name}.path() : import.path();
}

/// Whether a kernel can use what Python's library has: constants, and functions that compute them.
static bool isForKernels(const Meaning &known) { return !as<EnvironmentLookup>(known); }

Imported Names::imported(const ast::Module &module, const ast::Binding &binding,
                         const std::string &name, bool isOutside) {
  const ast::Import &import = binding.import;
  std::string member = import.member == "*" ? name : import.member;
  std::string path = pathOf(import, name);
  if (isOfTriton(path))
    return PartOfTriton{path};
  if (isOfPython(path))
    if (auto known = partOfPython(path, /*isForLibrary=*/false);
        known && (isOutside || isForKernels(*known)))
      return *known;
  if (member.empty()) {
    if (const ast::Module *found = environment.findModule(module, path))
      return Meaning(ModuleReference{path, found});
  } else if (const ast::Module *from = environment.findModule(module, import.module)) {
    return Member{from, member};
  }
  if (import.module == "builtins")
    if (auto builtin = builtinOf("", member))
      return *builtin;
  return Foreign{path, import.member.empty() ? path : import.module};
}

const ast::Module *Names::partOfPackage(const ast::Module &importer, const ast::Binding &binding,
                                        const std::string &member) {
  return environment.findModule(importer, ast::Import{binding.import.module, member}.path());
}

std::optional<ModuleReference> Names::submodule(const ast::Module &asking,
                                                const ModuleReference &package,
                                                const std::string &name) {
  auto find = [&](const ast::Module &importer,
                  const std::string &path) -> std::optional<ModuleReference> {
    for (const ast::Binding &binding : importer.bindings) {
      bool isLoaded = binding.kind == ast::Binding::Kind::Import &&
                      llvm::StringRef(binding.import.module + ".").starts_with(path + ".");
      const ast::Module *found = isLoaded ? environment.findModule(importer, path) : nullptr;
      if (found)
        return ModuleReference{path, found};
    }
    return std::nullopt;
  };
  for (const ast::Module *importer = &asking; importer; importer = importer->outer)
    if (auto found = find(*importer, package.path + "." + name))
      return found;
  return find(*package.module, "." + name);
}

std::optional<Foreign> Names::foreign(const ast::Module &module, const std::string &name,
                                      uint32_t before) {
  Meanings::Bindings found = of(module, name, before);
  for (auto *outer = module.outer; found.empty() && outer; outer = outer->outer)
    found = of(*outer, name, UINT32_MAX);
  if (found.empty())
    return isWellKnown(name) ? std::optional(Foreign{name, name, /*isImported=*/false})
                             : std::nullopt;
  const ast::Binding &binding = *found.front();
  if (found.size() > 1 || binding.kind != ast::Binding::Kind::Import || binding.name == "*")
    return {};
  std::string path = binding.import.path();
  std::string from = binding.import.member.empty() ? path : binding.import.module;
  if (isOfTriton(path) || evaluator.knowsModule(path) || environment.findModule(module, from))
    return {};
  return Foreign{path, from};
}

std::optional<bool> Names::isImportable(const ast::Module &module, const ast::Binding &binding) {
  const ast::Import &import = binding.import;
  bool isAll = import.member.empty() || import.member == "*";
  std::string path = isAll ? import.module : import.path();
  if (isOfTriton(path))
    return hasPart(path); // who asks gets what is there
  if (isOfPython(path) || evaluator.knowsModule(path))
    return true;
  if (environment.findModule(module, path))
    return true;
  if (const ast::Module *from = environment.findModule(module, import.module))
    return from->file == module.file || !of(*from, import.member, UINT32_MAX).empty();
  bool isNear = path.starts_with('.') ||
                environment.findModule(module, path.substr(0, path.find('.'))) != nullptr;
  return isNear ? std::optional(false) : std::nullopt;
}

bool Names::mayProvide(const ast::Module &module, const ast::Binding &star,
                       const std::string &name) {
  const std::string &path = star.import.module;
  if (isOfTriton(path))
    return hasPart(path + "." + name);
  if (isOfPython(path))
    return partOfPython(path + "." + name, /*isForLibrary=*/false).has_value();
  const ast::Module *from = nullptr;
  try {
    from = environment.findModule(module, path);
  } catch (const SourceError &) {
    // A file that cannot be read concerns those who name it.
  }
  auto [entry, isNew] = starsUnderWay.insert({from, name});
  if (!from || !isNew)
    return false;
  llvm::scope_exit restore([&, entry] { starsUnderWay.erase(entry); });
  if (of(*from, name, UINT32_MAX).empty())
    return false;
  auto exported = evaluator.namesExported(*from);
  return exported ? exported->contains(name) : !name.starts_with('_');
}

} // namespace nereid::names
