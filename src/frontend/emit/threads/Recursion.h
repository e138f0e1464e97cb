// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of kernels of threads that call themselves as often as the run wants. Calls are traced
// in place, so such a function becomes one loop, with a stack in the thread's own memory.
#pragma once

#include "frontend/emit/Emitter.h"

namespace nereid::emit::threads {

/// How many calls of such a function wait for one another at most: a thread's own memory has room
/// for them.
inline constexpr int64_t deepestRecursion = 128;

/// What traces of the kernel have found out of a version so far. Types grow from trace to trace.
struct Recursion {
  std::vector<std::optional<DType>> parameters; // of numbers: as wide as all calls want them
  DType result = DType::Int1;
  bool givesNothing = false;
};

/// Ends a trace that found something new; the kernel is traced anew.
struct FoundRecursion {};

/// The body of a call whose parameters have been defined, or, where the function is under way, the
/// call of itself.
Value traceCall(Emitter &emitter, const ast::Function &function, Frame &inner);

/// Makes a loop of the body of a function, `region`, in which a call of func is one of itself and
/// a return of func ends it. The results of a call with these arguments.
std::vector<mlir::Value> loopOverCalls(Emitter &emitter, mlir::Region &region,
                                       mlir::ValueRange arguments, SourceRange range);

} // namespace nereid::emit::threads
