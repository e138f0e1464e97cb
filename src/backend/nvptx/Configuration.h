// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/nvptx/Policy.h"
#include "target/NvidiaTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace nereid::backend::nvptx {

/// What a kernel is compiled for, as its nv.configuration says.
struct Configuration {
  target::NvidiaTarget target;
  /// That compute a program; those that only fetch come on top.
  unsigned warps;
  /// Rounds of a loop in shared memory at once, as the author wants them.
  std::optional<unsigned> stages;
  std::optional<unsigned> maxRegisters;
  /// Whether launches can make tensor maps.
  bool usesBoxes;
  Policy policy;

  /// Why no warp of its own may fetch for the others; empty if one may.
  llvm::StringRef whyNoRoles(mlir::func::FuncOp kernel) const;
};

/// How many warps run a program whose author did not say: as many as keep the registers of the
/// largest tile few and its accesses wide.
unsigned chooseWarps(mlir::func::FuncOp kernel, const Policy &policy);

/// Whether the copy engine fetches into rings for it.
bool isFetchedFor(mlir::func::FuncOp kernel);

/// Unset, with an error at the kernel, if it has none or there is no such GPU.
std::optional<Configuration> configurationOf(mlir::func::FuncOp kernel);

} // namespace nereid::backend::nvptx
