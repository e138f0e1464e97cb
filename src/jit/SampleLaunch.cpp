// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/ProfileLaunch.h"
#include "profile/ReadSamples.h"

#include <algorithm>
#include <chrono>

namespace nereid {
namespace {

/// Below, waking threads is a good part of a launch.
constexpr double shortLaunch = 1e-4;

double secondsOfLaunch(auto &&launch) {
  auto begin = std::chrono::steady_clock::now();
  launch();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

Profile jit::sampleLaunch(const ProfileRequest &request, GridExtent grid,
                          const ProfileOptions &options) {
  if (options.detail != "auto")
    throw Error(Error::Kind::Usage, "detail '" + options.detail +
                                        "' is one of GPUs, whose kernels note what they do; on a "
                                        "CPU a timer looks where threads stand");
  OpenDevice &device = *detail::DeviceState::of(request.device)->device;
  std::unique_ptr<runtime::Executable> code = device.buildSampled(request.kernel);
  std::unique_ptr<runtime::SampledLaunch> sampled = code->prepareSampled(grid, request.slots);
  const runtime::PrintSink silent = [](std::string_view) {};
  std::vector<double> plain, looked;
  double sum = 0;
  if (options.turns) {
    // The first of each wakes threads and fills caches. By turns, so that a machine that slows down
    // does so for both; no timer runs in plain launches: what looking costs is the difference.
    request.plain->launch(grid, request.slots, &silent);
    constexpr double enough = 0.5;
    auto launchPlain = [&] { request.plain->launch(grid, request.slots, &silent); };
    while (plain.size() < options.turns || sum < enough) {
      plain.push_back(secondsOfLaunch(launchPlain));
      looked.push_back(secondsOfLaunch([&] { sampled->launch(); }));
      sum += looked.back();
    }
  } else {
    sum = secondsOfLaunch([&] { sampled->launch(); });
  }
  const uint64_t launches = std::max<uint64_t>(looked.size(), 1);
  Profile profile = profiler::readSamples(sampled->read(), device.threads(), launches, sum);
  profile.launchedBlocks = grid.programs();
  profile.turns = static_cast<unsigned>(looked.size());
  if (!looked.empty()) {
    profile.seconds = medianOf(std::move(plain));
    profile.profiledSeconds = medianOf(std::move(looked));
    if (profile.seconds < shortLaunch)
      profile.notes.push_back("a launch takes less than a tenth of a millisecond, of which threads "
                              "need some microseconds to wake and to find that all is done (idle): "
                              "a larger grid says more of the kernel");
  }
  return profile;
}

} // namespace nereid
