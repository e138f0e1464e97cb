// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/DeviceFunctions.h"

#include "support/Check.h"

#include <algorithm>
#include <iterator>

namespace nereid::sema {
namespace {

constexpr DeviceFunction deviceFunctions[] = {
#define DEVICE_OPERATION(name, types, operation) {#name, types, {}, {}, {}},
#define DEVICE_WRITTEN(name, types, function) {#name, types, #function, {}, {}},
#define DEVICE_ROUNDED(name, types, function, rounding) {#name, types, #function, #rounding, {}},
#define DEVICE_REFUSED(name, reason) {#name, {}, {}, {}, reason},
#include "frontend/sema/libdevice.def"
};

DType typeOfLetter(char letter) {
  switch (letter) {
  case 'b':
    return DType::Int1;
  case 'i':
    return DType::Int32;
  case 'u':
    return DType::UInt32;
  case 'l':
    return DType::Int64;
  case 'm':
    return DType::UInt64;
  case 'f':
    return DType::Float32;
  case 'd':
    return DType::Float64;
  default:
    NEREID_UNREACHABLE("a letter of libdevice.def that stands for no type");
  }
}

} // namespace

/// One of "ff:f".
static DeviceTypes parseTypes(const DeviceFunction &row, std::string_view text) {
  DeviceTypes types{&row, {}, typeOfLetter(text.back())};
  for (char letter : text.substr(0, text.find(':')))
    types.operands.push_back(typeOfLetter(letter));
  return types;
}

std::vector<DeviceTypes> DeviceFunction::overloads() const {
  std::vector<DeviceTypes> all;
  for (const DeviceFunction *row = this; row != std::end(deviceFunctions) && row->name == name;
       ++row)
    for (std::string_view rest = row->types; !rest.empty();) {
      size_t length = std::min(rest.find(' '), rest.size());
      all.push_back(parseTypes(*row, rest.substr(0, length)));
      rest.remove_prefix(std::min(length + 1, rest.size()));
    }
  return all;
}

const DeviceFunction *findDeviceFunction(std::string_view name) {
  const auto *found = std::ranges::find(deviceFunctions, name, &DeviceFunction::name);
  return found == std::end(deviceFunctions) ? nullptr : found;
}

std::vector<std::string> deviceFunctionNames() {
  std::vector<std::string> names;
  for (const DeviceFunction &function : deviceFunctions)
    if (function.refusal.empty())
      names.emplace_back(function.name);
  return names;
}

} // namespace nereid::sema
