// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements with fields: NumPy's structured arrays, and single records of them. Fields lie where
// NumPy has them, and each at a multiple of its size, which GPUs want.
#pragma once

#include "frontend/emit/Emitter.h"

namespace nereid::emit::threads {

/// What a host hands over as a "structured type" (python/nereid/threads/structures.py); null for
/// all else.
std::shared_ptr<const Structure> structureOf(const Value &type);
/// A "structured array", or a "structure", of which the parts are the bytes and the type; nothing
/// for objects of other classes.
std::optional<Value> hostStructures(Emitter &emitter, const sema::HostRecord &record,
                                    const Tuple &parts, SourceRange range);

/// Both, and complex numbers and arrays (Complex.h), whether arguments or constants.
std::optional<Value> hostedArray(Emitter &emitter, const sema::HostRecord &record,
                                 const Tuple &parts, SourceRange range);

/// An array of structures of one of their bytes, whose last dimension is a structure.
ArrayView asStructures(Emitter &emitter, ArrayView bytes,
                       const std::shared_ptr<const Structure> &structure, SourceRange range);

/// The field that `array["name"]` is, and `record[0]`; nothing for other indices.
std::optional<std::string> fieldNamed(const ArrayView &array, const Value &index);
/// `record.name` and `array.name`: the value, or where all of them lie.
Value readField(Emitter &emitter, const ArrayView &array, const std::string &name,
                SourceRange range);
void writeField(Emitter &emitter, const ArrayView &record, const std::string &name,
                const Value &value, SourceRange range);

/// Of one record to another of the same type, field by field: what lies between them stays.
void copyRecord(Emitter &emitter, const ArrayView &to, const Value &from, SourceRange range);

} // namespace nereid::emit::threads
