// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/ModuleSet.h"

#include "driver/Compiler.h"
#include "frontend/parse/Parser.h"
#include "support/Diagnostics.h"
#include "support/EnvironmentVariables.h"

#include <algorithm>
#include <unistd.h>

namespace nereid::driver {
namespace {

using Path = std::filesystem::path;

bool isFile(const Path &path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

bool isDirectory(const Path &path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

Path realPath(const Path &path) {
  std::error_code error;
  Path real = std::filesystem::weakly_canonical(path, error);
  return error ? path : real;
}

/// Where a file lies; empty for a text that is in none.
Path directoryOf(const SourceFile &file) {
  if (file.path().empty())
    return {};
  Path directory = Path(file.path()).parent_path();
  return directory.empty() ? "." : directory;
}

Path parentOf(const Path &directory) {
  Path parent = directory.parent_path();
  bool isNamed = directory.filename() != "." && directory.filename() != ".." && !parent.empty();
  return isNamed ? parent : realPath(directory).parent_path();
}

/// The directory that holds the outermost package round a file.
Path rootOf(Path directory) {
  while (isFile(directory / "__init__.py"))
    directory = parentOf(directory);
  return directory;
}

/// The text of an expression as ast::print writes it, whatever spaces it was given with.
std::string canonicalText(const std::string &text) {
  auto file = std::make_shared<SourceFile>("definition", text);
  try {
    std::string canonical;
    llvm::raw_string_ostream out(canonical);
    ast::print(*parseExpression(*file), out);
    return canonical;
  } catch (SourceError &error) {
    error.owner = file;
    throw;
  }
}

} // namespace

ModuleSet::ModuleSet(const SourceText &main, const ModuleOptions &options)
    : main(main), paths(options.paths) {
  for (const auto &[text, value] : options.definitions)
    given.insert_or_assign(canonicalText(text), value);
}

std::vector<Path> ModuleSet::directories(const ast::Module &importer) const {
  std::vector<Path> all;
  auto add = [&](const Path &directory) {
    if (!directory.empty() && std::ranges::find(all, directory) == all.end())
      all.push_back(directory);
  };
  Path start = directoryOf(main.file);
  add(start.empty() ? start : rootOf(start));
  add(start);
  for (const std::string &path : paths)
    add(path);
  if (Path directory = directoryOf(*importer.file); !directory.empty())
    add(rootOf(directory));
  return all;
}

/// Whether a directory can be named by a relative import: it has an __init__.py, or lies in a
/// directory that is searched.
bool ModuleSet::isPackage(const ast::Module &importer, const Path &directory) const {
  if (isFile(directory / "__init__.py"))
    return true;
  Path real = realPath(directory);
  return std::ranges::any_of(directories(importer), [&](const Path &searched) {
    Path root = realPath(searched);
    auto [atRoot, inside] = std::ranges::mismatch(root, real);
    return atRoot == root.end() && inside != real.end();
  });
}

std::vector<std::string> ModuleSet::searchPath(const ast::Module &importer) const {
  std::vector<std::string> names;
  for (const Path &directory : directories(importer))
    names.push_back(directory.string());
  return names;
}

const ast::Module *ModuleSet::findModule(const ast::Module &importer, std::string_view path) const {
  std::lock_guard lock(mutex);
  auto [answer, isNew] =
      answers.try_emplace({directoryOf(*importer.file), std::string(path)}, nullptr);
  if (isNew) {
    try {
      answer->second = find(importer, path);
    } catch (const SourceError &) {
      answers.erase(answer);
      throw;
    }
  }
  return answer->second;
}

const ast::Module *ModuleSet::find(const ast::Module &importer, std::string_view path) const {
  if (path.empty())
    return nullptr;
  if (path.front() != '.') {
    for (const Path &directory : directories(importer))
      if (const ast::Module *found = findIn(directory, path))
        return found;
    return nullptr;
  }
  Path directory = directoryOf(*importer.file);
  if (directory.empty())
    return nullptr;
  for (path.remove_prefix(1); path.starts_with('.'); path.remove_prefix(1)) {
    directory = parentOf(directory);
    if (!isPackage(importer, directory))
      return nullptr;
  }
  return path.empty() ? loadPackage(directory) : findIn(directory, path);
}

const ast::Module *ModuleSet::findIn(const Path &directory, std::string_view dotted) const {
  Path place = directory;
  for (std::string_view rest = dotted; !rest.empty();) {
    size_t end = std::min(rest.find('.'), rest.size());
    place /= rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (isFile(place / "__init__.py"))
    return load(place / "__init__.py");
  Path file = place;
  file += ".py";
  return isFile(file) ? load(file) : loadPackage(place);
}

/// A directory is a package with or without an __init__.py, which may say what is in it.
const ast::Module *ModuleSet::loadPackage(const Path &directory) const {
  if (isFile(directory / "__init__.py"))
    return load(directory / "__init__.py");
  if (!isDirectory(directory))
    return nullptr;
  const ast::Module *&tree = trees[realPath(directory)];
  if (!tree) {
    texts.push_back(std::make_unique<SourceText>((directory / "").string(), ""));
    texts.back()->tree.file = &texts.back()->file;
    tree = &texts.back()->tree;
  }
  return tree;
}

const ast::Module *ModuleSet::load(const Path &file) const {
  if (trees.empty() && !main.file.path().empty())
    trees[realPath(main.file.path())] = &main.tree;
  const ast::Module *&tree = trees[realPath(file)];
  if (!tree) {
    texts.push_back(std::make_unique<SourceText>(file.string(), readFile(file.string())));
    parse(*texts.back());
    tree = &texts.back()->tree;
  }
  return tree;
}

const SourceFile *ModuleSet::file(std::string_view name) const {
  if (main.file.name() == name)
    return &main.file;
  std::lock_guard lock(mutex);
  for (const auto &text : texts)
    if (text->file.name() == name)
      return &text->file;
  return nullptr;
}

std::optional<sema::Environment::Definition> ModuleSet::definition(std::string_view text) const {
  auto found = given.find(text);
  return found == given.end() ? std::nullopt : std::optional<Definition>(found->second);
}

std::optional<std::string> ModuleSet::environmentVariable(const std::string &name) const {
  return readVariableNamed(name);
}

std::set<std::string> ModuleSet::wholeEnvironment() {
  std::set<std::string> entries;
  for (char **entry = environ; entry && *entry; ++entry)
    entries.insert(*entry);
  return entries;
}

std::vector<std::string> ModuleSet::definedNames() const {
  std::vector<std::string> names;
  for (const auto &[name, value] : given)
    names.push_back(name);
  return names;
}

} // namespace nereid::driver
