// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/emit/Emitter.h"

namespace nereid::emit {

/// What a slice takes of a sequence: start, start + step ...
struct Span {
  int64_t start = 0, step = 1, count = 0;
};

/// By Python's rules: negative bounds count from the end, and bounds outside are cut. Throws
/// SourceError at `range` for bounds that are no constexpr integers.
Span cut(const Emitter &emitter, const SliceValue &slice, int64_t size, SourceRange range);
/// How much more one scalar is than another, where the same is computed for both but for constants
/// that are added; nothing where that cannot be seen.
std::optional<int64_t> distance(const Tensor &lower, const Tensor &upper);
/// Whether it is a plain ':'.
bool isOpen(const SliceValue &slice);
/// What stands between the brackets, one by one.
std::vector<Value> indicesOf(const Value &index);

} // namespace nereid::emit
