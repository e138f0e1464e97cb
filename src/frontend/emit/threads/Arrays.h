// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of kernels of threads: elements that are read and written, parts, and what is known of
// them.
#pragma once

#include "frontend/emit/Emitter.h"

namespace nereid::emit::threads {

/// Whether an integer cannot be negative, as far as it can be seen without knowing the run.
bool isNotNegative(const Emitter &emitter, mlir::Value value);

/// An array whose elements lie next to one another, the last index fastest.
ArrayView contiguous(Emitter &emitter, Tensor base, llvm::ArrayRef<int64_t> extents,
                     SourceRange range);

/// An array whose numbers are part of the kernel. Nobody writes to it.
ArrayView constantArray(Emitter &emitter, const sema::HostArray &array, SourceRange range);

/// Memory of a block is called what it is first assigned to, in reports.
void nameMemory(Emitter &emitter, const ArrayView &array, llvm::StringRef name);

/// Where the element lies that `index` names: an integer, or a tuple with one for each dimension. A
/// negative index counts from the end.
Tensor elementAddress(Emitter &emitter, const ArrayView &array, const Value &index,
                      SourceRange range);

/// What `...` is while a kernel is traced: as many whole dimensions as other indices leave.
inline constexpr std::string_view ellipsis = "...";

/// `array[index]`: an element, or the part that fewer indices or slices leave.
Value readElement(Emitter &emitter, const ArrayView &array, const Value &index, SourceRange range);
/// `array[index] = value`, and with a slice all of that part.
void writeElement(Emitter &emitter, const ArrayView &array, const Value &index, const Value &value,
                  SourceRange range);

/// "shape", "ndim" ...; nothing if arrays have no such attribute.
std::optional<Value> arrayAttribute(Emitter &emitter, const ArrayView &array,
                                    const std::string &name, SourceRange range);
std::vector<std::string> arrayAttributes();

} // namespace nereid::emit::threads
