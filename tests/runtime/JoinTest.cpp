// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles put together and taken apart, and dimensions that come and go.
#include "MeaningTest.h"

#include <cstdint>
#include <numeric>

using namespace nereid;

namespace {

class JoinTest : public nereid::test::MeaningTest {
protected:
  static std::vector<int32_t> count(size_t size, int32_t from = 0) {
    std::vector<int32_t> values(size);
    std::iota(values.begin(), values.end(), from);
    return values;
  }

  /// Runs a kernel that makes `r`, a flat tile of `size` elements, from `x`, the numbers 0 to 41,
  /// in 6 rows of 7, and `y`, which is 100 more.
  std::vector<int32_t> madeBy(const std::string &body, int64_t size) {
    Array out = device.zeros(DType::Int32, {size});
    std::string text = "def k(x_ptr, o):\n"
                       "    i = tl.arange(0, 6)[:, None] * 7 + tl.arange(0, 7)[None, :]\n"
                       "    x = tl.load(x_ptr + i)\n    y = x + 100\n    ";
    for (char c : body)
      text += c == '\n' ? "\n    " : std::string(1, c);
    text += "\n    tl.store(o + tl.arange(0, " + std::to_string(size) + "), r)\n";
    run(text, {{"x_ptr", device.array(count(42))}, {"o", out}});
    return out.toVector<int32_t>();
  }
};
NEREID_ON_ALL_DEVICES(JoinTest);

TEST_P(JoinTest, JoinPutsElementsSideBySide) {
  std::vector<int32_t> expected;
  for (int i = 0; i < 42; ++i)
    expected.insert(expected.end(), {i, 100 + i});
  EXPECT_EQ(madeBy("r = tl.ravel(tl.join(x, y))", 84), expected);
  EXPECT_EQ(madeBy("r = tl.ravel(tl.interleave(x, y))", 84), expected);
  EXPECT_EQ(madeBy("r = tl.interleave(tl.ravel(x), tl.ravel(y))", 84), expected);
}

TEST_P(JoinTest, JoinBroadcasts) {
  std::vector<int32_t> expected;
  for (int i = 0; i < 42; ++i)
    expected.insert(expected.end(), {i, 7});
  EXPECT_EQ(madeBy("r = tl.join(x, 7).ravel()", 84), expected);
  EXPECT_EQ(madeBy("r = tl.join(3, 4)", 2), (std::vector<int32_t>{3, 4}));
  EXPECT_EQ(madeBy("r = tl.interleave(3, 4)", 2), (std::vector<int32_t>{3, 4}));
}

/// Computed, of several dimensions, and read in another order than it is made in.
TEST_P(JoinTest, JoinOfWhatIsComputed) {
  std::vector<int32_t> expected;
  for (int k = 0; k < 2; ++k)
    for (int j = 0; j < 7; ++j)
      for (int i = 0; i < 6; ++i)
        expected.push_back(k ? -(7 * i + j) : (7 * i + j) * (7 * i + j));
  EXPECT_EQ(madeBy("r = tl.join(x * x, -x).permute(2, 1, 0).ravel()", 84), expected);
}

TEST_P(JoinTest, SplitTakesApart) {
  std::vector<int32_t> expected;
  for (int i = 0; i < 42; i += 2)
    expected.push_back(1000 * i + i + 1);
  EXPECT_EQ(madeBy("a, b = tl.split(x.reshape(3, 7, 2))\nr = tl.ravel(1000 * a + b)", 21),
            expected);
  EXPECT_EQ(madeBy("a, b = (x * 1).reshape(21, 2).split()\nr = 1000 * a + b", 21), expected);
  for (int32_t &value : expected)
    value = value % 1000;
  EXPECT_EQ(madeBy("a, b = tl.split(x.reshape(21, 2))\nr = b", 21), expected);
}

TEST_P(JoinTest, SplitUndoesJoin) {
  EXPECT_EQ(madeBy("a, b = tl.split(tl.join(x, y))\nr = tl.ravel(b - a)", 42),
            std::vector<int32_t>(42, 100));
  EXPECT_EQ(madeBy("z = tl.join(x, y).permute(1, 0, 2)\na, b = tl.split(z)\n"
                   "r = tl.ravel(b.T - a.T)",
                   42),
            std::vector<int32_t>(42, 100));
}

TEST_P(JoinTest, SplitOfTwoGivesScalars) {
  EXPECT_EQ(madeBy("a, b = tl.split(tl.join(tl.sum(tl.ravel(x)), 5))\nr = tl.join(b, a)", 2),
            (std::vector<int32_t>{5, 41 * 21}));
}

/// The parts of an update in a loop, in which both halves change places.
TEST_P(JoinTest, SplitAndJoinInALoop) {
  std::vector<int32_t> expected;
  for (int i = 0; i < 42; ++i) {
    int32_t even = i, odd = 100 + i;
    for (int round = 0; round < 5; ++round)
      std::tie(even, odd) = std::pair(odd + round, even - 1);
    expected.insert(expected.end(), {even, odd});
  }
  EXPECT_EQ(madeBy("z = tl.join(x, y)\n"
                   "for round in range(5):\n"
                   "    a, b = tl.split(z)\n"
                   "    z = tl.join(b + round, a - 1)\n"
                   "r = tl.ravel(z)",
                   84),
            expected);
}

TEST_P(JoinTest, CatPutsTilesBehindOneAnother) {
  std::vector<int32_t> rows = count(42), columns;
  for (int32_t value : count(42, 100))
    rows.push_back(value);
  EXPECT_EQ(madeBy("r = tl.ravel(tl.cat(x, y))", 84), rows);
  EXPECT_EQ(madeBy("r = tl.cat(tl.ravel(x), tl.ravel(y), can_reorder=False)", 84), rows);
  for (int i = 0; i < 6; ++i)
    for (int from : {0, 100})
      for (int j = 0; j < 7; ++j)
        columns.push_back(from + 7 * i + j);
  EXPECT_EQ(madeBy("r = tl.ravel(tl.cat(x, y, dim=1))", 84), columns);
  EXPECT_EQ(madeBy("r = tl.ravel(tl.cat(x, y, dim=-1))", 84), columns);
}

/// Whatever the order, all elements are there.
TEST_P(JoinTest, CatThatMayReorder) {
  EXPECT_EQ(madeBy("r = tl.join(tl.sum(tl.cat(tl.ravel(x), tl.ravel(y), can_reorder=True)), 0)", 2),
            (std::vector<int32_t>{2 * 41 * 21 + 4200, 0}));
}

TEST_P(JoinTest, DimensionsOfSizeOneComeAndGo) {
  std::vector<int32_t> expected = count(42);
  EXPECT_EQ(madeBy("z = x.unsqueeze(1)\ntl.static_assert(z.shape[1] == 1)\n"
                   "r = tl.ravel(tl.squeeze(z, 1))",
                   42),
            expected);
  EXPECT_EQ(madeBy("z = tl.unsqueeze(x, -1)\ntl.static_assert(z.shape[2] == 1)\n"
                   "tl.static_assert(len(tl.squeeze(z, -1).shape) == 2)\n"
                   "r = tl.ravel(tl.expand_dims(x, (0, -1)))",
                   42),
            expected);
}

TEST_P(JoinTest, ItemIsTheOneElement) {
  EXPECT_EQ(madeBy("a = tl.sum(x, keep_dims=True).item()\ntl.static_assert(a.numel == 1)\n"
                   "tl.static_assert(len(a.shape) == 0)\nr = tl.join(a, tl.sum(x).item())",
                   2),
            (std::vector<int32_t>{41 * 21, 41 * 21}));
}

/// A product of bytes that were packed, two to a byte, as kernels with weights of four bits do it.
TEST_P(JoinTest, UnpacksNibblesForAProduct) {
  std::vector<uint8_t> packed(8 * 16);
  for (size_t i = 0; i < packed.size(); ++i)
    packed[i] = static_cast<uint8_t>(i * 37);
  Array out = device.zeros(DType::Float32, {16 * 16});
  run(R"(
def k(packed, o):
    i = tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :]
    b = tl.load(packed + i)
    low, high = (b & 15).to(tl.float32), (b >> 4).to(tl.float32)
    w = tl.join(low, high).permute(0, 2, 1).reshape(16, 16)
    j = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    tl.store(o + j, tl.dot(w.T, w, input_precision="ieee"))
)",
      {{"packed", device.array(packed)}, {"o", out}});
  std::vector<float> expected(16 * 16);
  auto weight = [&](int row, int column) {
    int byte = packed[row / 2 * 16 + column];
    return static_cast<float>(row % 2 ? byte >> 4 : byte & 15);
  };
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j)
      for (int k = 0; k < 16; ++k)
        expected[i * 16 + j] += weight(k, i) * weight(k, j);
  EXPECT_EQ(out.toVector<float>(), expected);
}

} // namespace
