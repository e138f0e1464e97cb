// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy's texts of a fixed length, `U12` and `S12`, as elements of arrays and fields in kernels of
// threads: an array of no dimensions, where the text lies, of 12 numbers that stand for characters.
#pragma once

#include "frontend/emit/Emitter.h"

namespace nereid::emit::threads {

/// Of a NumPy type's name: how many characters there is room for; nothing for all else.
std::optional<int64_t> lengthOfTexts(std::string_view kind);
/// The type of the numbers that stand for characters.
DType characterOf(std::string_view kind);

/// Writes a text of the kernel's, or one that lies elsewhere. What it has no room for is left out,
/// and behind the text are zeros.
void writeText(Emitter &emitter, const ArrayView &text, const Value &value, SourceRange range);

/// == and !=; nothing where no operand is a text of an array.
std::optional<Value> textCompare(Emitter &emitter, ast::CompareOp op, const Value &lhs,
                                 const Value &rhs, SourceRange range);

} // namespace nereid::emit::threads
