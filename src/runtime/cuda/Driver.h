// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA's driver, opened when it is first asked for. Nothing of it is linked.
#pragma once

#include "runtime/cuda/Abi.h"
#include "support/EnvironmentVariables.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace nereid::runtime::cuda {

/// A function of the driver and the symbol it was found by, which messages name.
template <typename... Parameters> struct DriverFunction {
  const char *symbol;
  CUresult (*address)(Parameters...) = nullptr;

  explicit operator bool() const { return address; }
};

/// A variable of the environment by which the driver chooses and orders GPUs.
struct DeviceChoice {
  KnownVariable variable;
  std::string_view name;
  std::optional<std::string> value = {};
};

class Driver {
public:
  /// Whether the process has a driver, and why not.
  struct Status {
    const Driver *driver = nullptr;
    std::string reason; // empty if there is a driver
  };
  /// The library that the environment variable NEREID_LIBCUDA names, or libcuda.so.1; opened and
  /// initialised at the first call, and never closed.
  static const Status &status();
  /// The same; throws Error(Environment) with the reason.
  static const Driver &get();

  /// Opens and initialises a library. Throws Error(Environment) that says what is missing, and
  /// which driver would have it.
  explicit Driver(const std::string &path);

  /// The CUDA version it is for: major * 1000 + minor * 10.
  int version() const { return version_; }
  /// At least 1.
  unsigned deviceCount() const { return count; }
  /// As they were when this was opened: the driver reads them once.
  const std::array<DeviceChoice, 2> &deviceChoices() const { return choices; }

  /// Calls, and throws Error(Environment) that names the call if it fails.
  template <typename... P, typename... A>
  void call(const DriverFunction<P...> &function, A... arguments) const {
    if (CUresult result = function.address(arguments...))
      fail(function.symbol, result);
  }
  [[noreturn]] void fail(const char *symbol, CUresult result, const std::string &detail = {}) const;
  /// "cuMemAlloc_v2 failed: out of memory (CUDA_ERROR_OUT_OF_MEMORY); what would help"
  std::string describe(const char *symbol, CUresult result) const;
  /// "out of memory (CUDA_ERROR_OUT_OF_MEMORY)"
  std::string words(CUresult result) const;

#define REQUIRED(member, symbol, since, ...) DriverFunction<__VA_ARGS__> member{#symbol};
#include "runtime/cuda/driver_functions.def"

private:
  void findFunctions(const std::string &path, void *library);
  void initialize();

  int version_ = 0;
  unsigned count = 0;
  int process = 0;
  std::array<DeviceChoice, 2> choices = {
      {{KnownVariable::CUDA_VISIBLE_DEVICES, "CUDA_VISIBLE_DEVICES"},
       {KnownVariable::CUDA_DEVICE_ORDER, "CUDA_DEVICE_ORDER"}}};
};

/// "12.4"
std::string versionText(int version);

} // namespace nereid::runtime::cuda
