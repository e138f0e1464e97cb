// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace nereid::backend {

/// Cleans up what an emitter left: stack slots become registers, repeated and loop-invariant
/// computations go. Vectorising and unrolling are the emitter's work and not tried again.
void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine);

/// LLVM's own recipe, for what was written as scalar code: it unrolls loops, joins what is computed
/// twice and hoists. Takes a few milliseconds more.
void optimizeScalarCode(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace nereid::backend
