// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/names/LibraryModules.h"

#include "frontend/parse/Parser.h"
#include "library/Library.h"
#include "support/Check.h"

namespace nereid::emit {
namespace {

struct LibraryModule {
  explicit LibraryModule(const library::SourceText &source)
      : file(std::string(source.path), std::string(source.text)), tree(parseModule(file)) {}

  SourceFile file;
  ast::Module tree;
};

using LibraryModules = std::vector<std::unique_ptr<const LibraryModule>>;

const LibraryModules &libraryModules() {
  static const LibraryModules modules = [] {
    LibraryModules parsed;
    for (const library::SourceText &source : library::sources())
      parsed.push_back(std::make_unique<const LibraryModule>(source));
    return parsed;
  }();
  return modules;
}

} // namespace

/// The functions of libdevice have files, and names, of their own.
static bool isOfDevice(const LibraryModule &module) {
  return llvm::StringRef(module.file.path()).contains("/libdevice");
}

static const ast::Function *find(bool isDevice, std::string_view name, const ast::Module *&owner) {
  for (const auto &module : libraryModules())
    if (const ast::Function *function = module->tree.function(name))
      if (owner = &module->tree; isOfDevice(*module) == isDevice)
        return function;
  return nullptr;
}

JitFunction findDeviceCode(std::string_view name) {
  const ast::Module *owner = nullptr;
  const ast::Function *function = find(/*isDevice=*/true, name, owner);
  NEREID_CHECK(function, "libdevice.def names a function that src/library lacks");
  return {function, owner};
}

JitFunction findLibraryFunction(std::string_view name) {
  const ast::Module *owner = nullptr;
  if (const ast::Function *function = find(/*isDevice=*/false, name, owner))
    return {function, owner};
  NEREID_UNREACHABLE("builtins.def lists a function that src/library lacks: " + std::string(name));
}

bool isLibraryModule(const ast::Module &module) {
  return llvm::any_of(libraryModules(), [&](const auto &known) { return &known->tree == &module; });
}

} // namespace nereid::emit
