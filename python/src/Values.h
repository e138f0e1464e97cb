// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Python's values as constants of a kernel, and back.
#pragma once

#include "nereid/host.h"

#include <nanobind/nanobind.h>

namespace nereid::python {

namespace nb = nanobind;

/// None, bool, int, float, str, tuples and lists of these, and the classes of this module that
/// stand for the rest. Anything else is host::Foreign, which is a mistake where a kernel uses it.
host::Value toValue(nb::handle object);
nb::object fromValue(const host::Value &value);
host::Names toNames(nb::dict names);

/// The classes LanguagePart, ElementType, Namespace, Call, ConstantArray, Foreign and Function.
void addValueClasses(nb::module_ &module);

} // namespace nereid::python
