// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tl.map_elementwise: functions of scalars in which each lane takes its own branches and rounds.
#include "Generator.h"

namespace nereid::generate {

namespace {

struct LaneFunction {
  const char *name, *text;
  bool forFloats, forIntegers;
  int64_t pack = 1; // lanes that one call takes
};

constexpr LaneFunction laneFunctions[] = {
    {"lane_nearer",
     "def lane_nearer(a, b):\n    if a > b:\n        c = a - b\n    else:\n        c = b * 2\n"
     "    return c\n",
     true, true},
    {"lane_early", "def lane_early(a, b):\n    if a == b:\n        return a\n    return a + b\n",
     true, true},
    {"lane_shrinks",
     "def lane_shrinks(a, b):\n    c = a\n    while c > 9:\n        c = c // 3\n    return c ^ b\n",
     false, true},
    {"lane_climbs",
     "def lane_climbs(a, b):\n    c = a\n    for i in range(0, 5):\n        if c > b:\n"
     "            break\n        c += i\n    return c\n",
     false, true},
    {"lane_pair", "def lane_pair(a, b, c, d):\n    return a + d, tl.where(b < c, b, c)\n", true,
     true, 2},
};

bool fits(const LaneFunction &function, const ValueType &type) {
  return (isFloat(type.dtype) ? function.forFloats : function.forIntegers) &&
         elements(type.shape) % function.pack == 0;
}

} // namespace

bool Generator::isMappable(const ValueType &type) {
  return type.dtype == DType::Float32 || type.dtype == DType::Float64 ||
         (isInteger(type.dtype) && isSigned(type.dtype) && bitWidth(type.dtype) >= 32);
}

Expression Generator::mappedLanes(const ValueType &type, int depth, Demand) {
  std::vector<const LaneFunction *> fitting;
  for (const LaneFunction &function : laneFunctions)
    if (fits(function, type))
      fitting.push_back(&function);
  const LaneFunction &function = *random.pick(fitting);
  declare(function.name, function.text);
  std::string pack = function.pack == 1 ? "" : ", pack=" + std::to_string(function.pack);
  return {"tl.map_elementwise(" + std::string(function.name) + ", " + expression(type, depth).text +
              ", " + expression(type, depth).text + pack + ")",
          type};
}

} // namespace nereid::generate
