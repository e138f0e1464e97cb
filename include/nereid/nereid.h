// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nereid's C++ interface: open a device, make arrays, load kernels written in Triton's syntax,
// launch them over a grid, read the results.
//
//   nereid::Device device = nereid::Device::open("cpu");
//   nereid::Kernel add = nereid::Module::load("add.py").kernel("add_kernel");
//   nereid::Array x = device.array<float>(values);
//   nereid::Array out = device.empty(nereid::DType::Float32, {n});
//   add.launch(device, {nereid::cdiv(n, 1024)},
//              {{"x", x}, {"out", out}, {"n", n}, {"BLOCK", 1024}});
//   std::vector<float> result = out.toVector<float>();
//
// Every failure is a nereid::Error, but for std::bad_alloc where the process has no memory left,
// and whatever a grid function throws. All classes are cheap handles to shared state; any of them
// may be used from several threads at once, except that two threads must not write one array
// together.
#pragma once

#include "nereid/Export.h"
#include "nereid/argument.h"
#include "nereid/array.h"
#include "nereid/check.h"
#include "nereid/device.h"
#include "nereid/error.h"
#include "nereid/grid.h"
#include "nereid/kernel.h"
#include "nereid/module.h"
#include "nereid/stream.h"

#include <string_view>

namespace nereid {

/// "0.1.0"
NEREID_API std::string_view version();

} // namespace nereid
