// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nanobind/nanobind.h>

namespace nereid::python {

namespace nb = nanobind;

/// measure, quantiles, tuning_target, try_configurations.
void addTuning(nb::module_ &module);

} // namespace nereid::python
