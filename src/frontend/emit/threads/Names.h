// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What numba, numpy and math are to kernels of threads.
#pragma once

#include "frontend/emit/Emitter.h"

namespace nereid::emit::threads {

/// Whether the path is of a module that kernels of threads know: "numba.cuda", "numpy".
bool isKnownModule(llvm::StringRef path);
/// What the path stands for; nothing if it stands for nothing known. Indices of the thread are
/// computed at `range`.
std::optional<Value> valueOf(Emitter &emitter, llvm::StringRef path, SourceRange range);
/// What `cuda.cg.this_grid()` gives, while a kernel is traced.
inline constexpr std::string_view gridGroup = "GridGroup";
/// Methods of groups; nothing for other objects.
std::optional<Value> groupAttribute(Emitter &emitter, const Value &object, const std::string &name);
/// What a name stands for that needs no import: int, abs.
std::optional<Value> pythonValue(Emitter &emitter, const std::string &name);

/// The kernel's index along an axis of its block, of the block in the grid, or how many there are;
/// an int32.
Tensor threadIndex(Emitter &emitter, int axis, SourceRange range);
Tensor blockIndex(Emitter &emitter, int axis, SourceRange range);
Tensor gridExtent(Emitter &emitter, int axis, SourceRange range);
/// The thread's lane in its warp of 32, an int32.
Tensor laneIndex(Emitter &emitter, SourceRange range);

} // namespace nereid::emit::threads
