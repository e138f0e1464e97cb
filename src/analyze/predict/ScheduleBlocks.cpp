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

/// That are dealt out one by one: a few milliseconds.
constexpr uint64_t mostBlocks = uint64_t(1) << 15;
/// The same of programs that blocks of their own number have one after the other.
constexpr uint64_t mostPrograms = uint64_t(1) << 19;

/// The longest of those that are run.
uint64_t longestOf(const ProgramKinds &kinds, llvm::ArrayRef<double> works) {
  uint64_t longest = 0;
  double most = -1;
  for (auto [program, kind] : llvm::enumerate(kinds.ofPrograms))
    if (works[kind] > most) {
      most = works[kind];
      longest = program;
    }
  if (most >= 0)
    return longest;
  for (auto [stratum, ofStratum] : llvm::zip(kinds.sample.strata(), kinds.ofStrata))
    for (auto [program, kind] : llvm::zip(stratum.programs, ofStratum))
      if (works[kind] > most) {
        most = works[kind];
        longest = program;
      }
  return longest;
}

/// Where blocks run. All blocks of an SM do equally much in a time, so each ends when its SM has
/// done for each of its blocks what it had done when the block began, and the block's work.
class Card {
public:
  Card(const BlockWorks &works, const Shares &shares, unsigned multiprocessors, unsigned blocksOfSm)
      : works(works.ofBlocks), shares(shares), sms(multiprocessors), seconds(blocksOfSm + 1),
        ends(multiprocessors) {
    const double places = double(multiprocessors) * blocksOfSm;
    begin = works.before / places * shares.secondsOf(blocksOfSm, places);
    // Each SM has a block before one has a second.
    for (unsigned place = 0; place < places && next < this->works.size(); ++place)
      sms[place % multiprocessors].ends.push(this->works[next++]);
    atOnce = next;
    for (Sm &sm : sms)
      sm.at = sm.lastEnd = begin;
    changePace(begin);
  }

  void run() {
    while (atOnce > 0) {
      const double now = *llvm::min_element(ends);
      const size_t before = atOnce;
      std::vector<Sm *> freed = end(now);
      // SMs that have places at the same time take turns.
      for (bool areFree = true; areFree && next < works.size();) {
        areFree = false;
        for (Sm *sm : freed)
          if (sm->free > 0 && next < works.size()) {
            sm->ends.push(sm->done + works[next++]);
            --sm->free;
            ++atOnce;
            areFree = true;
          }
      }
      if (atOnce != before)
        changePace(now);
      else
        for (Sm *sm : freed)
          ends[size_t(sm - sms.data())] = endOf(*sm);
    }
  }

  BlockSchedule schedule() const {
    double last = begin, sum = 0;
    for (const Sm &sm : sms) {
      last = std::max(last, sm.lastEnd);
      sum += sm.lastEnd;
    }
    return {last, last > 0 ? sum / (last * double(sms.size())) : 1};
  }

private:
  struct Sm {
    double at = 0, done = 0; // when, and how much each block that was there from the start has done
    double pace = 0;         // seconds for one of that
    double lastEnd = 0;
    unsigned free = 0; // places, while others have not had their turn
    std::priority_queue<double, std::vector<double>, std::greater<>> ends;
  };

  /// Takes away what ends now, and says on which SMs.
  std::vector<Sm *> end(double now) {
    constexpr double rounding = 1e-9;
    std::vector<Sm *> freed;
    for (auto [sm, end] : llvm::zip(sms, ends)) {
      if (end > now * (1 + rounding))
        continue;
      goOn(sm, now);
      const double done = std::max(sm.done, sm.ends.top()) * (1 + rounding);
      for (; !sm.ends.empty() && sm.ends.top() <= done; sm.ends.pop(), --atOnce)
        ++sm.free;
      sm.lastEnd = now;
      freed.push_back(&sm);
    }
    return freed;
  }

  void goOn(Sm &sm, double now) const {
    if (sm.pace > 0)
      sm.done += (now - sm.at) / sm.pace;
    sm.at = now;
  }

  double endOf(const Sm &sm) const {
    if (sm.ends.empty())
      return std::numeric_limits<double>::infinity();
    return sm.at + std::max(0.0, sm.ends.top() - sm.done) * sm.pace;
  }

  /// Fewer blocks than before share what there is.
  void changePace(double now) {
    for (auto [blocks, ofBlock] : llvm::enumerate(seconds))
      ofBlock = shares.secondsOf(double(blocks), double(atOnce));
    for (auto [sm, end] : llvm::zip(sms, ends)) {
      goOn(sm, now);
      sm.pace = seconds[sm.ends.size()];
      end = endOf(sm);
    }
  }

  llvm::ArrayRef<double> works;
  const Shares &shares;
  std::vector<Sm> sms;
  std::vector<double> seconds; // for a program of the mean, by how many blocks an SM has
  std::vector<double> ends;    // of each SM, when its next block ends
  size_t next = 0, atOnce = 0;
  double begin = 0;
};

} // namespace

double meanOf(const ProgramKinds &kinds, llvm::ArrayRef<double> works) {
  double sum = 0, count = 0;
  for (unsigned kind : kinds.ofPrograms)
    sum += works[kind];
  if (!kinds.ofPrograms.empty())
    return sum / double(kinds.ofPrograms.size());
  for (auto [stratum, programs] : llvm::zip(kinds.sample.strata(), kinds.ofStrata)) {
    double ofStratum = 0;
    for (unsigned kind : programs)
      ofStratum += works[kind];
    sum += ofStratum / double(programs.size()) * double(stratum.size);
    count += double(stratum.size);
  }
  return sum / count;
}

BlockWorks worksOfBlocks(const ProgramKinds &kinds, llvm::ArrayRef<double> works,
                         const Places &places, ProgramOrder programAt) {
  BlockWorks all;
  const double mean = meanOf(kinds, works);
  if (mean <= 0)
    return all;
  all.longestProgram = longestOf(kinds, works);
  all.longest = works[kinds.kindOf(all.longestProgram)] / mean;
  auto workOf = [&](uint64_t number) { return works[kinds.kindOf(programAt(number))] / mean; };
  if (places.blocks < places.programs) {
    const uint64_t begin = places.programs - std::min(places.programs, mostPrograms);
    all.ofBlocks.assign(places.blocks, double(begin) / double(places.blocks));
    for (uint64_t number = begin; number < places.programs; ++number)
      all.ofBlocks[number % places.blocks] += workOf(number);
    return all;
  }
  const uint64_t first = places.programs - std::min(places.programs, mostBlocks);
  all.before = double(first);
  for (uint64_t number = first; number < places.programs; ++number)
    all.ofBlocks.push_back(workOf(number));
  return all;
}

double Shares::secondsOf(double blocksOfSm, double blocks) const {
  const double taken = std::max(blocks * ofCard, blocksOfSm * ofPort);
  return std::pow(std::pow(alone, overlap) + std::pow(blocksOfSm * ofSm, overlap) +
                      std::pow(taken, overlap),
                  1 / overlap);
}

BlockSchedule scheduleBlocks(const BlockWorks &works, const Shares &shares,
                             unsigned multiprocessors, unsigned blocksOfSm) {
  Card card(works, shares, multiprocessors, blocksOfSm);
  card.run();
  return card.schedule();
}

} // namespace nereid::analyzer
