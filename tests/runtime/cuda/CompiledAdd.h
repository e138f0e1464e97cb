// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../TemporaryDirectory.h"
#include "FakeDevice.h"
#include "nereid/nereid.h"

namespace nereid::test {

/// The kernel of FakeDevice::setAdd, compiled, with blocks of 128.
inline runtime::Artifact addArtifact(runtime::CudaCode code) {
  runtime::Artifact artifact;
  artifact.kernel = "add";
  artifact.source = "add.py";
  auto pointer = runtime::ScalarSlot{DType::Float32, true, true};
  artifact.parameters = {{"x", pointer},
                         {"y", pointer},
                         {"out", pointer},
                         {"n", runtime::ScalarSlot{DType::Int32, false, false}},
                         {"factor", runtime::ScalarSlot{DType::Int16, false, false}},
                         {"BLOCK", int64_t(128)}};
  artifact.code = std::move(code);
  return artifact;
}

inline Array ones(const Device &device) { return device.array(std::vector<float>{1, 1, 1}); }

/// Arguments for sum += factor * step, of three elements.
inline Arguments accumulate(const Array &sum, const Array &step, int factor = 1) {
  return {{"x", sum}, {"y", step}, {"out", sum}, {"n", 3}, {"factor", factor}};
}

/// Loads artifacts as a program does, from a file.
class ArtifactFile {
public:
  Kernel load(const runtime::Artifact &artifact) {
    std::vector<uint8_t> bytes = runtime::serialize(artifact);
    directory.write("kernel", {bytes.begin(), bytes.end()});
    return Module::load(directory.path("kernel")).kernel(artifact.kernel);
  }

private:
  TemporaryDirectory directory;
};

} // namespace nereid::test
