// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/tune.h"
#include "tune/Subject.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace nereid {
namespace {

std::vector<Configuration> worthTrying(std::vector<Configuration> configurations,
                                       const TuningOptions &options) {
  if (options.prune)
    configurations = options.prune(std::move(configurations));
  if (configurations.empty())
    throw Error(Error::Kind::Usage, "there is no configuration to try");
  if (!options.estimate || !options.most || options.most >= configurations.size())
    return configurations;
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < configurations.size(); ++i)
    order.emplace_back(options.estimate(configurations[i]), i);
  std::sort(order.begin(), order.end());
  std::vector<Configuration> best;
  for (size_t i = 0; i < options.most; ++i)
    best.push_back(configurations[order[i].second]);
  return best;
}

/// What arrays held before a trial.
class ArrayContents {
public:
  ArrayContents(const std::vector<std::string> &names, const Arguments &arguments) {
    for (const std::string &name : names) {
      auto argument = std::ranges::find(arguments, name, &NamedArgument::name);
      const Array *array = argument == arguments.end() ? nullptr : argument->value.array();
      if (!array)
        throw Error(Error::Kind::Usage, "cannot restore '" + name + "': no array of that name");
      saved.emplace_back(*array, std::vector<std::byte>(array->bytes()));
      array->copyTo(saved.back().second.data());
    }
  }
  void restore() const {
    for (const auto &[array, bytes] : saved)
      array.copyFrom(bytes.data());
  }

private:
  std::vector<std::pair<Array, std::vector<std::byte>>> saved;
};

} // namespace

TuningResult::TuningResult(std::vector<Trial> trials) {
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < trials.size(); ++i) {
    const TuningRecord &record = trials[i].record;
    double time = record.failure.empty() ? record.timing.median : INFINITY;
    order.emplace_back(time, i);
  }
  std::sort(order.begin(), order.end());
  for (const auto &[time, place] : order)
    sorted.push_back(std::move(trials[place]));
  if (!sorted.empty() && sorted.front().record.failure.empty())
    return;
  std::string reasons;
  std::set<std::string> known; // often they all fail for one reason
  for (const auto &[configuration, record, isFromRecord] : sorted)
    if (known.insert(record.failure).second)
      reasons += "\nnote: " + record.configuration + ": " + record.failure;
  throw Error(Error::Kind::Usage, "none of the configurations runs" + reasons);
}

TuningResult tune(const Device &device, const Kernel &kernel, const GridFunction &grid,
                  const Arguments &arguments, const std::vector<Configuration> &configurations,
                  const TuningOptions &options) {
  if (!grid)
    throw Error(Error::Kind::Usage, "the function that computes the grid is empty");
  std::vector<Configuration> tried = worthTrying(configurations, options);
  std::optional<Timer> timer; // on a GPU it takes memory, and nothing may be left to time
  ArrayContents contents(options.restored, arguments);
  std::vector<std::optional<Launch>> launches(tried.size());
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < tried.size(); ++i) {
    Candidate candidate;
    candidate.name = tried[i].text();
    candidate.compile = [&, i, all = tried[i].appliedTo(arguments)] {
      launches[i] = kernel.prepare(device, all, tried[i].tuning);
    };
    candidate.time = [&, i] {
      if (!timer)
        timer.emplace(device, options.timer);
      Measurement measured = timer->measure(*launches[i], grid(launches[i]->constants()));
      contents.restore();
      return summarize(measured);
    };
    candidates.push_back(std::move(candidate));
  }
  TuningSubject subject = tuning::subjectOf(device, kernel, arguments, options.key);
  std::vector<Trial> trials = tryCandidates(subject, candidates, options.trials);
  for (size_t i = 0; i < trials.size(); ++i)
    trials[i].configuration = tried[i];
  return TuningResult(std::move(trials));
}

} // namespace nereid
