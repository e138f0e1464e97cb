// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Differential.h"

#include "Compare.h"
#include "GuardedArray.h"
#include "Inputs.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

namespace nereid::generate {

Differential::Differential(const Options &options)
    : isGpu(!options.gpu.empty()), tuning{.isBrief = options.isBrief},
      check(Device::open("check")) {
  if (isGpu) {
    devices.push_back({options.gpu, Device::open(options.gpu)});
    return;
  }
  for (const std::string &cpu : options.cpus)
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
static Result launch(const Kernel &kernel, const Device &device, const Tuning &tuning) {
  nereid::Kernel compiled = Module::fromText(kernel.source(), "generated.py").kernel("kernel");
  std::map<std::string, std::unique_ptr<GuardedArray>> memory;
  std::map<std::string, Array> arrays;
  Arguments arguments;
  for (const ArrayParameter &parameter : kernel.arrays) {
    bool isOwner = parameter.sharedWith.empty();
    if (isOwner) {
      auto guarded = GuardedArray::make(device, contents(parameter, kernel.dataSeed),
                                        alignmentOf(parameter, kernel.dataSeed));
      arrays.emplace(parameter.name,
                     device.borrow(guarded->data(), parameter.dtype, {parameter.size}));
      memory.emplace(parameter.name, std::move(guarded));
    }
    const Array &array = arrays.at(isOwner ? parameter.name : parameter.sharedWith);
    if (parameter.block.empty())
      arguments.push_back({parameter.name, array});
    else
      arguments.push_back(
          {parameter.name,
           TensorDescriptor{device.borrow(array.data(), parameter.dtype, parameter.extents),
                            parameter.block}});
  }
  for (const ScalarParameter &scalar : kernel.scalars)
    std::visit([&](auto value) { arguments.push_back({scalar.name, value}); }, scalar.value);
  compiled.launch(device, {kernel.grid[0], kernel.grid[1], kernel.grid[2]}, arguments,
                  {.tuning = tuning});
  Result result;
  for (const auto &[name, guarded] : memory) {
    auto [contents, damage] = guarded->read();
    result.contents.emplace(name, std::move(contents));
    if (!damage.empty())
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

bool Differential::isLeftOut(const Kernel &kernel) const { return isGpu && kernel.roundsFactors; }

bool Differential::isUsable() const {
  try {
    for (const Candidate &candidate : devices)
      candidate.device.zeros(DType::Int8, {1});
    return true;
  } catch (const Error &) {
    return false;
  }
}

Kernel Differential::adapted(const Kernel &kernel) const {
  Kernel result = kernel;
  for (ArrayParameter &array : result.arrays)
    if (isGpu && isFloat(array.dtype) && (array.fill == Fill::Wild || array.fill == Fill::Special))
      array.fill = Fill::Small;
  return result;
}

bool Differential::takesPart(const Candidate &candidate, const Kernel &kernel) const {
  if (isGpu)
    return true;
  bool isOne = candidate.device.threads() == 1;
  uint64_t choice = kernel.dataSeed % 32;
  return choice == 0 || (choice < 16) == isOne;
}

/// Quotients and roots of float32, which are approximated on a GPU, may become float64 before they
/// are stored.
static bool approximates(const Kernel &kernel) {
  std::string text = kernel.source();
  return text.find(" / ") != std::string::npos || text.find("tl.sqrt(") != std::string::npos;
}

Outcome Differential::run(const Kernel &given) const {
  Kernel kernel = adapted(given);
  Agreement agreement = !isGpu                 ? Agreement::Exact
                        : approximates(kernel) ? Agreement::NearSingle
                                               : Agreement::Near;
  std::string running = "check";
  try {
    Result expected = launch(kernel, check, {});
    for (const Candidate &candidate : devices) {
      if (!takesPart(candidate, kernel))
        continue;
      running = candidate.description;
      Result actual = launch(kernel, candidate.device, tuning);
      std::string damage = expected.damage + actual.damage, differences;
      for (const ArrayParameter &array : kernel.arrays)
        if (array.sharedWith.empty())
          differences += describeDifference(array, expected.contents.at(array.name),
                                            actual.contents.at(array.name), agreement);
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
