// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops unrolled into hundreds of loop nests, which are compiled in haste.
#include "MeaningTest.h"

#include <numeric>

using namespace nereid;

namespace {

class UnrolledTest : public nereid::test::MeaningTest {};
NEREID_ON_ALL_DEVICES(UnrolledTest);

TEST_P(UnrolledTest, MeansWhatFewRoundsMean) {
  constexpr uint32_t lanes = 100, rounds = 400;
  std::vector<uint32_t> values(lanes);
  std::iota(values.begin(), values.end(), 0U);
  Array x = device.array(values), out = device.zeros(DType::UInt32, {lanes});
  run("def k(x, o, N: tl.constexpr):\n"
      "    i = tl.arange(0, 100)\n"
      "    v = tl.load(x + i)\n"
      "    for t in tl.static_range(N):\n"
      "        s = tl.sum(v, axis=0)\n"
      "        v = tl.where(i % (t + 2) == 0, v + s, v ^ t)\n"
      "    tl.store(o + i, v)\n",
      {{"x", x}, {"o", out}, {"N", rounds}});
  for (uint32_t t = 0; t < rounds; ++t) {
    uint32_t sum = std::accumulate(values.begin(), values.end(), 0U);
    for (uint32_t i = 0; i < lanes; ++i)
      values[i] = i % (t + 2) == 0 ? values[i] + sum : values[i] ^ t;
  }
  EXPECT_EQ(out.toVector<uint32_t>(), values);
}

} // namespace
