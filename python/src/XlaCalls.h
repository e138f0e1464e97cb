// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels inside programs that XLA compiles (nereid.jax): the handlers of its foreign function
// interface.
#pragma once

#include <nanobind/nanobind.h>

namespace nereid::python {

namespace nb = nanobind;

void addXlaCalls(nb::module_ &module);

} // namespace nereid::python
