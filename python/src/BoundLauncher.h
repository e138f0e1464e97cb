// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nanobind/nanobind.h>

namespace nereid::python {

namespace nb = nanobind;

/// `kernel[grid]`: a launcher that waits for its arguments, of a Dispatcher. `stream` and `block`
/// may be invalid or None.
nb::object bindLauncher(nb::handle dispatcher, nb::handle grid, nb::handle stream,
                        nb::handle block);
/// Behind the class of dispatchers.
void addLauncherClass(nb::module_ &module);

} // namespace nereid::python
