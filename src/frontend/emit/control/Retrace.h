// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mistakes of a kernel beside the first, which ended its trace.
#pragma once

#include "frontend/emit/Emitter.h"

namespace nereid::emit {

/// Adds to `first.further` the mistakes that follow neither from `first`, at which the trace of
/// `ended` ended, nor from one another. `trace` traces the kernel with another emitter.
///
/// A trace is not resumed, since an exception leaves things half made. The kernel is traced anew,
/// and the statements that hold mistakes are gone round: what they would have assigned has no value
/// then, and a statement that reads it is gone round silently.
void findFurther(Diagnostic &first, const Emitter &ended, mlir::MLIRContext &context,
                 const sema::Environment &environment, llvm::function_ref<void(Emitter &)> trace);

} // namespace nereid::emit
