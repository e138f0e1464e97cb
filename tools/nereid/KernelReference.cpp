// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelReference.h"

namespace nereid::command {

KernelReference parseKernelReference(const std::string &text) {
  size_t colons = text.rfind("::");
  if (colons == std::string::npos)
    return {text, {}};
  if (colons + 2 == text.size())
    throw Error(Error::Kind::Usage, "'" + text + "' names no kernel; give FILE or FILE::KERNEL");
  return {text.substr(0, colons), text.substr(colons + 2)};
}

Kernel loadKernel(const KernelReference &reference, const ModuleOptions &options) {
  Module module = Module::load(reference.file, options);
  return reference.kernel.empty() ? module.kernel() : module.kernel(reference.kernel);
}

} // namespace nereid::command
