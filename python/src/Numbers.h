// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Python's numbers as the bits of a kernel's arguments.
#pragma once

#include "nereid/DType.h"

#include <nanobind/nanobind.h>

#include <cstdint>

namespace nereid::python {

namespace nb = nanobind;

struct IntegerArgument {
  DType type; ///< the first of int32, int64 and uint64 that holds it
  uint64_t bits;
};

/// An OverflowError for more than 64 bits.
IntegerArgument readInteger(PyObject *integer);

/// An integer as one of `type`, zero-extended. What does not fit is an OverflowError, what is no
/// integer a TypeError.
uint64_t integerBits(DType type, PyObject *integer);

/// Rounded once, to nearest even.
uint64_t floatBits(DType type, double value);

} // namespace nereid::python
