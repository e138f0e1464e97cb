// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/DeviceTable.h"

#include "nereid/devices.h"
#include "support/Diagnostics.h"

#include <array>

namespace nereid::jit {
namespace {

std::string alwaysAvailable() { return {}; }

constexpr std::array table = {
    DeviceEntry{"cpu", "compiles kernels to vector code and runs programs on all cores",
                alwaysAvailable, openCpuDevice},
    DeviceEntry{"check", "interprets kernels slowly and reports each out-of-bounds access",
                alwaysAvailable, openCheckDevice},
};

} // namespace

std::span<const DeviceEntry> deviceTable() { return table; }

const DeviceEntry &findDevice(std::string_view name) {
  std::vector<std::string> names;
  std::string list;
  for (const DeviceEntry &entry : table) {
    if (entry.name == name)
      return entry;
    names.emplace_back(entry.name);
    list += (list.empty() ? "" : ", ") + names.back();
  }
  std::string message = "no device '" + std::string(name) + "'; there are: " + list;
  if (std::string closest = closestName(name, names); !closest.empty())
    message += " (did you mean '" + closest + "'?)";
  throw Error(Error::Kind::Usage, message);
}

} // namespace nereid::jit

std::vector<nereid::DeviceInfo> nereid::devices() {
  std::vector<DeviceInfo> list;
  for (const jit::DeviceEntry &entry : jit::deviceTable())
    list.push_back(
        {std::string(entry.name), std::string(entry.description), entry.unavailableBecause()});
  return list;
}
