// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/predict/ScheduleBlocks.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>

namespace nereid::analyzer {
namespace {

/// That are dealt out one by one: a tenth of a second.
constexpr uint64_t mostPrograms = uint64_t(1) << 19;

double meanOf(const ProgramKinds &kinds, llvm::ArrayRef<double> works) {
  double sum = 0, count = 0;
  for (auto [stratum, programs] : llvm::zip(kinds.sample.strata(), kinds.ofStrata)) {
    double ofStratum = 0;
    for (unsigned kind : programs)
      ofStratum += works[kind];
    sum += ofStratum / double(programs.size()) * double(stratum.size);
    count += double(stratum.size);
  }
  return sum / count;
}

/// The longest of those that are run.
uint64_t longestOf(const ProgramKinds &kinds, llvm::ArrayRef<double> works) {
  uint64_t longest = 0;
  double most = -1;
  for (auto [stratum, ofStratum] : llvm::zip(kinds.sample.strata(), kinds.ofStrata))
    for (auto [program, kind] : llvm::zip(stratum.programs, ofStratum))
      if (works[kind] > most) {
        most = works[kind];
        longest = program;
      }
  return longest;
}

/// Where blocks run, one after the other at each place of an SM.
class Card {
public:
  Card(const Places &places, double before)
      : multiprocessors(places.multiprocessors), loads(multiprocessors, 0),
        ends(multiprocessors, before) {
    // Each SM has a block before one has a second.
    for (unsigned place = 0; place < multiprocessors * places.blocksOfSm; ++place)
      free.push({before, place});
    llvm::fill(loads, before * places.blocksOfSm);
  }

  void run(double work) {
    auto [begin, place] = free.top();
    free.pop();
    free.push({begin + work, place});
    loads[place % multiprocessors] += work;
    double &end = ends[place % multiprocessors];
    end = std::max(end, begin + work);
  }

  double end() const { return *llvm::max_element(ends); }
  double shareOfTime() const { return shareOf(ends); }
  double shareOfLoad() const { return shareOf(loads); }

private:
  static double shareOf(const std::vector<double> &list) {
    const double most = *llvm::max_element(list);
    const double sum = std::accumulate(list.begin(), list.end(), 0.0);
    return most > 0 ? sum / (most * double(list.size())) : 1;
  }

  using Place = std::pair<double, unsigned>;
  unsigned multiprocessors;
  std::vector<double> loads, ends;
  std::priority_queue<Place, std::vector<Place>, std::greater<>> free;
};

} // namespace

BlockSchedule scheduleBlocks(const ProgramKinds &kinds, llvm::ArrayRef<double> works,
                             const Places &places, ProgramOrder programAt) {
  const double mean = meanOf(kinds, works);
  BlockSchedule schedule;
  if (mean <= 0)
    return schedule;
  schedule.longestProgram = longestOf(kinds, works);
  schedule.longest = works[kinds.kindOf(schedule.longestProgram)] / mean;
  auto workOf = [&](uint64_t number) { return works[kinds.kindOf(programAt(number))] / mean; };

  const double atOnce = double(places.multiprocessors) * places.blocksOfSm;
  const double ofBlock = double(places.programs) / double(places.blocks);
  const uint64_t first = places.programs - std::min(places.programs, mostPrograms);
  Card card(places, double(first) / atOnce);
  if (places.blocks < places.programs) {
    std::vector<double> blocks(places.blocks);
    for (uint64_t number = first; number < places.programs; ++number)
      blocks[number % places.blocks] += workOf(number);
    llvm::for_each(blocks, [&](double work) { card.run(work); });
  } else {
    for (uint64_t number = first; number < places.programs; ++number)
      card.run(workOf(number));
  }
  const double ofEqual = std::ceil(double(places.blocks) / atOnce) * std::ceil(ofBlock);
  schedule.moreRounds = std::max(0.0, std::max(card.end(), schedule.longest) - ofEqual);
  schedule.timeAtWork = card.shareOfTime();
  schedule.shareAtWork = card.shareOfLoad();
  return schedule;
}

} // namespace nereid::analyzer
