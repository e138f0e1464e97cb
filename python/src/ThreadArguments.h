// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels of threads take: numbers of any type, and arrays with their extents. A mistake is
// told of the argument by name.
#pragma once

#include "LaunchKey.h"

namespace nereid::python {

/// A number for a kernel of threads: of the signature's type, of its own (numpy.float32), or as
/// Python's are. Nothing for what is no number.
std::optional<specialize::SpecializedNumber> numberOfThreads(const ParameterSpec &parameter,
                                                             nb::handle argument);

/// An array; what its own library or its elements have against it is told of the argument.
ArrayView requireArray(LaunchKey &key, const ParameterSpec &parameter, nb::handle argument);
/// What a kernel takes as a tuple, which the key keeps: a complex number or array as its parts, an
/// array of structures as bytes and their type, an array without dimensions as one with one. Null
/// for all else.
nb::handle tupleInstead(LaunchKey &key, nb::handle argument, bool hasNoDimensions = false);
/// How a kernel takes an array.
ArgumentType arrayType(const ParameterSpec &parameter, const ArrayView &view);

} // namespace nereid::python
