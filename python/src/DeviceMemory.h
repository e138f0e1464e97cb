// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nanobind/nanobind.h>

namespace nereid::python {

/// DeviceMemory and HeldArray.
void addDeviceMemory(nanobind::module_ &module);

} // namespace nereid::python
