// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelReference.h"

#include "jit/Boundary.h"
#include "jit/State.h"

namespace nereid::command {

KernelReference parseKernelReference(const std::string &text) {
  size_t colons = text.rfind("::");
  if (colons == std::string::npos)
    return {text, {}};
  if (colons + 2 == text.size())
    throw Error(Error::Kind::Usage, "'" + text + "' names no kernel; give FILE or FILE::KERNEL");
  return {text.substr(0, colons), text.substr(colons + 2)};
}

/// The functions that would be kernels if they were decorated.
static std::string describeUndecorated(const Module &module) {
  std::string list;
  for (const ast::Binding &binding : detail::ModuleState::of(module)->source->tree.bindings)
    if (binding.kind == ast::Binding::Kind::Skipped)
      list += (list.empty() ? ", which makes a kernel of a def; those without are " : ", ") +
              binding.name;
  return list;
}

std::string resolveKernel(const Module &module, const KernelReference &reference) {
  if (!reference.kernel.empty())
    return reference.kernel;
  std::vector<std::string> names = module.kernelNames();
  if (names.size() == 1)
    return names[0];
  if (names.empty())
    throw Error(Error::Kind::Usage,
                reference.file + " holds no @triton.jit function" + describeUndecorated(module));
  std::string list;
  for (const std::string &name : names)
    list += (list.empty() ? "the kernels are " : ", ") + name;
  Diagnostic diagnostic =
      diagnose({}, DiagnosticId::kernel_name_needed, reference.file, names.size());
  diagnostic.notes.push_back({{}, list});
  throw jit::toError(diagnostic);
}

} // namespace nereid::command
