// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/PrintText.h"
#include "support/Source.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace nereid::tile {

/// A discardable attribute of a `tile.print`, in the checked mode alone: what it would print goes
/// to this one of Kernel::receivers instead.
inline constexpr llvm::StringLiteral receiverAttr = "tile.receiver";
using Receiver = std::function<void(std::span<const PrintedOperand> values)>;

/// A kernel in the tile dialect, with the context that owns it.
struct Kernel {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string name;
  /// The text that it was emitted from, for diagnostics; none for one written in tile IR.
  const SourceFile *source = nullptr;
  /// Functions of a running host that programs call.
  std::vector<Receiver> receivers;

  /// The one function of the module.
  mlir::func::FuncOp function() const;
  /// The module as text, valid or not.
  std::string text() const;
};

/// A context with every dialect that kernels use.
std::unique_ptr<mlir::MLIRContext> createContext();

} // namespace nereid::tile
