// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions inside of functions of threads.
#pragma once

#include "frontend/emit/Emitter.h"

namespace nereid::emit::threads {

/// What `def` inside of a function gives its name: calls find the names of the function around it
/// as they are then.
void defineFunction(Emitter &emitter, const ast::Definition &stmt);

/// Such a function ends with the one that it stands in: a result that holds one is refused.
void refuseLeaving(const Value &result, const Frame &frame, SourceRange range);

/// What a name means in the functions around the one at hand; null if none of them has it.
const Value *valueAround(const Frame &frame, const std::string &name);

/// `raise`: ends the function where the kernel is run, and under `debug` the launch, too.
Flow raise(Emitter &emitter, const ast::Raise &stmt);

/// Under `debug`, a quotient by zero is an exception.
void checkDivisor(Emitter &emitter, const Tensor &divisor, SourceRange range);

/// `tuple[index]` for an index that the run decides, of numbers; under `debug`, one beyond the end
/// is an exception. Nothing if the elements are of no common type.
std::optional<Value> chooseElement(Emitter &emitter, const Tuple &tuple, const Tensor &index,
                                   SourceRange range);

} // namespace nereid::emit::threads
