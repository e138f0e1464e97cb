// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/launch/GridCheck.h"

#include <limits>
#include <string>

namespace nereid::jit {
namespace {

constexpr int64_t mostX = std::numeric_limits<int32_t>::max(), mostYZ = 65535;
constexpr int64_t mostPrograms = int64_t(1) << 40;

[[noreturn]] void failGrid(Grid grid, const std::string &accepted) {
  throw Error(Error::Kind::Usage, "cannot launch a grid of (" + std::to_string(grid.x) + ", " +
                                      std::to_string(grid.y) + ", " + std::to_string(grid.z) +
                                      "): " + accepted);
}

} // namespace

GridExtent checkGrid(Grid grid) {
  if (grid.x < 0 || grid.y < 0 || grid.z < 0 || grid.x > mostX || grid.y > mostYZ ||
      grid.z > mostYZ)
    failGrid(grid, "x must be 0 to " + std::to_string(mostX) + ", y and z 0 to " +
                       std::to_string(mostYZ));
  GridExtent extent{static_cast<uint32_t>(grid.x), static_cast<uint32_t>(grid.y),
                    static_cast<uint32_t>(grid.z)};
  if (extent.programs() > static_cast<uint64_t>(mostPrograms))
    failGrid(grid, "up to " + std::to_string(mostPrograms) + " programs are accepted");
  return extent;
}

} // namespace nereid::jit
