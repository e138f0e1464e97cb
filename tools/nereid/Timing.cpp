// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Timing.h"

#include "FormatText.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <set>
#include <unistd.h>
#include <vector>

namespace nereid::command {
namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t fewestLaunches = 5, mostLaunches = 1000000;
constexpr double longEnough = 300; // milliseconds

double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// While it lives, the standard output goes nowhere: a kernel that prints has printed already.
class Silence {
public:
  Silence() : output(dup(STDOUT_FILENO)), nowhere(open("/dev/null", O_WRONLY | O_CLOEXEC)) {
    redirect(nowhere);
  }
  ~Silence() {
    redirect(output);
    close(output);
    close(nowhere);
  }
  Silence(const Silence &) = delete;
  Silence &operator=(const Silence &) = delete;

private:
  /// What was printed before goes where it was meant to.
  static void redirect(int target) {
    std::fflush(stdout);
    if (target >= 0)
      dup2(target, STDOUT_FILENO);
  }
  int output, nowhere;
};

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
  std::set<const void *> counted; // one array may be given for several parameters
  for (const NamedArgument &argument : arguments)
    if (const Array *array = argument.value.array())
      bytes += counted.insert(array->data()).second ? array->bytes() : 0;
  return bytes;
}

} // namespace

std::string describeTiming(const Launch &launch, Grid grid, const Arguments &arguments,
                           const Device &device) {
  std::vector<double> times = [&] {
    Silence silence;
    return measure(launch, grid);
  }();
  auto middle = times.begin() + static_cast<ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  double bytesPerSecond = static_cast<double>(bytesOfArrays(arguments)) / *middle * 1e3;
  return formatText("compile %.2f ms, launch %s (median of %zu on %s, %u threads), %.2f GB/s "
                    "counting each array's bytes once",
                    launch.compileMilliseconds(), formatDuration(*middle).c_str(), times.size(),
                    device.name().c_str(), device.threads(), bytesPerSecond / 1e9);
}

std::string formatDuration(double milliseconds) {
  if (milliseconds < 1e-3)
    return formatText("%.0f ns", milliseconds * 1e6);
  return formatText("%.4f ms", milliseconds);
}

} // namespace nereid::command
