// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/Compiler.h"

#include "frontend/emit/EmitTile.h"
#include "frontend/lex/Lexer.h"
#include "frontend/parse/Parser.h"
#include "passes/Pipeline.h"
#include "support/Check.h"

#include "mlir/IR/Verifier.h"

namespace nereid::driver {

TileKernel emitTile(const SourceModule &source, const ast::Function &function,
                    const sema::Specialization &specialization, const Dump &dump) {
  StageScope stage("emit tile", function.name, source.file.text());
  dump.show(Stage::Tokens, [&](llvm::raw_ostream &out) { print(tokenize(source.file), out); });
  dump.show(Stage::Ast, [&](llvm::raw_ostream &out) { ast::print(function, out); });
  TileKernel kernel;
  kernel.name = function.name;
  kernel.context = createContext();
  std::string types;
  llvm::raw_string_ostream typeListing(types);
  kernel.module = emit::emitTile(*kernel.context, source.tree, function, specialization,
                                 dump.wants(Stage::Types) ? &typeListing : nullptr);
  NEREID_CHECK(mlir::succeeded(mlir::verify(*kernel.module)), "the emitted tile IR is not valid");
  dump.show(Stage::Types, [&](llvm::raw_ostream &out) { out << types; });
  dump.show(Stage::Tile, [&](llvm::raw_ostream &out) { kernel.module->print(out); });
  return kernel;
}

void optimizeTile(TileKernel &kernel, const Dump &dump) {
  StageScope stage("optimize tile", kernel.name, "");
  passes::runTilePipeline(*kernel.module, dump.wants(Stage::Passes) ? dump.out : nullptr);
}

} // namespace nereid::driver
