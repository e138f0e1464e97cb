// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stages as functions: source text -> syntax tree -> tile IR -> optimised tile IR -> artifact.
// Authors' mistakes leave as SourceError.
#pragma once

#include "backend/CompileOptions.h"
#include "dialect/tile/Kernel.h"
#include "frontend/ast/Ast.h"
#include "frontend/sema/Specialization.h"
#include "runtime/Artifact.h"
#include "support/Dump.h"

#include <memory>
#include <string>

namespace nereid::driver {

/// A source text and its tree; shared by every kernel compiled from it.
struct SourceModule {
  explicit SourceModule(std::string path, std::string text)
      : file(std::move(path), std::move(text)) {}
  SourceFile file;
  ast::Module tree;
  Dump::Duration parseTime; // lexing included: the parser asks for token after token
};

/// Lexes and parses. Texts over the size limit, or that are not UTF-8, are refused.
std::shared_ptr<const SourceModule> parse(std::string path, std::string text);
std::shared_ptr<const SourceModule> parseFile(const std::string &path);
/// The bytes of a file, up to the size limit.
std::string readFile(const std::string &path);

/// One kernel, and what it is to be compiled for.
struct KernelRequest {
  std::shared_ptr<const SourceModule> source;
  const ast::Function *function;
  sema::Specialization specialization;
};

/// The whole way, for every caller. What `options` do not ask about (which arguments are multiples
/// of 16, where the code would be the same) is no part of the artifact.
runtime::Artifact compile(const KernelRequest &request, const backend::CompileOptions &options,
                          Dump &dump);

// Its steps:

/// Shows what needs no specialization: the tokens and the function's tree.
void showSource(const SourceModule &source, const ast::Function &function, Dump &dump);

/// Checks the function against the specialization and emits tile IR.
tile::Kernel emitTile(const SourceModule &source, const ast::Function &function,
                      const sema::Specialization &specialization, Dump &dump);

/// The target-independent passes, in place.
void optimizeTile(tile::Kernel &kernel, Dump &dump);

} // namespace nereid::driver
