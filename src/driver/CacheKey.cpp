// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/CacheKey.h"

#include "backend/Backend.h"
#include "frontend/sema/TritonVersion.h"
#include "support/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

#include <map>
#include <optional>
#include <set>

namespace nereid::driver {
namespace {

/// What the decorators of a function, which are no part of its text, make of it.
std::string_view decorationOf(const ast::Function &function) {
  return function.isOfThreads ? "threads\n" : function.floorsDivision ? "floor_division\n" : "";
}

/// "two.py:26:5": what an assertion that fails there says, and the compiled kernel therefore holds.
std::string placeOf(SourceRange range) {
  auto [line, column] = range.file->position(range.begin);
  return range.file->name() + ':' + std::to_string(line) + ':' + std::to_string(column) + '\n';
}

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

/// What texts ask the process's environment for.
class EnvironmentUses {
public:
  void add(llvm::StringRef text) {
    forEachIdentifier(text, [&](llvm::StringRef word) {
      if (!isLookup(word))
        return;
      if (auto variable = literalAsked(text.drop_front(word.end() - text.begin())))
        variables.insert(variable->str());
      else
        isWhole = true;
    });
  }

  /// `from os import getenv` asks for nothing yet; another name for it hides who does.
  void addImport(llvm::StringRef name, llvm::StringRef path) {
    forEachIdentifier(path, [&](llvm::StringRef word) {
      bool isKnown = name == word && path.ends_with(word);
      isWhole |= isLookup(word) && !isKnown;
    });
  }

  std::string text(const ModuleSet &modules) const {
    std::string all;
    auto describe = [&](const std::string &name, const std::string &value) {
      all += "environment " + name + " = " + std::to_string(value.size()) + ':' + value + '\n';
    };
    for (const std::string &name : variables)
      if (auto value = modules.environmentVariable(name))
        describe(name, *value);
    if (isWhole)
      for (const std::string &entry : modules.wholeEnvironment())
        describe("*", entry);
    return all;
  }

private:
  static bool isLookup(llvm::StringRef word) { return word == "environ" || word == "getenv"; }

  /// The name in `.get("NAME"`, `["NAME"` or `("NAME"`, if that literal is all that stands there
  /// for the name.
  static std::optional<llvm::StringRef> literalAsked(llvm::StringRef after) {
    after = after.ltrim();
    if (after.consume_front("."))
      if (after = after.ltrim(); !after.consume_front("get"))
        return std::nullopt;
    after = after.ltrim();
    if (!after.consume_front("(") && !after.consume_front("["))
      return std::nullopt;
    after = after.ltrim();
    if (!after.starts_with("'") && !after.starts_with("\""))
      return std::nullopt;
    auto [name, rest] = after.drop_front().split(after.front());
    rest = rest.ltrim();
    bool isPlain = !name.empty() && !name.contains('\\') && !name.contains('\n');
    bool isAll = rest.starts_with(",") || rest.starts_with(")") || rest.starts_with("]");
    return isPlain && isAll ? std::optional(name) : std::nullopt;
  }

  std::set<std::string> variables;
  /// Something asks by a name that it computes, or hands the environment on: any variable counts.
  bool isWhole = false;
};

/// What a kernel can depend on: the statements of its module and of those that it imports. Each
/// word that one of them mentions may name something in any module that is reached; what is taken
/// in too much only makes a key more particular than it need be.
class Dependencies {
public:
  Dependencies(const SourceModule &source, const ast::Function &function)
      : modules(source.modules) {
    for (auto *module = &source.tree.moduleOf(function); module; module = module->outer)
      reach(module);
    addText(function.range);
  }

  /// Of everything that text() has.
  std::string places() const {
    std::string all;
    for (const auto &module : reached)
      for (const ast::Binding &binding : module->tree.bindings)
        if (module->used.contains(&binding))
          all += placeOf(binding.range);
    return all;
  }

  /// Whether code says where it stands, which only the author's own instructions do.
  bool saysPlaces() const { return words.contains("inline_asm_elementwise"); }

  /// Module by module in the order in which they were reached, and in the order of their files,
  /// which decides what a name stands for.
  std::string text() const {
    std::string all;
    for (const auto &module : reached) {
      all += "module\n";
      std::map<const ast::Choice *, size_t> numbers;
      for (const ast::Binding &binding : module->tree.bindings)
        if (module->used.contains(&binding))
          describe(binding, module->links, numbers, all);
    }
    for (const auto &[name, value] : modules.definitions())
      if (isMentioned(name))
        all += "define " + name + " = " + sema::toString(value) + '\n';
    return all + environment.text(modules);
  }

private:
  struct Reached {
    explicit Reached(const ast::Module &tree) : tree(tree) {
      for (const ast::Binding &binding : tree.bindings) {
        byName[binding.name].push_back(&binding);
        // `from .part import x` makes `part` known as well.
        forEachIdentifier(binding.import.module,
                          [&](llvm::StringRef part) { byName[part].push_back(&binding); });
      }
    }
    const ast::Module &tree;
    std::map<llvm::StringRef, std::vector<const ast::Binding *>> byName;
    std::set<const ast::Binding *> used;
    /// What an import leads to, by the numbers of the modules.
    std::map<const ast::Binding *, std::string> links;
  };

  std::string reach(const ast::Module *module) {
    if (!module)
      return "-";
    auto [number, isNew] = numberOf.try_emplace(module, reached.size());
    if (isNew) {
      reached.push_back(std::make_unique<Reached>(*module));
      for (const char *name : {"*", "__all__"}) // which decide what other names stand for
        addNamed(*reached.back(), name);
      std::vector<std::string> before(words.begin(), words.end());
      for (const std::string &word : before)
        addNamed(*reached[number->second], word);
    }
    return std::to_string(number->second);
  }

  void addText(SourceRange range) {
    environment.add(range.text());
    addWords(range);
  }

  void addWords(SourceRange range) {
    forEachIdentifier(range.text(), [&](llvm::StringRef word) {
      if (!words.insert(word.str()).second)
        return;
      for (size_t i = 0; i < reached.size(); ++i)
        addNamed(*reached[i], word);
    });
  }

  void addNamed(Reached &module, llvm::StringRef name) {
    if (auto named = module.byName.find(name); named != module.byName.end())
      for (const ast::Binding *binding : named->second)
        addBinding(module, *binding);
  }

  void addBinding(Reached &module, const ast::Binding &binding) {
    if (!module.used.insert(&binding).second)
      return;
    if (binding.kind == ast::Binding::Kind::Import) {
      addWords(binding.range);
      environment.addImport(binding.name, binding.import.path());
      module.links[&binding] = follow(module.tree, binding.import);
    } else {
      addText(binding.range);
    }
    for (ast::Place place = binding.place; place.choice; place = place.choice->place) {
      for (const ast::ExprPtr &condition : place.choice->conditions)
        if (condition)
          addText(condition->range);
      if (place.choice->kind == ast::Choice::Kind::Try) // what it holds decides how it ends
        for (const ast::Binding &other : module.tree.bindings)
          if (ast::Place{place.choice, 0}.encloses(other.place))
            addBinding(module, other);
    }
  }

  /// Reaches every module on the way: `import a.b` runs a, too.
  std::string follow(const ast::Module &importer, const ast::Import &import) {
    std::string path =
        import.member.empty() || import.member == "*" ? import.module : import.path();
    std::string links;
    if (path == "triton" || path.starts_with("triton.")) // part of the compiler
      return links;
    size_t dots = std::min(path.find_first_not_of('.'), path.size());
    if (dots > 0)
      links += reach(find(importer, path.substr(0, dots))) + ' ';
    for (size_t end = dots; end < path.size();) {
      end = std::min(path.find('.', end + 1), path.size());
      links += reach(find(importer, path.substr(0, end))) + ' ';
    }
    return links;
  }

  /// A file that cannot be read counts as missing: no artifact comes of it.
  const ast::Module *find(const ast::Module &importer, const std::string &path) {
    try {
      return modules.findModule(importer, path);
    } catch (const SourceError &) {
      return nullptr;
    }
  }

  static void describe(const ast::Binding &binding,
                       const std::map<const ast::Binding *, std::string> &links,
                       std::map<const ast::Choice *, size_t> &numbers, std::string &out) {
    for (ast::Place place = binding.place; place.choice; place = place.choice->place) {
      auto [number, isNew] = numbers.try_emplace(place.choice, numbers.size());
      out += "in " + std::to_string(number->second) + '.' + std::to_string(place.arm);
      out += place.choice->holdsUnread ? "? " : " ";
      for (const ast::ExprPtr &condition : place.choice->conditions)
        (out += condition ? condition->range.text() : "?") += ", ";
    }
    (out += binding.range.text()) += '\n';
    if (binding.function)
      out += decorationOf(*binding.function);
    if (auto link = links.find(&binding); link != links.end())
      out += "to " + link->second + '\n';
  }

  bool isMentioned(llvm::StringRef text) const {
    bool isAll = true;
    forEachIdentifier(text, [&](llvm::StringRef word) { isAll &= words.contains(word.str()); });
    return isAll;
  }

  const ModuleSet &modules;
  std::vector<std::unique_ptr<Reached>> reached;
  std::map<const ast::Module *, size_t> numberOf;
  std::set<std::string> words;
  EnvironmentUses environment;
};

/// 64 hexadecimal digits. Each part goes in with its length, so that parts cannot run together.
std::string digestOf(std::initializer_list<std::string_view> parts) {
  llvm::BLAKE3 hash;
  for (std::string_view part : parts) {
    hash.update(std::to_string(part.size()) + ':');
    hash.update(llvm::StringRef(part));
  }
  return llvm::toHex(hash.final<32>(), /*LowerCase=*/true);
}

} // namespace

sema::Specialization relevantPart(sema::Specialization specialization,
                                  const backend::CompileOptions &options) {
  const backend::Backend &backend = backend::backendFor(options.target);
  if (!backend.readsTuning)
    specialization.tuning = {.block = specialization.tuning.block,
                             .isBrief = backend.readsBrevity && specialization.tuning.isBrief};
  else
    specialization.tuning.isBrief &= backend.readsBrevity;
  if (backend.readsDivisibility)
    return specialization;
  for (auto &parameter : specialization.parameters)
    if (auto *runtime = std::get_if<sema::RuntimeParameter>(&parameter))
      runtime->isDivisibleBy16 = false;
  return specialization;
}

std::string sourceKey(const SourceModule &source, const ast::Function &function, bool withPlaces) {
  std::string text(function.range.text());
  text += decorationOf(function);
  Dependencies dependencies(source, function);
  withPlaces |= dependencies.saysPlaces();
  std::string host = source.tree.host ? source.tree.host->key(withPlaces) : "";
  std::string places = withPlaces ? placeOf(function.range) + dependencies.places() : "";
  return digestOf(
      {function.name, text, dependencies.text(), host, places, sema::tritonVersion().release});
}

std::string cacheKey(const KernelRequest &request, const backend::CompileOptions &options) {
  const backend::Backend &backend = backend::backendFor(options.target);
  // Assertions that are checked say where they stand; nothing else that is compiled does.
  bool saysPlaces = options.checksAsserts || request.specialization.checksAsserts;
  return digestOf({buildId(), backend.name, backend.key(options),
                   sourceKey(*request.source, *request.function, saysPlaces),
                   relevantPart(request.specialization, options).key()});
}

} // namespace nereid::driver
