// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Differential.h"

#include "Compare.h"
#include "Inputs.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

namespace nereid::generate {

Differential::Differential()
    : check(Device::open("check")), one(Device::open("cpu", {1})), two(Device::open("cpu", {2})) {}

using Contents = std::map<std::string, std::vector<std::byte>>;

/// Launches the kernel on fresh arrays and returns what they hold afterwards.
static Contents launch(const Kernel &kernel, const Device &device) {
  nereid::Kernel compiled = Module::fromText(kernel.source(), "generated.py").kernel("kernel");
  std::map<std::string, Array> arrays;
  Arguments arguments;
  for (const ArrayParameter &parameter : kernel.arrays) {
    if (parameter.sharedWith.empty()) {
      Array array = device.empty(parameter.dtype, {parameter.size});
      array.copyFrom(contents(parameter, kernel.dataSeed).data());
      arrays.emplace(parameter.name, array);
    }
    bool isOwner = parameter.sharedWith.empty();
    arguments.push_back(
        {parameter.name, arrays.at(isOwner ? parameter.name : parameter.sharedWith)});
  }
  for (const ScalarParameter &scalar : kernel.scalars)
    std::visit([&](auto value) { arguments.push_back({scalar.name, value}); }, scalar.value);
  compiled.launch(device, {kernel.grid[0], kernel.grid[1], kernel.grid[2]}, arguments);
  Contents result;
  for (const auto &[name, array] : arrays) {
    result[name].resize(array.bytes());
    array.copyTo(result[name].data());
  }
  return result;
}

/// The message without its place and without what its quotes hold.
static std::string kindOf(llvm::StringRef message) {
  auto [place, rest] = message.split("error: ");
  std::string kind;
  bool isQuoted = false;
  for (char c : (rest.empty() ? place : rest).take_until([](char c) { return c == '\n'; })) {
    isQuoted ^= c == '\'';
    if (!isQuoted && !llvm::isDigit(c))
      kind += c;
  }
  return kind;
}

std::vector<const Device *> Differential::devicesFor(const Kernel &kernel) const {
  switch (kernel.dataSeed % 8) {
  case 0:
    return {&one, &two};
  case 1:
  case 2:
  case 3:
    return {&one};
  default:
    return {&two};
  }
}

Outcome Differential::run(const Kernel &kernel) const {
  const Device *running = &check;
  try {
    Contents expected = launch(kernel, check);
    for (const Device *device : devicesFor(kernel)) {
      running = device;
      Contents actual = launch(kernel, *device);
      std::string differences;
      for (const ArrayParameter &array : kernel.arrays)
        if (array.sharedWith.empty())
          differences += describeDifference(array, expected.at(array.name), actual.at(array.name));
      if (!differences.empty())
        return {"different results", "different results, " + std::to_string(device->threads()) +
                                         " threads\n" + differences};
    }
  } catch (const std::exception &error) {
    std::string device =
        running->name() + " (" + std::to_string(running->threads()) + " threads): ";
    return {running->name() + ": " + kindOf(error.what()), device + error.what() + "\n"};
  }
  return {};
}

} // namespace nereid::generate
