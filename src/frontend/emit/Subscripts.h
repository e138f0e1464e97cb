// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/emit/Value.h"
#include "support/Source.h"

namespace nereid::emit {

/// What a slice takes of a sequence: start, start + step ...
struct Span {
  int64_t start = 0, step = 1, count = 0;
};

/// By Python's rules: negative bounds count from the end, and bounds outside are cut. Throws
/// SourceError at `range` for bounds that are no constexpr integers.
Span cut(const SliceValue &slice, int64_t size, SourceRange range);
/// Whether it is a plain ':'.
bool isOpen(const SliceValue &slice);
/// What stands between the brackets, one by one.
std::vector<Value> indicesOf(const Value &index);

} // namespace nereid::emit
