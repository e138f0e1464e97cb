// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Timing.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace nereid::command {
namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t fewestLaunches = 5, mostLaunches = 1000000;
constexpr double longEnough = 300; // milliseconds

double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::vector<double> measure(const Launch &launch, Grid grid) {
  std::vector<double> times;
  double total = 0;
  while (times.size() < fewestLaunches || (total < longEnough && times.size() < mostLaunches)) {
    auto start = Clock::now();
    launch.run(grid);
    times.push_back(millisecondsSince(start));
    total += times.back();
  }
  return times;
}

size_t bytesOfArrays(const Arguments &arguments) {
  size_t bytes = 0;
  for (const NamedArgument &argument : arguments)
    if (auto *array = std::get_if<Array>(&argument.value.get()))
      bytes += array->bytes();
  return bytes;
}

} // namespace

std::string describeTiming(const Launch &launch, Grid grid, const Arguments &arguments,
                           const Device &device) {
  std::vector<double> times = measure(launch, grid);
  auto middle = times.begin() + static_cast<ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  double bytesPerSecond = static_cast<double>(bytesOfArrays(arguments)) / *middle * 1e3;
  return llvm::formatv("compile {0:f2} ms, launch {1:f4} ms (median of {2} on {3}, {4} threads), "
                       "{5:f2} GB/s counting each array's bytes once",
                       launch.compileMilliseconds(), *middle, times.size(), device.name(),
                       device.threads(), bytesPerSecond / 1e9);
}

} // namespace nereid::command
