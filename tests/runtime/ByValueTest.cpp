// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ordinary integer arguments that a kernel needs while it is compiled.
#include "MeaningTest.h"

using namespace nereid;

namespace {

class ByValueTest : public nereid::test::MeaningTest {};
NEREID_ON_ALL_DEVICES(ByValueTest);

const std::string body = "def k(x, o, n, m, factor):\n"
                         "    i = tl.arange(0, n)[:, None] * m + tl.arange(0, m)\n"
                         "    tl.store(o + i, tl.load(x + i) * factor)\n";

TEST_P(ByValueTest, MayBeTheSizeOfATile) {
  Module module = Module::fromText("import triton.language as tl\n@triton.jit\n" + body);
  auto launch = [&](int n, int m, int factor) {
    auto count = static_cast<size_t>(n * m);
    Array x = device.array(std::vector<int32_t>(count, 5)), o = device.zeros(DType::Int32, {n * m});
    Launch prepared = module.kernel().prepare(
        device, {{"x", x}, {"o", o}, {"n", n}, {"m", m}, {"factor", factor}});
    prepared.run({1});
    EXPECT_EQ(o.toVector<int32_t>(), std::vector<int32_t>(count, 5 * factor));
    return prepared;
  };
  Launch first = launch(6, 7, 2);
  EXPECT_EQ(first.parametersByValue(), (std::vector<std::string>{"n", "m"}));
  EXPECT_GT(first.compileMilliseconds(), 0);
  EXPECT_EQ(launch(6, 7, 3).compileMilliseconds(), 0); // the factor is an argument as before
  EXPECT_GT(launch(6, 8, 3).compileMilliseconds(), 0);
  EXPECT_GT(launch(1, 8, 3).compileMilliseconds(), 0);
  EXPECT_EQ(launch(6, 7, 4).compileMilliseconds(), 0);
}

TEST_P(ByValueTest, MayTakePartInOne) {
  Array o = device.zeros(DType::Int32, {12});
  run("def k(o, n):\n    tl.store(o + tl.arange(0, n * 2 + 2), 1)\n", {{"o", o}, {"n", 4}});
  EXPECT_EQ(o.toVector<int32_t>(), (std::vector<int32_t>{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0}));
  run("def k(o, n):\n    for i in tl.static_range(n):\n        tl.store(o + i, 7)\n",
      {{"o", o}, {"n", 3}});
  EXPECT_EQ(o.toVector<int32_t>()[2], 7);
  EXPECT_EQ(o.toVector<int32_t>()[3], 1);
}

TEST_P(ByValueTest, IsAMistakeWhereTheValueIsOfTheRun) {
  Array o = device.zeros(DType::Int32, {12});
  for (const char *size : {"tl.program_id(0) + n", "tl.load(o)", "f"}) {
    std::string text =
        "def k(o, n, f):\n    tl.store(o + tl.arange(0, " + std::string(size) + "), 1)\n";
    EXPECT_THROW(run(text, {{"o", o}, {"n", 4}, {"f", 2.5}}), Error) << size;
  }
}

} // namespace
