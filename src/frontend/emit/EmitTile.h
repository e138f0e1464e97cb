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

/// Emits `function` as a module of one func.func marked tile.kernel. The context has the dialects
/// tile, arith, math, scf and func loaded. Mistakes of the author leave as SourceError. `types`, if
/// given, gets a line "line:column name: type" for each assignment; `environment` finds what the
/// module imports. `wantedConstants`, if given, gets the run-time parameters that the function
/// would need to be constants, where that is the mistake; `receivers` the functions of the host
/// that its programs call.
mlir::OwningOpRef<mlir::ModuleOp>
emitTile(mlir::MLIRContext &context, const ast::Module &module, const ast::Function &function,
         const sema::Specialization &specialization, llvm::raw_ostream *types = nullptr,
         const sema::Environment &environment = sema::Environment::none(),
         std::vector<std::string> *wantedConstants = nullptr,
         std::vector<tile::Receiver> *receivers = nullptr);

} // namespace nereid::emit
