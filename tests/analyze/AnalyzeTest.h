// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of the kernels beside this, analyzed.
#pragma once

#include "nereid/analyze.h"
#include "nereid/nereid.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nereid::test {

class AnalyzeTest : public testing::Test {
protected:
  Array array(DType type, std::vector<int64_t> shape) { return device.empty(type, shape); }
  Array floats(std::vector<int64_t> shape) { return array(DType::Float32, std::move(shape)); }

  Analysis analyze(const std::string &kernel, Grid grid, const Arguments &arguments,
                   AnalyzeOptions options = {}) {
    return nereid::analyze(module.kernel(kernel), grid, arguments, options);
  }
  /// The one access of this kind.
  static const Analysis::Access &access(const Analysis &analysis, const std::string &kind,
                                        size_t number = 0) {
    for (const Analysis::Access &each : analysis.accesses)
      if (each.kind == kind && number-- == 0)
        return each;
    throw std::runtime_error("no such access");
  }
  static const Analysis::ArrayUse &use(const Analysis &analysis, const std::string &name) {
    return *std::ranges::find(analysis.arrays, name, &Analysis::ArrayUse::name);
  }

  Device device = Device::open("cpu");
  Module module = Module::load(KERNELS);
};

} // namespace nereid::test
