// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/devices/CpuChoice.h"

#include "nereid/devices.h"
#include "nereid/error.h"
#include "support/Diagnostics.h"
#include "support/EnvironmentVariables.h"

#include "llvm/ADT/StringExtras.h"

namespace nereid::jit {

std::string effectiveCpuName(std::string name) {
  if (!name.empty())
    return name;
  const char *variable = readFilledVariable(KnownVariable::NEREID_CPU);
  return variable ? variable : "host";
}

target::CpuTarget chooseCpu(std::string name) {
  name = effectiveCpuName(std::move(name));
  if (std::optional<target::CpuTarget> target = target::findCpu(name))
    return *std::move(target);
  std::string closest = closestName(name, target::cpuNames());
  throw Error(Error::Kind::Usage,
              "LLVM knows no 64-bit CPU '" + name + "'; " +
                  (closest.empty() ? "host, x86-64 and haswell are some it knows"
                                   : "did you mean '" + closest + "'?"));
}

void requireRunnable(const std::string &cpu, const std::vector<std::string> &features) {
  std::vector<std::string> missing = target::missingOnHost(features);
  if (!missing.empty())
    throw Error(Error::Kind::Environment, "this machine cannot run code for " + cpu +
                                              ": it lacks " + llvm::join(missing, ", "));
}

} // namespace nereid::jit

namespace nereid {

std::vector<std::string> cpuNames() { return target::cpuNames(); }

CpuInfo cpuInfo(std::string_view name) {
  target::CpuTarget target = jit::chooseCpu(std::string(name));
  return {std::move(target.cpu), std::move(target.features)};
}

} // namespace nereid
