// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stages as functions: source text -> syntax tree -> tile IR -> optimised tile IR.
// Authors' mistakes leave as SourceError.
#pragma once

#include "driver/Dump.h"
#include "driver/TileKernel.h"
#include "frontend/ast/Ast.h"
#include "frontend/sema/Specialization.h"

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

/// Shows what needs no specialization: the tokens and the function's tree.
void showSource(const SourceModule &source, const ast::Function &function, Dump &dump);

/// Checks the function against the specialization and emits tile IR.
TileKernel emitTile(const SourceModule &source, const ast::Function &function,
                    const sema::Specialization &specialization, Dump &dump);

/// The target-independent passes, in place.
void optimizeTile(TileKernel &kernel, Dump &dump);

} // namespace nereid::driver
