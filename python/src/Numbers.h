// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Python's numbers as the ladder of rules takes them.
#pragma once

#include "nereid/specialize.h"

#include <nanobind/nanobind.h>

#include <cstdint>

namespace nereid::python {

namespace nb = nanobind;

/// A bool, an int or a float. More than 64 bits are an OverflowError, but where the rules make a
/// float of them, or take the low bits of a number for a kernel of threads.
specialize::Number readNumber(PyObject *object, const specialize::ParameterRules &rules = {});

/// The TypeError or OverflowError for a number that the parameter does not take.
[[noreturn]] void failNumber(const specialize::SpecializedNumber &mistake, PyObject *number);

/// An int as a number of int32 or int64, zero-extended; an OverflowError for more than 64 bits.
specialize::SpecializedNumber readInteger(PyObject *integer);

} // namespace nereid::python
