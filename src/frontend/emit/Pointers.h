// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How functions that reach memory read their arguments: pointers, what stands beside them, and the
// extents of arrays.
#pragma once

#include "frontend/emit/Arguments.h"

namespace nereid::emit {

Tensor pointerOf(Emitter &emitter, const Arguments &arguments, std::string_view name = "pointer");
/// tl.const promises that nothing is written through a pointer.
void refuseConst(const Arguments &arguments, const Tensor &pointer);
/// The mask as int1; nothing if there is none.
std::optional<Tensor> maskOf(Emitter &emitter, const Arguments &arguments);
/// A value or mask in the shape of the pointer. What stands beside a scalar pointer must be scalar;
/// one element in a tile counts.
Tensor besidePointer(Emitter &emitter, const Arguments &arguments, const Tensor &pointer,
                     const Tensor &value, std::string_view name);
/// A tuple of `rank` integer scalars as int64.
std::vector<Tensor> extents(Emitter &emitter, const Arguments &arguments, std::string_view name,
                            size_t rank);

} // namespace nereid::emit
