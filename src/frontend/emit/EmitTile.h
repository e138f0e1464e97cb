// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From syntax tree and specialization to tile IR: names are resolved, types checked, constants
// folded, functions inlined and static loops unrolled while the kernel is traced once.
#pragma once

#include "dialect/tile/Kernel.h"
#include "frontend/ast/Ast.h"
#include "frontend/sema/Environment.h"
#include "frontend/sema/Specialization.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace nereid::emit {

/// What the caller wants beside the code; null for what it does not.
struct EmitOptions {
  /// Gets a line "line:column name: type" for each assignment.
  llvm::raw_ostream *types = nullptr;
  /// Gets the run-time parameters that the function would need to be constants, where that is the
  /// mistake.
  std::vector<std::string> *wantedConstants = nullptr;
  /// Gets the functions of the host that its programs call.
  std::vector<tile::Receiver> *receivers = nullptr;
  /// Debuggers are told what each name holds (tile.variable).
  bool keepsVariables = false;
};

/// Emits `function` as a module of one func.func marked tile.kernel. The context has the dialects
/// tile, arith, math, scf and func loaded. `environment` finds what the module imports. Mistakes of
/// the author leave as SourceError.
mlir::OwningOpRef<mlir::ModuleOp>
emitTile(mlir::MLIRContext &context, const ast::Module &module, const ast::Function &function,
         const sema::Specialization &specialization,
         const sema::Environment &environment = sema::Environment::none(),
         const EmitOptions &options = {});

} // namespace nereid::emit
