// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What imports bring: parts of triton, other modules of the program, and what is known of Python's
// own.
#include "frontend/emit/Advice.h"
#include "frontend/emit/names/PackageVersion.h"
#include "frontend/emit/threads/Names.h"
#include "frontend/sema/TritonVersion.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"

namespace nereid::emit {

using sema::ConstantValue;

static bool isOfTriton(llvm::StringRef path) {
  return path == "triton" || path.starts_with("triton.");
}

/// What a kernel's author may think to have in a kernel, under any of its usual names.
static bool isWellKnown(llvm::StringRef path) {
  constexpr llvm::StringRef names[] = {"np", "numpy", "math", "torch", "jnp", "os", "typing"};
  return llvm::is_contained(names, path.split('.').first);
}

/// Modules of Python's library, and packaging, of which something is known; no file stands in for
/// one of them.
static bool isOfHost(llvm::StringRef path) {
  constexpr llvm::StringRef names[] = {"math", "os", "typing", "collections", "packaging"};
  return llvm::is_contained(names, path.split('.').first);
}

/// Whether a kernel can use what the host has: constants, and functions that compute them.
static bool isForKernels(const Value &known) {
  return !isCallable(known) || known.is<const sema::HostFunction *>();
}

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
  if (isWellKnown(path) || !advice.empty()) {
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
  const ast::Import &import = binding.import;
  bool isStar = import.member == "*";
  std::string member = isStar ? name : import.member;
  std::string path = isStar ? ast::Import{import.module, name}.path() : import.path();
  if (isOfTriton(path))
    return tritonValue(path, use);
  if (isOfThreads() && threads::isKnownModule(path))
    if (auto value = threads::valueOf(*this, path, use))
      return *value;
  if (isOfHost(path))
    if (auto known = hostValue(path); known && (frame->isHost || isForKernels(*known)))
      return *known;
  if (member.empty()) {
    if (const ast::Module *found = environment.findModule(module, path))
      return ModuleReference{path, found};
  } else if (const ast::Module *from = environment.findModule(module, import.module)) {
    return memberOf(*from, module, binding, member, use);
  }
  if (import.module == "builtins")
    if (auto builtin = builtinOf("", member))
      return *builtin;
  std::vector<DiagnosticNote> notes;
  if (&frame->module != &module)
    notes.push_back({binding.range, "imported here"});
  failForeign(path, import.member.empty() ? path : import.module, use, std::move(notes));
}

Value Emitter::memberOf(const ast::Module &from, const ast::Module &importer,
                        const ast::Binding &binding, const std::string &member, SourceRange use) {
  std::string path = ast::Import{binding.import.module, member}.path();
  auto part = [&]() -> std::optional<Value> {
    if (const ast::Module *found = environment.findModule(importer, path))
      return Value(ModuleReference{path, found});
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

std::optional<bool> Emitter::isImportable(const ast::Module &module, const ast::Binding &binding) {
  const ast::Import &import = binding.import;
  bool isAll = import.member.empty() || import.member == "*";
  std::string path = isAll ? import.module : import.path();
  if (isOfTriton(path)) {
    try {
      tritonValue(path, binding.range);
      return true;
    } catch (const SourceError &) {
      return false; // who asks gets what is there
    }
  }
  if (isOfHost(path) || (isOfThreads() && threads::isKnownModule(path)))
    return true;
  if (environment.findModule(module, path))
    return true;
  if (const ast::Module *from = environment.findModule(module, import.module))
    return from->file == module.file || !meanings.of(*from, import.member, UINT32_MAX).empty();
  bool isNear = path.starts_with('.') ||
                environment.findModule(module, path.substr(0, path.find('.'))) != nullptr;
  return isNear ? std::optional(false) : std::nullopt;
}

bool Emitter::mayProvide(const ast::Module &module, const ast::Binding &star,
                         const std::string &name) {
  const std::string &path = star.import.module;
  if (isOfTriton(path)) {
    try {
      tritonValue(path + "." + name, star.range);
      return true;
    } catch (const SourceError &) {
      return false;
    }
  }
  if (isOfHost(path))
    return hostValue(path + "." + name).has_value();
  const ast::Module *from = nullptr;
  try {
    from = environment.findModule(module, path);
  } catch (const SourceError &) {
    // A file that cannot be read concerns those who name it.
  }
  auto [entry, isNew] = importsUnderWay.insert({from, "*" + name});
  if (!from || !isNew)
    return false;
  llvm::scope_exit restore([&, entry] { importsUnderWay.erase(entry); });
  if (meanings.of(*from, name, UINT32_MAX).empty())
    return false;
  auto exported = namesExported(*from);
  return exported ? exported->contains(name) : !name.starts_with('_');
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

std::optional<Emitter::ForeignName> Emitter::foreignName(const ast::Name &name) {
  const ast::Module &module = frame->module;
  if (frame->scope.values.contains(name.name) || definition(name.name))
    return {};
  if (module.host && module.host->find(name.name))
    return {};
  sema::Meanings::Bindings found = meanings.of(module, name.name, frame->before);
  for (auto *outer = module.outer; found.empty() && outer; outer = outer->outer)
    found = meanings.of(*outer, name.name, UINT32_MAX);
  if (found.empty())
    return isWellKnown(name.name) ? std::optional(ForeignName{name.name, name.name, false})
                                  : std::nullopt;
  const ast::Binding &binding = *found.front();
  if (found.size() > 1 || binding.kind != ast::Binding::Kind::Import || binding.name == "*")
    return {};
  std::string path = binding.import.path();
  std::string from = binding.import.member.empty() ? path : binding.import.module;
  bool isKnown = isOfTriton(path) || (isOfThreads() && threads::isKnownModule(path));
  if (isKnown || environment.findModule(module, from))
    return {};
  return ForeignName{path, from, true};
}

/// `package.name`, where a module of that name is part of the package and some import loads it.
std::optional<Value> Emitter::submodule(const ModuleReference &package, const std::string &name) {
  auto find = [&](const ast::Module &importer, const std::string &path) -> std::optional<Value> {
    for (const ast::Binding &binding : importer.bindings) {
      bool isLoaded = binding.kind == ast::Binding::Kind::Import &&
                      llvm::StringRef(binding.import.module + ".").starts_with(path + ".");
      const ast::Module *found = isLoaded ? environment.findModule(importer, path) : nullptr;
      if (found)
        return Value(ModuleReference{path, found});
    }
    return std::nullopt;
  };
  for (const ast::Module *importer = &frame->module; importer; importer = importer->outer)
    if (auto found = find(*importer, package.path + "." + name))
      return found;
  return find(*package.module, "." + name);
}

std::optional<Value> Emitter::hostValue(const std::string &path) {
  if (auto number = sema::findHostNumber(path))
    return Value(ConstantValue(*number));
  if (const sema::HostFunction *function = sema::findHostFunction(path))
    return Value(function);
  if (path == "collections.namedtuple")
    return ClassReference{"namedtuple"};
  if (path == "packaging.version.parse" || path == packageVersion)
    return ClassReference{std::string(packageVersion)};
  if (path == "math" || path == "os" || path == "collections" || path == "os.environ" ||
      path == "typing" || path == "packaging" || path == "packaging.version")
    return Value(ModuleReference{path});
  if (path == "os.getenv" || path == "os.environ.get")
    return Value(EnvironmentLookup());
  if (path == "typing.TYPE_CHECKING")
    return boolValue(false);
  if (path == "triton.__version__")
    return stringValue(std::string(sema::tritonVersion().release));
  // How the library asks what a version of the language has.
  if (path == "triton.versions" && frame->isLibrary)
    return Value(ModuleReference{path});
  if (llvm::StringRef name = path; frame->isLibrary && name.consume_front("triton.versions."))
    if (auto holds = sema::findTritonDifference(name))
      return boolValue(*holds);
  return std::nullopt;
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
