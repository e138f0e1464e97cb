// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Boundary.h"
#include "jit/State.h"

#include <limits>
#include <new>

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

static void run(const detail::LaunchState &launch, Grid grid, const PrintSink *print) {
  GridExtent extent = checkGrid(grid);
  jit::atBoundary([&] {
    try {
      launch.kernel->executable->launch(extent, launch.slots, print);
    } catch (const std::bad_alloc &) {
      throw Error(Error::Kind::Environment, "not enough memory for the tiles of the kernel");
    }
  });
}

void Launch::run(Grid grid) const { nereid::run(*state, grid, nullptr); }

void Launch::run(Grid grid, const LaunchOptions &options) const {
  nereid::run(*state, grid, options.print ? &options.print : nullptr);
}

void Launch::runOver(const GridFunction &grid, const LaunchOptions &options) const {
  if (!grid)
    throw Error(Error::Kind::Usage, "the function that computes the grid is empty");
  run(grid(state->constants), options);
}

double Launch::compileMilliseconds() const { return state->compileMilliseconds; }

const Constants &Launch::constants() const { return state->constants; }

std::string_view version() { return NEREID_VERSION; }

} // namespace nereid
