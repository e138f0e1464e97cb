// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stands behind the handles of the C interface: one of the C++ interface's, and what its
// accessors point into.
#pragma once

#include "nereid-c/nereid.h"
#include "nereid/cache.h"
#include "nereid/compile.h"
#include "nereid/nereid.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

struct nereid_device {
  nereid::Device device;
};

struct nereid_array {
  nereid::Array array;
};

struct nereid_module {
  nereid::Module module;
  std::vector<std::string> kernelNames;
};

struct nereid_kernel {
  nereid::Kernel kernel;
};

struct nereid_launch {
  nereid::Launch launch;
};

struct nereid_stream {
  nereid::Stream stream;
};

struct nereid_event {
  nereid::Event event;
};

struct nereid_artifact {
  explicit nereid_artifact(nereid::Artifact artifact)
      : artifact(std::move(artifact)), bytes(this->artifact.bytes()) {}

  nereid::Artifact artifact;
  std::vector<uint8_t> bytes;
};

struct nereid_cache {
  nereid::DiskCache cache;
  std::string problem;
};
