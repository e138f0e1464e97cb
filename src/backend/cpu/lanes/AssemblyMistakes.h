// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What LLVM's code generator has to say of an author's assembly, as a diagnostic at its place.
#pragma once

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/IR/LLVMContext.h"

namespace nereid {
class SourceFile;
}

namespace nereid::backend::cpu {

/// A number for the operation, by which LLVM names it: `!srcloc`.
uint64_t numberOf(tile::AssemblyOp op);

class AssemblyMistakes {
public:
  /// Listens to what the context is told until it goes.
  explicit AssemblyMistakes(llvm::LLVMContext &context);
  AssemblyMistakes(const AssemblyMistakes &) = delete;
  AssemblyMistakes &operator=(const AssemblyMistakes &) = delete;

  /// Throws SourceError for the first mistake, if there was one.
  void report(mlir::func::FuncOp kernel, const SourceFile *source) const;

private:
  static void listen(const llvm::DiagnosticInfo *info, void *self);

  std::string first;
  uint64_t number = 0;
};

} // namespace nereid::backend::cpu
