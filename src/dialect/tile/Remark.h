// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Remarks of passes and emitters: one line at the gate that declines a better form. They go through
// MLIR's engine for remarks, which hangs on the context, so that no signature carries a sink and
// that nothing is formatted where nobody asked.
#pragma once

#include "support/Remarks.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/FormatVariadic.h"

namespace nereid::tile {

/// From now on, what is remarked of operations of this context is added to `list`, which outlives
/// it. `source` is the text that places are shown in.
void collectRemarks(mlir::MLIRContext &context, const SourceFile *source, RemarkList &list);

/// Whether somebody asked: for gates whose reason takes work to find.
inline bool wantsRemarks(mlir::MLIRContext *context) { return context->getRemarkEngine(); }
bool wantsRemarks(mlir::Operation *op);

/// What is said of operations of this module has been said already.
void silenceRemarks(mlir::ModuleOp module, bool isSilent);

void giveRemark(mlir::Operation *op, RemarkId id, const std::string &text);

/// Says of the operation, at its place in the kernel's text, what the row says; once, however often
/// it is said.
template <typename... Args> void remark(mlir::Operation *op, RemarkId id, Args &&...args) {
  if (wantsRemarks(op))
    giveRemark(op, id, llvm::formatv(formatOf(id), std::forward<Args>(args)...).str());
}

} // namespace nereid::tile
