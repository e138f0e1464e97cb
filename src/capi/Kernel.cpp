// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capi/Error.h"
#include "capi/Handles.h"

using namespace nereid;

nereid_status nereid_module_kernel(const nereid_module *module, const char *name,
                                   nereid_kernel **kernel, nereid_error **error) {
  return capi::guardMaking(kernel, error, [&] {
    return capi::require(module, "module")->module.kernel(capi::require(name, "name of a kernel"));
  });
}

const char *nereid_kernel_name(const nereid_kernel *kernel) {
  return kernel ? kernel->kernel.name().c_str() : nullptr;
}

size_t nereid_kernel_parameter_count(const nereid_kernel *kernel) {
  return kernel ? kernel->kernel.parameters().size() : 0;
}

static const Parameter *parameterOf(const nereid_kernel *kernel, size_t index) {
  return index < nereid_kernel_parameter_count(kernel) ? &kernel->kernel.parameters()[index]
                                                       : nullptr;
}

const char *nereid_kernel_parameter_name(const nereid_kernel *kernel, size_t index) {
  const Parameter *parameter = parameterOf(kernel, index);
  return parameter ? parameter->name.c_str() : nullptr;
}

bool nereid_kernel_parameter_is_constexpr(const nereid_kernel *kernel, size_t index) {
  const Parameter *parameter = parameterOf(kernel, index);
  return parameter && parameter->isConstexpr;
}

bool nereid_kernel_parameter_has_default(const nereid_kernel *kernel, size_t index) {
  const Parameter *parameter = parameterOf(kernel, index);
  return parameter && parameter->hasDefault;
}

void nereid_kernel_release(nereid_kernel *kernel) { delete kernel; }
