// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thread does with all elements of arrays in one statement: NumPy's functions, parts that
// are assigned, and loops over arrays.
#pragma once

#include "frontend/emit/Emitter.h"

namespace nereid::emit::threads {

/// `array[...] = value`: an array that broadcasts as NumPy has it, or one value for all.
void assignWhole(Emitter &emitter, const ArrayView &array, const Value &value, SourceRange range);

/// `numpy.add(x, y, out)`: a function of numbers of which an argument is an array, and the last
/// one, or `out`, is what gets the results. Nothing if no argument is an array, or the function
/// takes arrays itself.
std::optional<Value> callOnArrays(Emitter &emitter, const Value &callee,
                                  const std::vector<Emitter::CallArgument> &arguments,
                                  SourceRange range);

/// What a loop goes over, by position.
struct Sequence {
  Tensor count; // an int64
  std::function<Value(const Tensor &position)> element;
};
/// Of an array by its first dimension, and of `enumerate` and `zip` of such; nothing for all else.
std::optional<Sequence> sequenceOf(Emitter &emitter, const ast::Expr &iterable);
std::optional<Sequence> sequenceOf(Emitter &emitter, const Value &iterable, SourceRange range);

} // namespace nereid::emit::threads
