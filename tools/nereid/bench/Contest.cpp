// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Contest.h"

#include "ConfigurationSource.h"
#include "GridScope.h"
#include "KernelReference.h"
#include "LaunchScope.h"
#include "RunArguments.h"
#include "Timing.h"

#include <algorithm>

namespace nereid::command {
namespace {

/// A kernel that takes part.
struct Contestant {
  std::string name;
  Kernel kernel;
  /// Values of its own, which come before the common ones.
  std::vector<std::pair<std::string, Expression>> values;
  bool isBaseline;

  bool has(const std::string &name) const {
    return std::ranges::find(kernel.parameters(), name, &Parameter::name) !=
           kernel.parameters().end();
  }
};

Contestant readBaseline(const std::string &text, const ModuleOptions &modules) {
  std::vector<std::string> parts = splitOutsideBrackets(text, ' ');
  if (parts.empty())
    throw Error(Error::Kind::Usage, "--baseline \"FILE::KERNEL [NAME=VALUE ...]\" names no kernel");
  // Called as it was asked for, since the kernel may have the name of another.
  Contestant baseline{parts[0].substr(parts[0].rfind('/') + 1),
                      loadKernel(parseKernelReference(parts[0]), modules),
                      {},
                      true};
  for (size_t i = 1; i < parts.size(); ++i) {
    Assignment assignment = parseAssignment(parts[i], "--baseline \"FILE::KERNEL NAME=VALUE ...\"");
    baseline.name += ' ' + parts[i];
    baseline.values.emplace_back(assignment.name, Expression(assignment.text, "--baseline"));
  }
  return baseline;
}

class Contest {
public:
  Contest(const Device &device, const ContestSettings &settings, const Sweep &sweep,
          const std::function<void(const std::string &)> &tell)
      : device(device), settings(settings), sweep(sweep), tell(tell), grid(settings.grid, "--grid"),
        timer(device, settings.timer) {
    ModuleOptions modules = settings.modules.read();
    Kernel kernel = loadKernel(parseKernelReference(settings.kernel), modules);
    tried.emplace(kernel, settings.configurations);
    contestants.push_back({kernel.name(), kernel, {}, false});
    for (const std::string &text : settings.baselines) {
      Contestant baseline = readBaseline(text, modules);
      for (const Contestant &other : contestants)
        if (other.name == baseline.name)
          throw Error(Error::Kind::Usage, "--baseline " + text + ": '" + other.name +
                                              "' takes part already; its values would tell them "
                                              "apart");
      contestants.push_back(std::move(baseline));
    }
    for (const std::string &text : settings.arguments)
      if (parseAssignment(text, "NAME=VALUE").name == sweep.name)
        throw Error(Error::Kind::Usage,
                    "'" + sweep.name + "' is both an argument and what --sweep goes through");
    bool isBytes = settings.flops.empty();
    if (!isBytes && !settings.bytes.empty())
      throw Error(Error::Kind::Usage, "--bytes and --flops: a chart has one kind of rate");
    if (const std::string &text = isBytes ? settings.bytes : settings.flops; !text.empty())
      amount.emplace(text, isBytes ? "--bytes" : "--flops");
    chart = {.title = kernel.name(),
             .target = tuningTarget(device),
             .variable = sweep.name,
             .values = sweep.values,
             .isLogarithmic = sweep.isGeometric,
             .unit = isBytes ? "GB/s" : "TFLOP/s",
             .curves = {},
             .ceilings = {}};
  }

  Chart run() {
    for (size_t place = 0; place < sweep.values.size(); ++place)
      runPoint(place);
    return std::move(chart);
  }

private:
  void runPoint(size_t place) {
    std::vector<std::string> texts = settings.arguments;
    texts.push_back(sweep.name + '=' + std::to_string(sweep.values[place]));
    RunArguments scope(device, settings.seed, texts);
    for (const Contestant &contestant : contestants) {
      Arguments arguments = argumentsOf(contestant, scope);
      double work = workOf(scope, arguments);
      std::vector<Configuration> configurations(1);
      if (!contestant.isBaseline)
        configurations = tried->evaluate(scope);
      std::vector<std::pair<std::string, Point>> found;
      for (const Configuration &configuration : configurations) {
        std::string name = configuration.text();
        tell(contestant.name + ", " + name + ", " + sweep.name + '=' +
             std::to_string(sweep.values[place]));
        found.emplace_back(name, time(contestant, configuration, arguments, scope, work));
      }
      add(contestant, place, found);
    }
  }

  /// The kernel's own, then all of the command line; a baseline takes of these what it knows.
  Arguments argumentsOf(const Contestant &contestant, const RunArguments &scope) const {
    Arguments arguments;
    for (const auto &[name, value] : contestant.values)
      arguments.push_back({name, value.evaluate(scope)});
    for (const NamedArgument &argument : scope.evaluate()) {
      bool isOptional = contestant.isBaseline || argument.name == sweep.name;
      bool isGiven =
          std::ranges::find(arguments, argument.name, &NamedArgument::name) != arguments.end();
      if (!isGiven && (!isOptional || contestant.has(argument.name)))
        arguments.push_back(argument);
    }
    return arguments;
  }

  double workOf(const Scope &scope, const Arguments &arguments) const {
    if (!amount)
      return static_cast<double>(bytesOfArrays(arguments));
    std::vector<int64_t> values = amount->evaluateIntegers(scope);
    if (values.size() != 1)
      throw Error(Error::Kind::Usage, "'" + amount->text() + "' is not one integer");
    return static_cast<double>(values[0]);
  }

  Point time(const Contestant &contestant, const Configuration &configuration,
             const Arguments &arguments, const Scope &scope, double work) const {
    Point point;
    try {
      const Kernel &kernel = contestant.kernel;
      Arguments given = configuration.appliedTo(arguments);
      Launch launch = kernel.prepare(device, given, configuration.tuning);
      LaunchScope own(given, scope);
      Measurement measured =
          timer.measure(launch, grid.evaluateGrid(GridScope(own, kernel, launch.constants())));
      point.timing = summarize(measured);
      point.isNoisy = measured.isNoisy();
      double perSecond = point.timing.median > 0 ? work / point.timing.median * 1e3 : 0;
      point.rate = perSecond / (chart.unit == "GB/s" ? 1e9 : 1e12);
    } catch (const Error &error) {
      point.failure = error.what();
    }
    return point;
  }

  void add(const Contestant &contestant, size_t place,
           const std::vector<std::pair<std::string, Point>> &found) {
    auto slower = [](const auto &a, const auto &b) {
      return std::pair(a.second.failure.empty(), a.second.rate) <
             std::pair(b.second.failure.empty(), b.second.rate);
    };
    if (contestant.isBaseline || tried->isEmpty())
      curve(contestant.name).points[place] = found[0].second;
    else if (settings.isBestOnly)
      curve(contestant.name + ", best").points[place] =
          std::max_element(found.begin(), found.end(), slower)->second;
    else
      for (const auto &[name, point] : found)
        curve(name).points[place] = point;
  }

  Curve &curve(const std::string &name) {
    auto known = std::ranges::find(chart.curves, name, &Curve::name);
    if (known != chart.curves.end())
      return *known;
    Point none;
    none.failure = "no such configuration at this value";
    chart.curves.push_back({name, std::vector<Point>(sweep.values.size(), none)});
    return chart.curves.back();
  }

  const Device &device;
  const ContestSettings &settings;
  const Sweep &sweep;
  const std::function<void(const std::string &)> &tell;
  Expression grid;
  std::optional<ConfigurationSource> tried;
  Timer timer;
  std::optional<Expression> amount;
  std::vector<Contestant> contestants;
  Chart chart;
};

} // namespace

Chart runContest(const Device &device, const ContestSettings &settings, const Sweep &sweep,
                 const std::function<void(const std::string &)> &tell) {
  return Contest(device, settings, sweep, tell).run();
}

} // namespace nereid::command
