// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/gpu/Policy.h"
#include "backend/gpu/Target.h"
#include "target/GpuMachine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <bit>
#include <memory>
#include <optional>

namespace nereid::backend::gpu {

/// What a kernel is compiled for, as far as it matters to what all GPUs share. A back end's own
/// configuration begins with it.
struct Configuration {
  target::GpuMachine machine;
  std::shared_ptr<const Target> instructions;
  /// That compute a program; those that only fetch come on top.
  unsigned warps;
  /// Rounds of a loop in shared memory at once, as the author wants them.
  std::optional<unsigned> stages;
  std::optional<unsigned> maxRegisters;
  Policy policy;

  /// The threads of a program.
  unsigned threads() const { return warps * machine.lanesPerWarp; }
  /// A warp's lanes are 2 to the power of this.
  unsigned laneBits() const {
    return static_cast<unsigned>(std::countr_zero(machine.lanesPerWarp));
  }
};

/// How many warps run a program whose author did not say: as many as keep the registers of the
/// largest tile few and its accesses wide.
unsigned chooseWarps(mlir::func::FuncOp kernel, const Policy &policy, unsigned lanesPerWarp);

} // namespace nereid::backend::gpu
