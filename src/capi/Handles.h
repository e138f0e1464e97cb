// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stands behind the handles of the C interface: one of the C++ interface's, and what its
// accessors point into.
#pragma once

#include "nereid-c/nereid.h"
#include "nereid/nereid.h"

#include <string>
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
