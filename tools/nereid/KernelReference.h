// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/nereid.h"

#include <string>

namespace nereid::command {

/// FILE or FILE::KERNEL; the kernel's name is empty if it is not given.
struct KernelReference {
  std::string file, kernel;
};

KernelReference parseKernelReference(const std::string &text);
/// The kernel that is named, or the only one of the file.
Kernel loadKernel(const KernelReference &reference, const ModuleOptions &options);

} // namespace nereid::command
