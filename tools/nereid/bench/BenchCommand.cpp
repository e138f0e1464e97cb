// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "Contest.h"
#include "FormatText.h"
#include "MachineCeiling.h"
#include "Terminal.h"
#include "Value.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

namespace nereid::command {
namespace {

struct BenchSettings : ContestSettings {
  std::string sweep;
  std::vector<std::string> outputs, ceilings;
  bool hasNoCeiling = false;
};

/// NAME=RATE
Ceiling readCeiling(const std::string &text) {
  size_t equals = text.rfind('=');
  if (equals == 0 || equals == std::string::npos)
    throw Error(Error::Kind::Usage, "'" + text + "' is not of the form --ceiling NAME=RATE");
  const Argument value = Expression(text.substr(equals + 1), "--ceiling").evaluate();
  const auto *whole = std::get_if<int64_t>(&value.get());
  const auto *real = std::get_if<double>(&value.get());
  double rate = whole ? static_cast<double>(*whole) : real ? *real : 0;
  if (!(rate > 0))
    throw Error(Error::Kind::Usage, "--ceiling " + text + ": the rate is a number above 0");
  return {text.substr(0, equals), rate};
}

/// One that nothing ran in tells nothing.
void requireResult(const Chart &chart) {
  for (const Curve &curve : chart.curves)
    for (const Point &point : curve.points)
      if (point.failure.empty())
        return;
  throw Error(Error::Kind::Usage, chart.curves.front().points.front().failure);
}

void bench(const BenchSettings &settings) {
  Sweep sweep = parseSweep(settings.sweep);
  std::vector<Ceiling> ceilings;
  for (const std::string &text : settings.ceilings)
    ceilings.push_back(readCeiling(text));
  for (const std::string &path : settings.outputs)
    requireChartPath(path);
  Device device = Device::open(settings.device, {.threads = settings.threads, .cpu = settings.cpu});
  Chart chart = [&] {
    Progress progress("timing");
    Chart chart = runContest(device, settings, sweep,
                             [&](const std::string &now) { progress.say("timing " + now); });
    requireResult(chart);
    progress.say("measuring what the machine reaches at most");
    if (!settings.hasNoCeiling && device.name() != "check")
      ceilings.insert(ceilings.begin(),
                      settings.flops.empty() ? measureCopy(device) : measureFma(device));
    return chart;
  }();
  chart.ceilings = std::move(ceilings);
  sayText(stdout, toTable(chart));
  for (const std::string &path : settings.outputs) {
    writeChart(chart, path);
    say(stdout, "%s written\n", path.c_str());
  }
}

constexpr const char *benchHelp = R"help(
--sweep is one of NAME=2**10..2**24 (doubling), NAME=1..10**6:*10, NAME=128..4096:+128 and
NAME=100,200,300. NAME may be a parameter or only stand in other arguments and in the grid.

Rates are GB/s, from --bytes or else the sizes of all arrays, each once; with --flops they are TFLOP/s.
The dashed line is what this machine reaches: a copy of arrays that no cache holds, or multiply-adds in
registers.

Examples
    nereid bench add.py --grid "cdiv(n,BLOCK)" x=rand:f32[n] y=rand:f32[n] out=empty:f32[n] \
        --sweep "n=2**10..2**24" --configs "BLOCK=256,1024,4096" -o add.png -o add.csv
    nereid bench mine.py::softmax --baseline "theirs.py::softmax BLOCK=1024" --sweep ...
    nereid bench matmul.py ... --sweep "n=256..2048:+256" --flops "2*n**3" --best --configs ...)help";

} // namespace

void defineBenchCommand(CLI::App &command) {
  auto settings = std::make_shared<BenchSettings>();
  settings->addTo(command);
  auto addList = [&](const char *name, std::vector<std::string> &values, const char *meaning) {
    command.add_option(name, values, meaning)->type_size(1)->allow_extra_args(false);
  };
  command.add_option("--sweep", settings->sweep, "NAME=FIRST..LAST: the sizes")->required();
  addList("--configs", settings->configurations,
          "\"NAME=VALUE,VALUE num_warps=N\": a curve for each combination (default: what "
          "@triton.autotune says); may be repeated");
  command.add_flag("--best", settings->isBestOnly, "One curve, of the fastest configuration");
  addList("--baseline", settings->baselines,
          "\"FILE::KERNEL NAME=VALUE\": another kernel for the same arguments; may be repeated");
  command.add_option("--bytes", settings->bytes, "EXPRESSION: bytes that a launch moves");
  command.add_option("--flops", settings->flops, "EXPRESSION: operations that a launch computes");
  addList("--ceiling", settings->ceilings, "NAME=RATE: one more line that nothing can pass");
  command.add_flag("--no-ceiling", settings->hasNoCeiling, "Do not measure the machine");
  command
      .add_option("--warmup", settings->timer.warmupMilliseconds,
                  "Milliseconds before each measurement")
      ->capture_default_str();
  command
      .add_option("--repeat", settings->timer.repeatMilliseconds,
                  "Milliseconds that a measurement takes")
      ->capture_default_str();
  addList("-o,--output", settings->outputs, "FILE.csv, .json, .svg or .png; may be repeated");
  command.footer(describeValues() + (benchHelp + 1));
  command.callback([settings] { bench(*settings); });
}

} // namespace nereid::command
