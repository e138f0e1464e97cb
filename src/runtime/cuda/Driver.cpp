// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Driver.h"

#include "nereid/error.h"
#include "runtime/cuda/Results.h"
#include "support/EnvironmentVariables.h"

#include <algorithm>
#include <dlfcn.h>
#include <unistd.h>

namespace nereid::runtime::cuda {
namespace {

/// The least CUDA version whose driver has every required function.
constexpr int leastVersion = std::max({
#define REQUIRED(member, symbol, since, ...) since,
#define OPTIONAL(member, symbol, since, ...) 0,
#include "runtime/cuda/driver_functions.def"
});

std::string needed() { return "a driver for CUDA " + versionText(leastVersion) + " or later"; }

[[noreturn]] void refuse(const std::string &reason) {
  throw Error(Error::Kind::Environment, reason);
}

Driver::Status openProcessDriver() {
  const char *chosen = readFilledVariable(KnownVariable::NEREID_LIBCUDA);
  std::string path = chosen ? chosen : "libcuda.so.1";
  try {
    // Never freed: handles of objects with static lifetime are released after anything here.
    return {new Driver(path), {}};
  } catch (const Error &error) {
    return {nullptr, error.what()};
  }
}

} // namespace

std::string versionText(int version) {
  return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

const Driver::Status &Driver::status() {
  static const Status *opened = new Status(openProcessDriver());
  return *opened;
}

const Driver &Driver::get() {
  const Status &found = status();
  if (!found.driver)
    refuse(found.reason);
  return *found.driver;
}

Driver::Driver(const std::string &path) : process(getpid()) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    refuse("no NVIDIA driver: " + std::string(dlerror()));
  findFunctions(path, library);
  initialize();
}

void Driver::findFunctions(const std::string &path, void *library) {
  auto find = [&](auto &function) {
    function.address =
        reinterpret_cast<decltype(function.address)>(dlsym(library, function.symbol));
  };
  // The version first, so that a refusal can say what is there.
  find(driverGetVersion);
  if (driverGetVersion)
    driverGetVersion.address(&version_);
  auto require = [&](auto &function, int since) {
    find(function);
    if (!function)
      refuse(path + " has no function " + function.symbol + ", which came with CUDA " +
             versionText(since) +
             (version_ ? "; this driver is for CUDA " + versionText(version_) : "") + "; " +
             needed() + " is needed");
  };
#define REQUIRED(member, symbol, since, ...) require(member, since);
#define OPTIONAL(member, symbol, since, ...) find(member);
#include "runtime/cuda/driver_functions.def"
}

void Driver::initialize() {
  if (version_ < leastVersion)
    refuse("the driver is for CUDA " + versionText(version_) + "; " + needed() + " is needed");
  for (DeviceChoice &choice : choices)
    if (const char *value = readVariable(choice.variable))
      choice.value = value;
  int devices = 0;
  const char *symbol = init.symbol;
  CUresult result = init.address(0);
  if (!result) {
    symbol = deviceGetCount.symbol;
    result = deviceGetCount.address(&devices);
  }
  if (!result && !devices)
    result = CUDA_ERROR_NO_DEVICE;
  if (result) {
    const char *visible = readVariable(KnownVariable::CUDA_VISIBLE_DEVICES);
    fail(symbol, result,
         visible ? "CUDA_VISIBLE_DEVICES is '" + std::string(visible) + "'" : explainDeviceFiles());
  }
  count = static_cast<unsigned>(devices);
}

void Driver::fail(const char *symbol, CUresult result, const std::string &detail) const {
  std::string text = describe(symbol, result);
  if (!detail.empty())
    text += "; " + detail;
  throw Error(Error::Kind::Environment, text);
}

std::string Driver::words(CUresult result) const {
  const char *name = nullptr, *meaning = nullptr;
  bool isKnown = !getErrorName.address(result, &name) && name &&
                 !getErrorString.address(result, &meaning) && meaning;
  return isKnown ? std::string(meaning) + " (" + name + ")" : "error " + std::to_string(result);
}

std::string Driver::describe(const char *symbol, CUresult result) const {
  std::string text = std::string(symbol) + " failed: " + words(result);
  if (const char *meaning = meaningOf(result).text; *meaning)
    text += std::string("; ") + meaning;
  // The driver does not survive a fork, and says of it only that it is not initialised.
  if (result == CUDA_ERROR_NOT_INITIALIZED && process != getpid())
    text += "; this process was forked from one that had opened the driver: open it after the "
            "fork, or start a new program";
  return text;
}

} // namespace nereid::runtime::cuda
