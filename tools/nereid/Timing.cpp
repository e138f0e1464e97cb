// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Timing.h"

#include "FormatText.h"
#include "bench/MachineCeiling.h"
#include "nereid/tune.h"

#include <set>

namespace nereid::command {

size_t bytesOfArrays(const Arguments &arguments) {
  size_t bytes = 0;
  std::set<const void *> counted;
  for (const NamedArgument &argument : arguments)
    if (const Array *array = argument.value.array())
      bytes += counted.insert(array->data()).second ? array->bytes() : 0;
  return bytes;
}

/// A line for what a GPU gives the kernel; empty elsewhere.
static std::string describeResources(const Launch &launch) {
  std::optional<KernelResources> found = launch.resources();
  if (!found)
    return "";
  return formatText(
      "\n%u threads with %u registers and %u bytes of spills each, %u bytes of shared "
      "memory; %u programs on a multiprocessor, %.0f %% of its threads",
      found->threads, found->registers, found->localBytes, found->sharedBytes,
      found->programsPerMultiprocessor, 100 * found->occupancy);
}

/// "; 31 % of copy of 128 MiB (12.3 GB/s)". Small arrays lie in caches, and pass the copy.
static std::string describeShare(double rate, const Ceiling &ceiling, const char *unit) {
  return formatText("; %.0f %% of %s (%.3g %s)", 100 * rate / ceiling.rate, ceiling.name.c_str(),
                    ceiling.rate, unit);
}

/// What was reached of what the machine gives, measured now: nothing for kernels that are
/// interpreted.
static std::string describeShares(double bytesPerSecond, std::optional<double> flopsPerSecond,
                                  const Device &device) {
  std::string text;
  bool isInterpreted = device.name() == "check";
  if (!isInterpreted && bytesPerSecond > 0)
    text += describeShare(bytesPerSecond / 1e9, measureCopy(device), "GB/s");
  if (flopsPerSecond) {
    text += formatText("\n%.3f TFLOP/s", *flopsPerSecond / 1e12);
    if (!isInterpreted)
      text += describeShare(*flopsPerSecond / 1e12, measureFma(device), "TFLOP/s");
  }
  return text;
}

std::string describeTiming(const Launch &launch, Grid grid, const Arguments &arguments,
                           const Device &device, std::optional<double> flops) {
  Measurement measured =
      Timer(device, {.repeatMilliseconds = 300, .flushesCache = false}).measure(launch, grid);
  double bytesPerSecond = static_cast<double>(bytesOfArrays(arguments)) / measured.median() * 1e3;
  std::optional<double> flopsPerSecond;
  if (flops)
    flopsPerSecond = *flops / measured.median() * 1e3;
  return formatText("compile %.2f ms, launch %s (median of %zu on %s, %u threads), %.2f GB/s "
                    "counting each array's bytes once",
                    launch.compileMilliseconds(), formatDuration(measured.median()).c_str(),
                    measured.times().size(), device.name().c_str(), device.threads(),
                    bytesPerSecond / 1e9) +
         describeShares(bytesPerSecond, flopsPerSecond, device) +
         (measured.isNoisy()
              ? formatText("\nnote: the machine was busy: the middle three fifths of the "
                           "launches lie %.0f %% apart",
                           100 * measured.spread())
              : "") +
         describeResources(launch);
}

std::string formatDuration(double milliseconds) {
  if (milliseconds < 1e-3)
    return formatText("%.0f ns", milliseconds * 1e6);
  return formatText("%.4f ms", milliseconds);
}

} // namespace nereid::command
