// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the NVIDIA back end, one file each. Passes.td says what each does, pipeline.def in
// which order they run.
#pragma once

#include "backend/CompileOptions.h"
#include "backend/nvptx/Configuration.h"
#include "dialect/nv/Nv.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace nereid::backend::nvptx {

#define GEN_PASS_DECL
#include "backend/nvptx/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "backend/nvptx/Passes.h.inc"

/// Hands the kernel to the pass's `run` with what it is compiled for. Base is what Passes.td made.
template <typename Base, typename Derived> struct ConfiguredPass : Base {
  void runOnOperation() final {
    if (std::optional<Configuration> configuration = configurationOf(this->getOperation()))
      static_cast<Derived *>(this)->run(this->getOperation(), *configuration);
    else
      this->signalPassFailure();
  }
};

/// What nvptx-insert-clocks does; kernels of threads, which have no passes, get clocks so.
void insertClocks(mlir::func::FuncOp kernel, const target::NvidiaTarget &target, Clocks clocks);

} // namespace nereid::backend::nvptx
