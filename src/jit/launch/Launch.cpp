// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Boundary.h"
#include "jit/State.h"
#include "jit/launch/GridCheck.h"

namespace nereid {
using jit::checkGrid;

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

void detail::LaunchState::requireDevice(const std::shared_ptr<DeviceState> &device,
                                        std::string_view cannot) const {
  if (device == kernel->device)
    return;
  bool isNamesake = device->name == kernel->device->name;
  throw Error(Error::Kind::Usage,
              "kernel '" + kernel->name + "' was prepared for device '" + kernel->device->name +
                  "' and cannot " + std::string(cannot) + " another" +
                  (isNamesake ? ", with other options" : " ('" + device->name + "')"));
}

static void runNow(const detail::LaunchState &launch, GridExtent grid, const PrintSink *print) {
  if (!grid.programs())
    return;
  jit::launchAtBoundary([&] { launch.kernel->executable->launch(grid, launch.slots, print); });
}

static void queue(const std::shared_ptr<detail::LaunchState> &launch, GridExtent grid,
                  const PrintSink &print, const detail::StreamState &stream) {
  const jit::CompiledKernel &kernel = *launch->kernel;
  launch->requireDevice(stream.device, "run on a stream of");
  if (!grid.programs())
    return;
  jit::launchAtBoundary([&] {
    stream.stream->launch(
        {launch, kernel.executable.get(), launch->slots, kernel.name, grid, print});
  });
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

std::optional<KernelResources> Launch::resources() const {
  return state->kernel->executable->resources();
}

const Constants &Launch::constants() const { return state->kernel->constants; }

const std::vector<std::string> &Launch::parametersByValue() const { return state->byValue; }

std::string_view version() { return NEREID_VERSION; }

} // namespace nereid
