// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs small kernels, each against plain C++, on both devices.
#pragma once

#include "nereid/nereid.h"

#include <gtest/gtest.h>

#include <string>

namespace nereid::test {

class MeaningTest : public testing::TestWithParam<const char *> {
protected:
  /// Runs the last kernel of `body`, which follows the usual imports and the mark of a kernel.
  void run(const std::string &body, const Arguments &arguments, Grid grid = {}) {
    Module module =
        Module::fromText("import triton\nimport triton.language as tl\n@triton.jit\n" + body);
    module.kernel(module.kernelNames().back()).launch(device, grid, arguments);
  }

  /// The check device is to say nothing of what the test does on purpose.
  void ignore(std::vector<std::string> findings) {
    device = Device::open(GetParam(), {.check = {.ignored = std::move(findings)}});
  }

  Device device = Device::open(GetParam());
};

inline std::string nameOfDevice(const testing::TestParamInfo<const char *> &info) {
  return info.param;
}
#define NEREID_ON_BOTH_DEVICES(suite)                                                              \
  INSTANTIATE_TEST_SUITE_P(Devices, suite, testing::Values("cpu", "check"),                        \
                           nereid::test::nameOfDevice)

} // namespace nereid::test
