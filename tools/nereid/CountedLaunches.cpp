// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CountedLaunches.h"

#include "FormatText.h"

#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace nereid::command {
namespace {

double secondsNow() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// "12,345,678": of what few launches share, with a part.
std::string numberText(double value) {
  if (value < 100 && value != std::floor(value))
    return formatText("%.2f", value);
  std::string digits = formatText("%.0f", value), text;
  for (size_t i = 0; i < digits.size(); ++i)
    text += (i && (digits.size() - i) % 3 == 0 ? "," : "") + digits.substr(i, 1);
  return text;
}

std::optional<double> valueOf(const CountedLaunches &counted, const char *key) {
  for (const Count &count : counted.counts)
    if (count.key == key)
      return count.value;
  return {};
}

/// What counts mean beside one another; a line each.
std::string ratios(const CountedLaunches &counted) {
  std::string text;
  auto cycles = valueOf(counted, "cycles"), instructions = valueOf(counted, "instructions"),
       misses = valueOf(counted, "cache_misses"), clock = valueOf(counted, "task_clock_ns");
  if (cycles && instructions && *cycles > 0)
    text += formatText("  %.2f instructions in a cycle\n", *instructions / *cycles);
  if (cycles && clock && *clock > 0)
    text += formatText("  %.2f GHz\n", *cycles / *clock);
  constexpr double line = 64;
  if (misses)
    text += formatText("  %.3g GB/s from memory, as far as misses tell (what is fetched ahead is "
                       "none); arrays have %.3g MB\n",
                       *misses * line / counted.seconds * 1e-9,
                       static_cast<double>(counted.arrayBytes) * 1e-6);
  auto besideCeiling = [&](double rate, const char *unit, const char *what, double ceiling,
                           const char *name) {
    if (rate > 0 && ceiling > 0)
      text += formatText("  %.3g %s %s: %.0f %% of %s here (%.3g %s, nereid bench)\n", rate * 1e-9,
                         unit, what, 100 * rate / ceiling, name, ceiling * 1e-9, unit);
  };
  if (misses)
    besideCeiling(*misses * line / counted.seconds, "GB/s", "from memory", counted.copyRate,
                  "what a copy moves");
  besideCeiling(static_cast<double>(counted.arrayBytes) / counted.seconds, "GB/s",
                "with each array's bytes once", counted.copyRate, "what a copy moves");
  besideCeiling(counted.flops / counted.seconds, "GFLOP/s", "of the kernel's operations",
                counted.flopRate, "what multiply-adds of f32 reach");
  if (clock)
    text += formatText("  %.2f threads at work, of %u\n", *clock * 1e-9 / counted.seconds,
                       counted.threads);
  return text;
}

} // namespace

CountedLaunches countLaunches(Counters &counters, const Launch &launch, Grid grid,
                              double milliseconds) {
  LaunchOptions quiet{.print = [](std::string_view) {}};
  const double begin = secondsNow();
  do
    launch.run(grid, quiet);
  while (secondsNow() - begin < milliseconds * 1e-3 / 10);
  CountedLaunches counted;
  counters.start();
  const double start = secondsNow();
  do {
    launch.run(grid, quiet);
    ++counted.launches;
    counted.seconds = secondsNow() - start;
  } while (counted.seconds < milliseconds * 1e-3);
  counted.counts = counters.read();
  const auto launches = static_cast<double>(counted.launches);
  counted.seconds /= launches;
  for (Count &count : counted.counts)
    if (count.value)
      *count.value /= launches;
  counted.grid = grid;
  return counted;
}

std::string toText(const CountedLaunches &counted) {
  std::string text = formatText(
      "%s on %s, %u threads: %.4f ms a launch, the mean of %zu\nof one launch, in the mean:\n",
      counted.kernel.c_str(), counted.device.c_str(), counted.threads, counted.seconds * 1e3,
      counted.launches);
  std::map<std::string, std::string> missing; // titles by reason
  for (const Count &count : counted.counts)
    if (count.value)
      text += formatText("  %20s  %s\n", numberText(*count.value).c_str(), count.title.c_str());
    else
      missing[count.whyNot] += (missing[count.whyNot].empty() ? "" : ", ") + count.title;
  text += ratios(counted);
  for (const auto &[reason, titles] : missing)
    text += "not counted: " + titles + ": " + reason + '\n';
  return text;
}

std::string toJson(const CountedLaunches &counted) {
  nlohmann::ordered_json json = {
      {"kernel", counted.kernel},
      {"device", counted.device},
      {"grid", {counted.grid.x, counted.grid.y, counted.grid.z}},
      {"threads", counted.threads},
      {"launches", counted.launches},
      {"seconds", counted.seconds},
      {"array_bytes", counted.arrayBytes},
      {"flops", counted.flops},
      {"ceilings",
       {{"copy_bytes_per_second", counted.copyRate}, {"fma_flops_per_second", counted.flopRate}}}};
  json["counters"] = nlohmann::ordered_json::object();
  json["not_counted"] = nlohmann::ordered_json::object();
  for (const Count &count : counted.counts)
    if (count.value)
      json["counters"][count.key] = *count.value;
    else
      json["not_counted"][count.key] = count.whyNot;
  return json.dump(1, ' ', /*ensure_ascii=*/true, nlohmann::json::error_handler_t::replace) + '\n';
}

} // namespace nereid::command
