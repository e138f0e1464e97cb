// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Differential.h"

#include "Compare.h"
#include "GuardedMemory.h"
#include "Inputs.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

namespace nereid::generate {

/// Random kernels store what masks leave out and divide by zero on purpose: executors agree there.
static CheckOptions checks() { return {.ignored = {"undefined_value", "division_by_zero"}}; }

Differential::Differential(const std::vector<std::string> &cpus)
    : check(Device::open("check", {.check = checks()})) {
  for (const std::string &cpu : cpus)
    for (unsigned threads : {1u, 2u})
      devices.push_back(
          {"cpu " + cpu + (cpu.empty() ? "" : ", ") + std::to_string(threads) + " threads",
           Device::open("cpu", {threads, cpu})});
}

/// What a launch left behind.
struct Result {
  std::map<std::string, std::vector<std::byte>> contents;
  /// Which arrays' surroundings were written, a line each.
  std::string damage;
};

/// Most arrays start where allocators let them, some anywhere an element may.
static size_t alignmentOf(const ArrayParameter &array, uint64_t seed) {
  uint64_t choice = (seed ^ array.name.back()) % 4;
  return choice == 0 ? byteSize(array.dtype) : choice == 1 ? 16 : 64;
}

/// Launches the kernel on fresh arrays.
static Result launch(const Kernel &kernel, const Device &device) {
  nereid::Kernel compiled = Module::fromText(kernel.source(), "generated.py").kernel("kernel");
  std::map<std::string, GuardedMemory> memory;
  std::map<std::string, Array> arrays;
  Arguments arguments;
  for (const ArrayParameter &parameter : kernel.arrays) {
    bool isOwner = parameter.sharedWith.empty();
    if (isOwner) {
      auto [place, isNew] = memory.try_emplace(parameter.name, contents(parameter, kernel.dataSeed),
                                               alignmentOf(parameter, kernel.dataSeed));
      arrays.emplace(parameter.name,
                     device.borrow(place->second.data(), parameter.dtype, {parameter.size}));
    }
    arguments.push_back(
        {parameter.name, arrays.at(isOwner ? parameter.name : parameter.sharedWith)});
  }
  for (const ScalarParameter &scalar : kernel.scalars)
    std::visit([&](auto value) { arguments.push_back({scalar.name, value}); }, scalar.value);
  compiled.launch(device, {kernel.grid[0], kernel.grid[1], kernel.grid[2]}, arguments);
  Result result;
  for (const auto &[name, bytes] : memory) {
    std::span<const std::byte> found = bytes.contents();
    result.contents.emplace(name, std::vector(found.begin(), found.end()));
    if (std::string damage = bytes.damage(); !damage.empty())
      result.damage += "  " + name + ": " + damage + "\n";
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

bool Differential::takesPart(const CpuDevice &candidate, const Kernel &kernel) const {
  bool isOne = candidate.device.threads() == 1;
  uint64_t choice = kernel.dataSeed % 32;
  return choice == 0 || (choice < 16) == isOne;
}

Outcome Differential::run(const Kernel &kernel) const {
  std::string running = "check";
  try {
    Result expected = launch(kernel, check);
    for (const CpuDevice &candidate : devices) {
      if (!takesPart(candidate, kernel))
        continue;
      running = candidate.description;
      Result actual = launch(kernel, candidate.device);
      std::string damage = expected.damage + actual.damage, differences;
      for (const ArrayParameter &array : kernel.arrays)
        if (array.sharedWith.empty())
          differences += describeDifference(array, expected.contents.at(array.name),
                                            actual.contents.at(array.name));
      std::string kind = !damage.empty()        ? "writes outside of an array"
                         : !differences.empty() ? "different results"
                                                : "";
      if (!kind.empty())
        return {kind, kind + " (" + running + ")\n" + damage + differences};
    }
  } catch (const std::exception &error) {
    return {running + ": " + kindOf(error.what()), running + ": " + error.what() + "\n"};
  }
  return {};
}

} // namespace nereid::generate
