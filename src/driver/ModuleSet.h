// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The modules of one program: found where its files and its caller say, read when first needed.
#pragma once

#include "frontend/sema/Environment.h"
#include "support/Dump.h"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>

namespace nereid::driver {

/// What a program's text does not say.
struct ModuleOptions {
  /// Where imports are looked for, after the directory of the program itself.
  std::vector<std::string> paths = {};
  /// Values for names and expressions of its modules, as Python would write them. What they are
  /// named counts for more than what the modules say.
  std::vector<std::pair<std::string, sema::ConstantValue>> definitions = {};
  /// What messages call the text, and where they begin to count; its path, if that is empty.
  std::string name = {};
  unsigned firstLine = 1;
};

/// A text and its tree.
struct SourceText {
  SourceText(std::string path, std::string text) : file(std::move(path), std::move(text)) {}
  SourceText(std::string path, std::string text, const ModuleOptions &options)
      : file(path, std::move(text), options.name.empty() ? path : options.name, options.firstLine) {
  }
  SourceFile file;
  ast::Module tree;
  Dump::Duration parseTime; // lexing included: the parser asks for token after token
};

/// Reads the text of `source` into its tree.
void parse(SourceText &source);

/// Any thread may ask at any time; nothing that was found changes any more.
class ModuleSet final : public sema::Environment {
public:
  /// `main` is the module that the program starts from; it must stay.
  ModuleSet(const SourceText &main, const ModuleOptions &options);

  const ast::Module *findModule(const ast::Module &importer, std::string_view path) const override;
  std::vector<std::string> searchPath(const ast::Module &importer) const override;
  std::optional<Definition> definition(std::string_view text) const override;
  /// That of the process, as a Python that ran the modules would see it.
  std::optional<std::string> environmentVariable(const std::string &name) const override;
  /// All of it, as NAME=VALUE.
  static std::set<std::string> wholeEnvironment();
  std::vector<std::string> definedNames() const override;

  using Definitions = std::map<std::string, sema::ConstantValue, std::less<>>;
  const Definitions &definitions() const { return given; }
  /// The file that messages call `name`; null if none was read.
  const SourceFile *file(std::string_view name) const;

private:
  using Path = std::filesystem::path;
  const ast::Module *find(const ast::Module &importer, std::string_view path) const;
  const ast::Module *load(const Path &file) const;
  const ast::Module *loadPackage(const Path &directory) const;
  const ast::Module *findIn(const Path &directory, std::string_view dotted) const;
  std::vector<Path> directories(const ast::Module &importer) const;
  bool isPackage(const ast::Module &importer, const Path &directory) const;

  const SourceText &main;
  std::vector<std::string> paths;
  Definitions given;
  mutable std::mutex mutex;
  mutable std::map<Path, const ast::Module *> trees; // by their real paths
  mutable std::vector<std::unique_ptr<SourceText>> texts;
  /// What was asked, from which directory, and found; null for nothing.
  mutable std::map<std::pair<Path, std::string>, const ast::Module *> answers;
};

} // namespace nereid::driver
