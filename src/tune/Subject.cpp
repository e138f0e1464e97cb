// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Subject.h"

#include "driver/CacheKey.h"
#include "jit/State.h"
#include "tune/ValueText.h"

#include <algorithm>

namespace nereid {
namespace {

std::string shapeText(const Array &array) {
  std::string text;
  for (int64_t extent : array.shape())
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return '[' + text + ']';
}

std::string argumentsKey(const Arguments &arguments,
                         const std::optional<std::vector<std::string>> &wanted) {
  std::vector<std::string> parts;
  for (const NamedArgument &argument : arguments) {
    const Array *array = argument.value.array();
    bool isWanted = !wanted || std::ranges::find(*wanted, argument.name) != wanted->end();
    if (array)
      parts.push_back(argument.name + ':' + std::string(shortName(array->dtype())) +
                      (isWanted ? shapeText(*array) : ""));
    else if (isWanted)
      parts.push_back(argument.name + '=' + tuning::valueText(argument.value));
  }
  std::sort(parts.begin(), parts.end());
  std::string key;
  for (const std::string &part : parts)
    key += (key.empty() ? "" : " ") + part;
  return key;
}

void requireNames(const std::vector<std::string> &names, const Arguments &arguments) {
  for (const std::string &name : names)
    if (std::ranges::find(arguments, name, &NamedArgument::name) == arguments.end())
      throw Error(Error::Kind::Usage, "there is no argument '" + name + "' to tune for");
}

} // namespace

std::string tuningTarget(const Device &device) {
  return detail::DeviceState::of(device)->device->targetName();
}

std::string tuning::compiler() { return std::string(driver::buildId()); }

TuningSubject tuning::subjectOf(const Device &device, const Kernel &kernel,
                                const Arguments &arguments,
                                const std::optional<std::vector<std::string>> &key) {
  const detail::KernelState &state = detail::KernelState::of(kernel);
  if (!state.declaration)
    throw Error(Error::Kind::Usage, "kernel '" + kernel.name() +
                                        "' is compiled already; there is nothing left to tune");
  if (key)
    requireNames(*key, arguments);
  return {kernel.name(),
          driver::sourceKey(*state.declaration->source(), state.declaration->function()),
          tuningTarget(device), argumentsKey(arguments, key)};
}

} // namespace nereid
