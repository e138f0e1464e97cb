// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs small kernels, each against plain C++, on every device.
#pragma once

#include "nereid/nereid.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace nereid::test {

/// The devices that need nothing but this machine; or the one that the environment names, where
/// somebody has another (`make test-gpu`).
inline std::vector<std::string> devicesUnderTest() {
  const char *chosen = std::getenv("NEREID_TEST_DEVICE");
  return chosen ? std::vector<std::string>{chosen} : std::vector<std::string>{"cpu", "check"};
}

class MeaningTest : public testing::TestWithParam<std::string> {
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

  /// Whole numbers from -4 to 4, whose products have sums that are exact in every order.
  static std::vector<int> smallNumbers(std::mt19937 &random, size_t count) {
    std::vector<int> values(count);
    for (int &value : values)
      value = static_cast<int>(random() % 9) - 4;
    return values;
  }

  Device device = Device::open(GetParam());
};

/// "cuda_1": names of tests have letters, digits and underscores.
inline std::string nameOfDevice(const testing::TestParamInfo<std::string> &info) {
  std::string name = info.param;
  for (char &c : name)
    c = c == ':' ? '_' : c;
  return name;
}
#define NEREID_ON_ALL_DEVICES(suite)                                                               \
  INSTANTIATE_TEST_SUITE_P(Devices, suite, testing::ValuesIn(nereid::test::devicesUnderTest()),    \
                           nereid::test::nameOfDevice)

} // namespace nereid::test
