// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/Compiler.h"

#include "frontend/emit/EmitTile.h"
#include "frontend/lex/Lexer.h"
#include "frontend/parse/Parser.h"
#include "passes/Pipeline.h"
#include "support/Check.h"

#include "mlir/IR/Verifier.h"

namespace nereid::driver {

void showSource(const SourceModule &source, const ast::Function &function, Dump &dump) {
  if (dump.wants(Stage::Tokens)) {
    dump.lap();
    std::vector<Token> tokens = tokenize(source.file);
    dump.show(Stage::Tokens, [&](llvm::raw_ostream &out) { print(tokens, out); });
  }
  dump.show(Stage::Ast, source.parseTime,
            [&](llvm::raw_ostream &out) { ast::print(function, out); });
}

TileKernel emitTile(const SourceModule &source, const ast::Function &function,
                    const sema::Specialization &specialization, Dump &dump) {
  StageScope stage("emit tile", function.name, [&] { return std::string(source.file.text()); });
  dump.lap();
  TileKernel kernel;
  kernel.name = function.name;
  kernel.context = createContext();
  std::string types;
  llvm::raw_string_ostream typeListing(types);
  kernel.module = emit::emitTile(*kernel.context, source.tree, function, specialization,
                                 dump.wants(Stage::Types) ? &typeListing : nullptr);
  NEREID_CHECK(mlir::succeeded(mlir::verify(*kernel.module)), "the emitted tile IR is not valid");
  // Types are found while the kernel is emitted: one piece of work, one time.
  Dump::Duration time = dump.lap();
  dump.show(Stage::Types, time, [&](llvm::raw_ostream &out) { out << types; });
  dump.show(Stage::Tile, time, [&](llvm::raw_ostream &out) { kernel.module->print(out); });
  return kernel;
}

void optimizeTile(TileKernel &kernel, Dump &dump) {
  StageScope stage("optimize tile", kernel.name, [&] { return kernel.text(); });
  auto show = [&](llvm::StringRef pass, Dump::Duration time, mlir::Operation *module) {
    dump.show(Stage::Passes, time, [&](llvm::raw_ostream &out) { out << *module << '\n'; }, pass);
  };
  if (dump.wants(Stage::Passes))
    passes::runTilePipeline(*kernel.module, show);
  else
    passes::runTilePipeline(*kernel.module);
  dump.lap();
}

} // namespace nereid::driver
