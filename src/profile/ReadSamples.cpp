// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/ReadSamples.h"

#include "support/Clocks.h"
#include "support/SortStably.h"

#include <algorithm>

namespace nereid::profiler {
namespace {

class SampleReader {
public:
  SampleReader(const runtime::LineSamples &samples, unsigned threads, uint64_t launches,
               double seconds)
      : samples(samples), launches(double(launches)),
        inKernel(double(samples.all()) * samples.interval),
        ofThreads(std::max(threads * seconds, inKernel)) {
    profile.threads = threads;
    profile.samples = samples.all();
    profile.sampledLaunches = launches;
    profile.detail = "samples";
    profile.recorded = 1;
  }

  Profile read() {
    for (size_t number = 0; number < samples.counts.size(); ++number) {
      const runtime::CodePlace place = number ? samples.places[number - 1] : runtime::CodePlace();
      const runtime::LineSamples::Count &count = samples.counts[number];
      add(place, ClockName::run, count.own);
      add(place, ClockName::call, count.called + (number ? 0 : samples.unknown));
    }
    const double idle = ofThreads - inKernel;
    profile.waits = ofThreads > 0 ? idle / ofThreads : 0;
    addLine({}, ClockName::idle, 0, idle);
    sortStably(profile.lines, [](const auto &a, const auto &b) { return a.share > b.share; });
    constexpr uint64_t few = 100;
    if (profile.samples < few)
      profile.notes.push_back("threads were seen in the kernel " + std::to_string(profile.samples) +
                              " times: too few to tell lines apart; more launches (--turns) or a "
                              "larger grid tell more");
    return std::move(profile);
  }

private:
  void add(const runtime::CodePlace &place, ClockName name, uint64_t count) {
    if (count)
      addLine(place, name, count, double(count) * samples.interval);
  }

  /// Places of one line, at several columns, are one.
  void addLine(const runtime::CodePlace &place, ClockName name, uint64_t count, double seconds) {
    auto found = std::find_if(profile.lines.begin(), profile.lines.end(), [&](const auto &line) {
      return line.what == toString(name) && line.place.file == place.file &&
             line.place.line == place.line && line.lastLine == place.lastLine;
    });
    if (found == profile.lines.end()) {
      Profile::Line line;
      line.place = {place.file, place.line, place.column};
      line.lastLine = place.lastLine;
      line.what = toString(name);
      line.meaning = meaningOf(name);
      line.isWait = kindOf(name) == ClockKind::Wait;
      found = profile.lines.insert(profile.lines.end(), std::move(line));
    }
    found->count += count;
    found->seconds += seconds / launches;
    found->share += ofThreads > 0 ? seconds / ofThreads : 0;
  }

  const runtime::LineSamples &samples;
  double launches, inKernel, ofThreads;
  Profile profile;
};

} // namespace

Profile readSamples(const runtime::LineSamples &samples, unsigned threads, uint64_t launches,
                    double seconds) {
  return SampleReader(samples, threads, launches, seconds).read();
}

} // namespace nereid::profiler
