// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/devices/DeviceTable.h"

#include "nereid/devices.h"
#include "support/Diagnostics.h"

#include <array>
#include <charconv>

namespace nereid::jit {
namespace {

std::string alwaysAvailable() { return {}; }

constexpr std::array table = {
    DeviceEntry{"cpu", "compiles kernels to vector code and runs programs on all cores",
                alwaysAvailable, nullptr, openCpuDevice, /*compilesForCpu=*/true},
    DeviceEntry{"check",
                "interprets kernels slowly and reports what they do wrong (docs/checking.md)",
                alwaysAvailable, nullptr, openCheckDevice},
    DeviceEntry{"cuda", "runs compiled kernels on an NVIDIA GPU", whyNoCuda, describeCudaDevices,
                openCudaDevice},
};

const DeviceEntry &findEntry(std::string_view name) {
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

/// Of one of `count` devices of a kind.
unsigned parseNumber(const DeviceEntry &entry, std::string_view text, size_t count) {
  unsigned number = 0;
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && rest == end && number < count)
    return number;
  std::string kind(entry.name), first = kind + ":0", last = kind + ':' + std::to_string(count - 1);
  throw Error(Error::Kind::Usage,
              "no device '" + kind + ':' + std::string(text) + "'; there " +
                  (count == 1 ? "is: " + first : "are: " + first + " to " + last));
}

} // namespace

std::span<const DeviceEntry> deviceTable() { return table; }

std::unique_ptr<runtime::Stream> OpenDevice::borrowStream(void *) {
  throw Error(Error::Kind::Usage,
              "a stream of another library is there on GPUs alone; Device::stream() makes one");
}

std::string OpenDevice::whyUnusable(std::string_view, const runtime::Memory &) const {
  return "; make it on that device";
}

std::string OpenDevice::whyNoClocks() const {
  return "its kernels have no clocks, GPUs' have; `nereid bench` times whole kernels anywhere";
}

std::unique_ptr<runtime::Executable> OpenDevice::buildClocked(const driver::KernelRequest &,
                                                              backend::Clocks) {
  throw Error(Error::Kind::Usage, whyNoClocks());
}

std::unique_ptr<runtime::Executable> OpenDevice::buildSampled(const driver::KernelRequest &) {
  throw Error(Error::Kind::Usage, "its kernels do not know of which lines they are; CPUs' do");
}

std::vector<uint8_t> OpenDevice::assemble(std::string_view) {
  throw Error(Error::Kind::Usage, "PTX is a GPU's; other devices assemble none");
}

std::string FoundDevice::name() const {
  std::string name(entry->name);
  return entry->describeEach ? name + ':' + std::to_string(number) : name;
}

FoundDevice findDevice(std::string_view name) {
  size_t colon = name.find(':');
  bool hasNumber = colon != std::string_view::npos;
  const DeviceEntry &entry = findEntry(name.substr(0, colon));
  if (hasNumber && !entry.describeEach)
    throw Error(Error::Kind::Usage, "no device '" + std::string(name) + "'; there is one '" +
                                        std::string(entry.name) + "', which has no number");
  if (std::string reason = entry.unavailableBecause(); !reason.empty())
    throw Error(Error::Kind::Environment,
                "cannot open device '" + std::string(name) + "': " + reason);
  if (!hasNumber)
    return {&entry};
  return {&entry, parseNumber(entry, name.substr(colon + 1), entry.describeEach().size())};
}

} // namespace nereid::jit

std::vector<nereid::DeviceInfo> nereid::devices() {
  std::vector<DeviceInfo> list;
  for (const jit::DeviceEntry &entry : jit::deviceTable()) {
    std::string description(entry.description), reason = entry.unavailableBecause();
    bool isOptional = entry.describeEach != nullptr;
    if (!isOptional || !reason.empty()) {
      list.push_back({std::string(entry.name), description, reason, isOptional});
      continue;
    }
    unsigned number = 0;
    for (const std::string &text : entry.describeEach())
      list.push_back(
          {jit::FoundDevice{&entry, number++}.name(), description + ": " + text, "", isOptional});
  }
  return list;
}
