// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Boundary.h"
#include "jit/State.h"

#include <limits>

namespace nereid {
namespace {

constexpr int64_t mostX = std::numeric_limits<int32_t>::max(), mostYZ = 65535;
constexpr int64_t mostPrograms = int64_t(1) << 40;

[[noreturn]] void failGrid(Grid grid, const std::string &accepted) {
  throw Error(Error::Kind::Usage, "cannot launch a grid of (" + std::to_string(grid.x) + ", " +
                                      std::to_string(grid.y) + ", " + std::to_string(grid.z) +
                                      "): " + accepted);
}

GridExtent checkGrid(Grid grid) {
  if (grid.x < 1 || grid.y < 1 || grid.z < 1 || grid.x > mostX || grid.y > mostYZ ||
      grid.z > mostYZ)
    failGrid(grid, "x must be 1 to " + std::to_string(mostX) + ", y and z 1 to " +
                       std::to_string(mostYZ));
  GridExtent extent{static_cast<uint32_t>(grid.x), static_cast<uint32_t>(grid.y),
                    static_cast<uint32_t>(grid.z)};
  if (extent.programs() > static_cast<uint64_t>(mostPrograms))
    failGrid(grid, "up to " + std::to_string(mostPrograms) + " programs are accepted");
  return extent;
}

} // namespace

int64_t Constants::operator[](std::string_view name) const {
  std::string list;
  for (const auto &[key, value] : values) {
    if (key == name)
      return value;
    list += (list.empty() ? "" : ", ") + key;
  }
  throw Error(Error::Kind::Usage, "no constexpr integer '" + std::string(name) + "'; " +
                                      (list.empty() ? "there are none" : "there are: " + list));
}

static void runNow(const detail::LaunchState &launch, GridExtent grid, const PrintSink *print) {
  jit::launchAtBoundary([&] { launch.kernel->executable->launch(grid, launch.slots, print); });
}

static void queue(const std::shared_ptr<detail::LaunchState> &launch, GridExtent grid,
                  const PrintSink &print, const detail::StreamState &stream) {
  const jit::CompiledKernel &kernel = *launch->kernel;
  if (stream.device != kernel.device)
    throw Error(Error::Kind::Usage, "kernel '" + kernel.name + "' was prepared for device '" +
                                        kernel.device->name +
                                        "' and cannot run on a stream of another" +
                                        (stream.device->name == kernel.device->name
                                             ? ", with other options"
                                             : " ('" + stream.device->name + "')"));
  stream.stream->launch({launch, kernel.executable.get(), launch->slots, kernel.name, grid, print});
}

void Launch::run(Grid grid) const { runNow(*state, checkGrid(grid), nullptr); }

void Launch::run(Grid grid, const LaunchOptions &options) const {
  GridExtent extent = checkGrid(grid);
  if (options.stream)
    queue(state, extent, options.print, detail::StreamState::of(*options.stream));
  else
    runNow(*state, extent, options.print ? &options.print : nullptr);
}

void Launch::runOver(const GridFunction &grid, const LaunchOptions &options) const {
  if (!grid)
    throw Error(Error::Kind::Usage, "the function that computes the grid is empty");
  run(grid(constants()), options);
}

double Launch::compileMilliseconds() const {
  return state->isNew ? state->kernel->compileMilliseconds : 0;
}

const Constants &Launch::constants() const { return state->kernel->constants; }

std::string_view version() { return NEREID_VERSION; }

} // namespace nereid
