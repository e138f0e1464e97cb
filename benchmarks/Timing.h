// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Side-by-side timing: machines are noisy, so two versions take turns in one run and are compared
// by the ratio of their medians.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

namespace nereid::bench {

inline double seconds(const std::function<void()> &work) {
  auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Comparison {
  double oursSeconds, theirsSeconds;
  /// How much of the reference's speed is reached: 1 is equal, above 1 is faster.
  double ratio() const { return theirsSeconds / oursSeconds; }
};

inline Comparison compare(const std::function<void()> &ours, const std::function<void()> &theirs,
                          int rounds) {
  ours();
  theirs();
  // OpenBLAS's threads keep their cores busy for some 20 ms after the work is done, which would
  // cost whoever comes next half of the machine.
  constexpr std::chrono::milliseconds pause(40);
  std::vector<double> a, b;
  for (int i = 0; i < rounds; ++i) {
    std::this_thread::sleep_for(pause);
    a.push_back(seconds(ours));
    std::this_thread::sleep_for(pause);
    b.push_back(seconds(theirs));
  }
  return {median(a), median(b)};
}

} // namespace nereid::bench
