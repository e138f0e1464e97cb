// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The timer and the tuner for Python's callables.
#include "Tuning.h"

#include "Lock.h"

#include "nereid/tune.h"

#include <nanobind/stl/function.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nereid::python {
namespace {

/// What a Python function measured: [median, low, high] in milliseconds, or fewer if they are the
/// same; a text says why there is nothing to measure.
Timing toTiming(const nb::object &result) {
  if (nb::isinstance<nb::str>(result))
    throw Error(Error::Kind::Usage, nb::cast<std::string>(result));
  auto times = nb::isinstance<nb::sequence>(result) ? nb::cast<std::vector<double>>(result)
                                                    : std::vector{nb::cast<double>(result)};
  if (times.empty())
    throw nb::value_error("a benchmark gives one time at least");
  times.resize(3, times[0]);
  return {times[0], times[1], times[2], 1};
}

/// Rows (median, low, high, failure, whether a record told) in the order of `names`.
nb::list tryConfigurations(const std::string &kernel, const std::string &digest,
                           const std::string &target, const std::string &key,
                           const std::vector<std::string> &names,
                           const std::vector<nb::object> &measure, double waitSeconds) {
  if (names.size() != measure.size())
    throw nb::value_error("each configuration has a name and a function");
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < names.size(); ++i)
    candidates.push_back({names[i], {}, [&function = measure[i]] {
                            Locked lock;
                            return toTiming(function());
                          }});
  TrialOptions options;
  options.prints = false; // Python's tuner does, where its knobs say so
  options.waitSeconds = waitSeconds;
  options.progress = [](const TuningProgress &) {
    Locked lock;
    if (PyErr_CheckSignals()) // Ctrl-C, while another process tunes
      throw nb::python_error();
  };
  std::vector<Trial> trials;
  {
    Unlocked unlocked;
    trials = tryCandidates({kernel, digest, target, key}, candidates, options);
  }
  nb::list rows;
  for (const auto &[configuration, record, isFromRecord] : trials)
    rows.append(nb::make_tuple(record.timing.median, record.timing.low, record.timing.high,
                               record.failure, isFromRecord));
  return rows;
}

} // namespace

void addTuning(nb::module_ &module) {
  module.def(
      "measure",
      [](const std::function<void()> &call, const std::function<void()> &prepare, double warmup,
         double repeat) {
        return measureCalls(call, {.warmupMilliseconds = warmup, .repeatMilliseconds = repeat},
                            prepare)
            .times();
      },
      nb::arg("call"), nb::arg("prepare"), nb::arg("warmup"), nb::arg("repeat"));
  module.def("quantiles", [](const std::vector<double> &times, const std::vector<double> &shares) {
    Measurement measured(times);
    std::vector<double> values;
    for (double share : shares)
      values.push_back(measured.quantile(share));
    return values;
  });
  module.def("tuning_target", tuningTarget, nb::arg("device"));
  module.def("try_configurations", tryConfigurations, nb::arg("kernel"), nb::arg("digest"),
             nb::arg("target"), nb::arg("key"), nb::arg("names"), nb::arg("measure"),
             nb::arg("wait_seconds"));
}

} // namespace nereid::python
