// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/gpu/Configuration.h"
#include "backend/nvptx/Policy.h"
#include "target/NvidiaTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace nereid::backend::nvptx {

using namespace gpu; // whose names are this back end's, too

/// What a kernel is compiled for, as its nv.configuration says.
struct Configuration : gpu::Configuration {
  Configuration(const target::NvidiaTarget &target, unsigned warps, const Policy &policy = {});

  target::NvidiaTarget target;
  /// Whether launches can make tensor maps.
  bool usesBoxes = false;
  Policy policy; // beside that of all GPUs, which is the same in what both have

  /// Why no warp of its own may fetch for the others; empty if one may.
  llvm::StringRef whyNoRoles(mlir::func::FuncOp kernel) const;
};

/// Whether the copy engine fetches into rings for it.
bool isFetchedFor(mlir::func::FuncOp kernel);

/// Unset, with an error at the kernel, if it has none or there is no such GPU.
std::optional<Configuration> configurationOf(mlir::func::FuncOp kernel);

} // namespace nereid::backend::nvptx
