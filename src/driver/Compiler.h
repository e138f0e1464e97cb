// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stages as functions: source text -> syntax tree -> tile IR -> optimised tile IR -> artifact.
// Authors' mistakes leave as SourceError.
#pragma once

#include "backend/CompileOptions.h"
#include "dialect/tile/Kernel.h"
#include "driver/ModuleSet.h"
#include "frontend/ast/Ast.h"
#include "frontend/sema/Specialization.h"
#include "runtime/Artifact.h"
#include "support/Dump.h"
#include "support/Remarks.h"

#include <memory>
#include <string>

namespace nereid::driver {

/// The module that a program starts from, and what it imports; shared by every kernel compiled from
/// it.
struct SourceModule : SourceText {
  SourceModule(std::string path, std::string text, const ModuleOptions &options)
      : SourceText(std::move(path), std::move(text), options), modules(*this, options) {}
  ModuleSet modules;
};

/// Lexes and parses. Texts over the size limit, or that are not UTF-8, are refused. `path` may be
/// empty, if the text lies nowhere.
std::shared_ptr<const SourceModule> parse(std::string path, std::string text,
                                          const ModuleOptions &options = {});
std::shared_ptr<const SourceModule> parseFile(const std::string &path,
                                              const ModuleOptions &options = {});
/// The same for a text that is one function, whose names a running host explains
/// (ast::Module::host).
std::shared_ptr<SourceModule> parseFunction(std::string path, std::string text,
                                            const ModuleOptions &options);
/// The bytes of a file, up to the size limit.
std::string readFile(const std::string &path);

/// One kernel, and what it is to be compiled for.
struct KernelRequest {
  std::shared_ptr<const SourceModule> source;
  const ast::Function *function;
  sema::Specialization specialization;
  /// If given, gets the run-time parameters that would have to be constants, where the compilation
  /// fails for want of that.
  std::vector<std::string> *wantedConstants = nullptr;
  /// If given, gets what the back end remarks. Its places point into the text of `source`.
  RemarkList *remarks = nullptr;
};

/// The whole way, for every caller. What `options` do not ask about (which arguments are multiples
/// of 16, where the code would be the same) is no part of the artifact.
runtime::Artifact compile(const KernelRequest &request, const backend::CompileOptions &options,
                          Dump &dump);

/// The same, with another end than the back end's own: what gets the optimised kernel, and the
/// options with what the launch chose.
using CodeMaker = llvm::function_ref<runtime::Artifact(
    tile::Kernel kernel, const backend::CompileOptions &options, Dump &dump)>;
runtime::Artifact compileWith(const KernelRequest &request, const backend::CompileOptions &options,
                              Dump &dump, CodeMaker makeCode);

// Its steps:

/// Shows what needs no specialization: the tokens and the function's tree.
void showSource(const SourceModule &source, const ast::Function &function, Dump &dump);

/// Checks the function against the specialization and emits tile IR; with tile.variable for
/// debuggers, if they are there.
tile::Kernel emitTile(const SourceModule &source, const ast::Function &function,
                      const sema::Specialization &specialization, Dump &dump,
                      std::vector<std::string> *wantedConstants = nullptr,
                      bool keepsVariables = false);

/// The target-independent passes, in place.
void optimizeTile(tile::Kernel &kernel, Dump &dump);

} // namespace nereid::driver
