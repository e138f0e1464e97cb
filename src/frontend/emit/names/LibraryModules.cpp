// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/names/LibraryModules.h"

#include "frontend/parse/Parser.h"
#include "library/Library.h"
#include "support/Check.h"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>

namespace nereid::emit {
namespace {

/// A file of the library, which is parsed when the first of its functions is asked for: all of them
/// would take a third of what a cold start takes.
class LibraryModule {
public:
  explicit LibraryModule(const library::SourceText &source) : source(source) {}

  /// The functions of libdevice have files, and names, of their own.
  bool isOfDevice() const { return llvm::StringRef(source.path).contains("/libdevice"); }
  bool mayDefine(std::string_view name) const {
    return llvm::StringRef(source.text).contains("def " + std::string(name) + "(");
  }
  const ast::Module &tree() const {
    std::call_once(isAsked, [&] {
      own = std::make_unique<const Parsed>(source);
      parsed.store(&own->tree, std::memory_order_release);
    });
    return own->tree;
  }
  bool has(const ast::Module &module) const {
    return parsed.load(std::memory_order_acquire) == &module;
  }

private:
  struct Parsed {
    explicit Parsed(const library::SourceText &source)
        : file(std::string(source.path), std::string(source.text)), tree(parseModule(file)) {}
    SourceFile file;
    ast::Module tree;
  };

  const library::SourceText &source;
  mutable std::once_flag isAsked;
  mutable std::unique_ptr<const Parsed> own;
  mutable std::atomic<const ast::Module *> parsed = nullptr;
};

const std::deque<LibraryModule> &libraryModules() {
  static const std::deque<LibraryModule> modules = [] {
    std::deque<LibraryModule> all;
    for (const library::SourceText &source : library::sources())
      all.emplace_back(source);
    return all;
  }();
  return modules;
}

} // namespace

static const ast::Function *find(bool isDevice, std::string_view name, const ast::Module *&owner) {
  for (const LibraryModule &module : libraryModules()) {
    if (module.isOfDevice() != isDevice || !module.mayDefine(name))
      continue;
    owner = &module.tree();
    if (const ast::Function *function = owner->function(name))
      return function;
  }
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
  return llvm::any_of(libraryModules(), [&](const auto &known) { return known.has(module); });
}

} // namespace nereid::emit
