// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/profile.h"

#include "jit/Boundary.h"
#include "jit/ProfileLaunch.h"
#include "jit/State.h"
#include "jit/launch/GridCheck.h"
#include "jit/launch/Specialize.h"
#include "jit/launch/Tuning.h"
#include "profile/ReadClocks.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstdio>

namespace nereid {
namespace {

struct DetailRow {
  const char *name;
  backend::Clocks clocks;
};
/// What costs most first.
constexpr DetailRow details[] = {
#define DETAIL(Name, name, rest) {name, backend::Clocks::Name},
#include "support/clock_details.def"
};

void requireOptions(const ProfileOptions &options) {
  if (options.detail == "auto" ||
      llvm::any_of(details, [&](const DetailRow &row) { return options.detail == row.name; }))
    return;
  std::string names = "auto";
  for (const DetailRow &row : details)
    names += std::string(", ") + row.name;
  throw Error(Error::Kind::Usage,
              "no detail '" + options.detail + "' of profiles; there are: " + names);
}

/// A kernel's code with clocks, ready to launch.
struct Clocked {
  std::unique_ptr<runtime::Executable> executable;
  std::unique_ptr<runtime::ClockedLaunch> launch;
};

Clocked buildClocked(const jit::ProfileRequest &request, GridExtent grid, backend::Clocks clocks) {
  Clocked result;
  jit::OpenDevice &device = *detail::DeviceState::of(request.device)->device;
  result.executable = device.buildClocked(request.kernel, clocks);
  result.launch = result.executable->prepareClocked(grid, request.slots, {});
  return result;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f %%", 100 * share);
  return text;
}

struct Times {
  double plain = 0, clocked = 0; // seconds
};

/// By turns, so that a GPU that gets warm or slows down does so for both. Both find the caches as
/// the clearing of the records leaves them.
Times measureByTurns(const jit::ProfileRequest &request, GridExtent grid,
                     runtime::ClockedLaunch &clocked, unsigned turns) {
  if (!turns)
    return {};
  Stream stream = request.device.streamInOrderWithDefault(); // which may be filling the arrays
  std::vector<double> plain, withClocks;
  auto timed = [&](std::vector<double> &times, auto &&launch) {
    clocked.clear(stream.handle());
    Event before = stream.record();
    launch();
    Event after = stream.record();
    times.push_back(after.millisecondsSince(before) * 1e-3);
  };
  for (unsigned turn = 0; turn <= turns; ++turn) {
    timed(plain, [&] { request.plain->launchOn(stream.handle(), grid, request.slots, nullptr); });
    timed(withClocks, [&] { clocked.queue(stream.handle()); });
  }
  // The first of each loads code and wakes the GPU.
  plain.erase(plain.begin());
  withClocks.erase(withClocks.begin());
  return {jit::medianOf(plain), jit::medianOf(withClocks)};
}

Profile readOnce(const jit::ProfileRequest &request, runtime::ClockedLaunch &clocked) {
  Stream stream = request.device.streamInOrderWithDefault(); // which may be filling the arrays
  clocked.clear(stream.handle());
  clocked.queue(stream.handle());
  stream.synchronize();
  return profiler::readClocks(clocked.read());
}

void fillIn(Profile &profile, const jit::ProfileRequest &request, Grid grid) {
  profile.kernel = request.kernel.function->name;
  profile.file = request.kernel.source->file.name();
  profile.text = request.kernel.source->file.text();
  profile.firstLine = request.kernel.source->file.position(0).line;
  profile.device = detail::DeviceState::of(request.device)->device->targetName();
  profile.gridX = grid.x;
  profile.gridY = grid.y;
  profile.gridZ = grid.z;
}

void fillIn(Profile &profile, const Times &times, unsigned turns, const DetailRow &detail) {
  profile.turns = turns;
  profile.seconds = times.plain;
  profile.profiledSeconds = times.clocked;
  profile.detail = detail.name;
  constexpr double nearlyAll = 0.999;
  if (profile.recorded < nearlyAll)
    profile.notes.push_back("warps did more than there was room to note: shares are those of their "
                            "beginnings");
}

/// What is noted, and by how many blocks.
class ClockChoice {
public:
  ClockChoice(const jit::ProfileRequest &request, GridExtent grid, const ProfileOptions &options)
      : request(request), grid(grid), options(options) {
    for (const DetailRow &row : details) {
      if (options.detail != "auto" && options.detail != row.name)
        continue;
      Clocked built = buildClocked(request, grid, row.clocks);
      std::unique_ptr<runtime::ClockedLaunch> fewer;
      if (options.detail == "auto" && built.launch->notingBlocks() > fewBlocks)
        fewer = built.executable->prepareClocked(grid, request.slots, {.blocks = fewBlocks});
      if (takes(row, built, std::move(built.launch)) ||
          (fewer && takes(row, built, std::move(fewer))))
        return;
    }
  }

  runtime::ClockedLaunch &launch() { return *clocked.launch; }

  void describe(Profile &profile) const {
    fillIn(profile, times, options.turns, *chosen);
    if (!note.empty() && options.detail == "auto")
      profile.notes.push_back(note);
  }

private:
  /// Blocks that note nothing run code without clocks, so with so few the launch hardly takes
  /// longer where there are many.
  static constexpr uint64_t fewBlocks = 16;
  static constexpr double affordable = 0.05;

  /// True if it costs no more than it may. It is chosen if nothing before it cost less.
  bool takes(const DetailRow &row, Clocked &built, std::unique_ptr<runtime::ClockedLaunch> launch) {
    const Times measured = measureByTurns(request, grid, *launch, options.turns);
    const uint64_t blocks = launch->notingBlocks();
    if (chosen && measured.clocked / measured.plain >= times.clocked / times.plain)
      return false;                     // it costs no less, and tells less
    clocked.launch = std::move(launch); // the one before goes, then what it launches
    if (built.executable)
      clocked.executable = std::move(built.executable);
    times = measured;
    chosen = &row;
    if (measured.clocked <= measured.plain * (1 + affordable))
      return true;
    note += std::string(note.empty() ? "" : ", ") + "with detail " + row.name + " of " +
            std::to_string(blocks) + (blocks == 1 ? " block" : " blocks") + " it takes " +
            percent(times.clocked / times.plain - 1) + " longer";
    return false;
  }

  const jit::ProfileRequest &request;
  GridExtent grid;
  const ProfileOptions &options;
  Clocked clocked;
  Times times;
  std::string note;
  const DetailRow *chosen = nullptr;
};

} // namespace

double jit::medianOf(std::vector<double> times) {
  auto middle = times.begin() + static_cast<ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  if (times.size() % 2)
    return *middle;
  return (*middle + *std::max_element(times.begin(), middle)) / 2;
}

void jit::requireProfiles(const Device &device) {
  const std::shared_ptr<detail::DeviceState> &on = detail::DeviceState::of(device);
  if (on->device->samplesLines())
    return;
  if (std::string why = on->device->whyNoClocks(); !why.empty())
    throw Error(Error::Kind::Usage, "cannot profile on device '" + on->name + "': " + why);
}

Profile jit::profileLaunch(const ProfileRequest &request, Grid grid,
                           const ProfileOptions &options) {
  requireOptions(options);
  GridExtent extent = checkGrid(grid);
  if (extent.programs() == 0)
    throw Error(Error::Kind::Usage, "a grid without programs has nothing to profile");
  if (detail::DeviceState::of(request.device)->device->samplesLines()) {
    Profile profile = sampleLaunch(request, extent, options);
    fillIn(profile, request, grid);
    return profile;
  }
  ClockChoice choice(request, extent, options);
  Profile profile = readOnce(request, choice.launch());
  fillIn(profile, request, grid);
  choice.describe(profile);
  return profile;
}

Profile profile(const Device &device, const Kernel &kernel, Grid grid, const Arguments &arguments,
                const ProfileOptions &options) {
  jit::requireProfiles(device);
  const detail::KernelState &state = detail::KernelState::of(kernel);
  if (!state.declaration)
    throw Error(Error::Kind::Usage,
                "kernel '" + state.name + "' is compiled already: its source is profiled");
  requireOptions(options);
  if (jit::checkGrid(grid).programs() == 0)
    throw Error(Error::Kind::Usage, "a grid without programs has nothing to profile");
  // Says what is wrong with the arguments, and finds out which are constants.
  Launch launch = kernel.prepare(device, arguments, options.tuning);
  return jit::atBoundary([&] {
    const jit::Declaration &declaration = *state.declaration;
    jit::SpecializedArguments bound =
        jit::specialize(declaration, arguments, declaration.byValue());
    bound.specialization.tuning = jit::tuningFor(declaration.function(), options.tuning);
    return jit::profileLaunch(
        {device,
         detail::LaunchState::of(launch).kernel->executable.get(),
         {declaration.source(), &declaration.function(), std::move(bound.specialization)},
         std::move(bound.slots)},
        grid, options);
  });
}

} // namespace nereid
