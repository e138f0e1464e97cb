// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/CacheKey.h"

#include "backend/Backend.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

#include <set>

namespace nereid::driver {
namespace {

/// Calls `see` with each identifier of a text, and with words of its strings and comments: what is
/// named too often only makes a key more particular than it need be.
void forEachIdentifier(llvm::StringRef text, llvm::function_ref<void(llvm::StringRef)> see) {
  auto isPart = [](char c) {
    return llvm::isAlnum(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
  };
  while (!text.empty()) {
    text = text.drop_until(isPart);
    llvm::StringRef word = text.take_while(isPart);
    text = text.drop_front(word.size());
    if (!word.empty())
      see(word);
  }
}

/// The statements of a module that a function can depend on: its own, those that bind a name which
/// it mentions, those that bind a name which these mention, ...
class Dependencies {
public:
  explicit Dependencies(const ast::Module &module) : module(module) {}

  void add(SourceRange range) {
    if (!ranges.insert({range.begin, range.end}).second)
      return;
    forEachIdentifier(range.text(), [&](llvm::StringRef name) {
      if (seen.insert(name.str()).second)
        addBindings(name);
    });
  }

  /// In the order of the file, which decides what a name stands for.
  std::string text() const {
    std::string all;
    for (auto [begin, end] : ranges)
      (all += SourceRange{module.file, begin, end}.text()) += "\n";
    return all + imports;
  }

private:
  void addBindings(llvm::StringRef name) {
    for (const auto &function : module.functions)
      if (function->name == name)
        add(function->range);
    for (const ast::ModuleConstant &constant : module.constants)
      if (constant.name == name)
        add(constant.range);
    for (const ast::Rebinding &rebinding : module.rebindings)
      if (rebinding.name == name)
        add(rebinding.range);
    for (const auto &[alias, path] : module.imports)
      if (alias == name)
        imports += "import " + path + " as " + alias + '\n';
  }

  const ast::Module &module;
  std::set<std::pair<uint32_t, uint32_t>> ranges;
  std::set<std::string> seen;
  std::string imports;
};

} // namespace

sema::Specialization relevantPart(sema::Specialization specialization,
                                  const backend::CompileOptions &options) {
  if (backend::backendFor(options.target).readsDivisibility)
    return specialization;
  for (auto &parameter : specialization.parameters)
    if (auto *runtime = std::get_if<sema::RuntimeParameter>(&parameter))
      runtime->isDivisibleBy16 = false;
  return specialization;
}

std::string cacheKey(const KernelRequest &request, const backend::CompileOptions &options) {
  Dependencies dependencies(request.source->tree);
  dependencies.add(request.function->range);
  const backend::Backend &backend = backend::backendFor(options.target);
  llvm::BLAKE3 hash;
  auto add = [&](std::string_view part) { // with its length, so that parts cannot run together
    hash.update(std::to_string(part.size()) + ':');
    hash.update(llvm::StringRef(part));
  };
  add(buildId());
  add(backend.name);
  add(backend.key(options));
  add(request.function->name);
  add(relevantPart(request.specialization, options).key());
  add(dependencies.text());
  return llvm::toHex(hash.final<32>(), /*LowerCase=*/true);
}

} // namespace nereid::driver
