// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/DeviceFunctions.h"

#include "support/Check.h"

#include <algorithm>
#include <deque>
#include <iterator>

namespace nereid::sema {
namespace {

constexpr DeviceFunction deviceFunctions[] = {
#define DEVICE_OPERATION(name, types, operation) {#name, types, {}, {}, {}},
#define DEVICE_FAST DEVICE_OPERATION
#define DEVICE_WRITTEN(name, types, function) {#name, types, #function, {}, {}},
#define DEVICE_ROUNDED(name, types, function, rounding) {#name, types, #function, #rounding, {}},
#define DEVICE_REFUSED(name, reason) {#name, {}, {}, {}, reason},
#include "frontend/sema/libdevice.def"
    {}, // which ends the last function
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
  for (const DeviceFunction *row = this; row->name == name; ++row)
    for (std::string_view rest = row->types; !rest.empty();) {
      size_t length = std::min(rest.find(' '), rest.size());
      all.push_back(parseTypes(*row, rest.substr(0, length)));
      rest.remove_prefix(std::min(length + 1, rest.size()));
    }
  return all;
}

const DeviceFunction *findDeviceFunction(std::string_view name) {
  const auto *found = std::ranges::find(deviceFunctions, name, &DeviceFunction::name);
  return found == std::end(deviceFunctions) || name.empty() ? nullptr : found;
}

/// What libdevice calls a row for the operands that `letters` stand for.
static std::string symbolOf(std::string_view row, std::string_view letters) {
  auto holds = [&](char letter) { return letters.find(letter) != std::string_view::npos; };
  bool isOfFloats = holds('f') || holds('d'), isFloat = holds('f');
  bool isRounded = row.size() > 3 && row.substr(row.size() - 3, 2) == "_r";
  size_t two = row.find('2'); // of double2int_rn, not of exp2 or mul24
  bool isConversion = two != std::string_view::npos && row.find_first_of("dfilu", two) == two + 1;
  std::string name(row), suffix = isFloat ? "f" : "";
  if (row == "fast_dividef")
    return "fast_fdividef";
  if (row.starts_with("fma_"))
    return (isFloat ? "fmaf" : "fma") + name.substr(3);
  if (isRounded && !isConversion)
    return (isFloat ? "f" : "d") + name;
  if (isConversion || row.find("_as_") != std::string_view::npos || row.starts_with("fast_") ||
      row == "finitef" || row == "isfinited" || row == "saturatef")
    return name;
  if (row == "isnan" || row == "isinf" || row == "signbit")
    return name + (isFloat ? "f" : "d");
  if (isOfFloats && row == "pow" && holds('i'))
    return "powi" + suffix;
  bool isExtremum = row == "max" || row == "min";
  if (isOfFloats)
    return (isExtremum || row == "abs" ? "f" : "") + name + suffix;
  bool isLong = letters[0] == 'l' || letters[0] == 'm',
       isPlain = letters[0] == 'u' || letters[0] == 'm';
  if (row == "mulhi" && isLong)
    name = "mul64hi";
  else if (isLong && (isExtremum || row == "abs"))
    name = "ll" + name;
  else if (isLong)
    name += "ll";
  return (isPlain ? "u" : "") + name;
}

/// A row for each symbol, and one that ends the last.
static std::vector<DeviceFunction> makeSymbols() {
  static std::deque<std::string> names;
  std::vector<DeviceFunction> symbols;
  for (const DeviceFunction &function : deviceFunctions)
    for (std::string_view rest = function.types; !rest.empty();) {
      std::string_view types = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(types.size() + 1, rest.size()));
      names.push_back(symbolOf(function.name, types.substr(0, types.find(':'))));
      symbols.push_back(
          {names.back(), types, function.written, function.rounding, {}, function.name});
    }
  symbols.emplace_back();
  return symbols;
}

static const std::vector<DeviceFunction> &deviceSymbols() {
  static const std::vector<DeviceFunction> symbols = makeSymbols();
  return symbols;
}

std::vector<std::string> deviceSymbolNames() {
  std::vector<std::string> names;
  for (const DeviceFunction &symbol : deviceSymbols())
    if (!symbol.name.empty())
      names.emplace_back(symbol.name);
  return names;
}

const DeviceFunction *findDeviceSymbol(std::string_view name) {
  const std::vector<DeviceFunction> &symbols = deviceSymbols();
  const auto found = std::ranges::find(symbols, name, &DeviceFunction::name);
  return found == symbols.end() || name.empty() ? nullptr : &*found;
}

std::vector<std::string> deviceFunctionNames() {
  std::vector<std::string> names;
  for (const DeviceFunction &function : deviceFunctions)
    if (function.refusal.empty() && !function.name.empty())
      names.emplace_back(function.name);
  return names;
}

} // namespace nereid::sema
