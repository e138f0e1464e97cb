// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block of an array, written out as pointers (docs/decisions/0008).
#pragma once

#include "frontend/emit/Emitter.h"

namespace nereid::emit {

/// One pointer for each element of the block, and which of them lie inside the array.
struct Window {
  Tensor pointers;
  std::optional<Tensor> inside;
};

/// `checked` are the dimensions along which the block may leave the array. With `rows`, a 1-D tile
/// of int64, the block holds these rows of the array and not consecutive ones.
Window windowOf(Emitter &emitter, const BlockPointer &block, llvm::ArrayRef<size_t> checked,
                SourceRange range, const Tensor *rows = nullptr);

} // namespace nereid::emit
