// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements and slices of tiles, read and written, in shapes of any size.
#include "MeaningTest.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

using namespace nereid;

namespace {

class ElementTest : public nereid::test::MeaningTest {};
NEREID_ON_ALL_DEVICES(ElementTest);

TEST_P(ElementTest, ReadsOneLaneBitForBit) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(),
                  inf = std::numeric_limits<float>::infinity();
  std::vector<float> values = {-0.0F, nan, inf, -inf, 1e-42F, 3, -7};
  Array out = device.zeros(DType::Float32, {7});
  run("def k(x, o):\n"
      "    tile = tl.load(x + tl.arange(0, 7))\n"
      "    i = tl.program_id(0)\n"
      "    tl.store(o + i, tile[i])\n",
      {{"x", device.array(values)}, {"o", out}}, {7});
  std::vector<float> given = out.toVector<float>();
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(std::bit_cast<uint32_t>(given[i]), std::bit_cast<uint32_t>(values[i])) << i;
}

TEST_P(ElementTest, ReadsEveryType) {
  for (const char *type :
       {"int1", "int8", "uint8", "int16", "int64", "float16", "bfloat16", "float64"}) {
    Array out = device.zeros(DType::Int64, {5});
    run(std::string("def k(o):\n    tile = (tl.arange(0, 5) * 3).to(tl.int64).to(tl.") + type +
            ")\n    i = tl.program_id(0)\n    tl.store(o + i, tile[i].to(tl.int64))\n",
        {{"o", out}}, {5});
    for (int64_t i = 0; i < 5; ++i)
      EXPECT_EQ(out.toVector<int64_t>()[static_cast<size_t>(i)],
                std::string(type) == "int1" ? i != 0 : 3 * i)
          << type;
  }
}

TEST_P(ElementTest, WritesWhatOneIndexNames) {
  Array out = device.zeros(DType::Int32, {4, 60});
  run(R"(
def k(o):
    i = tl.program_id(0)
    tile = tl.reshape(tl.arange(0, 60), (5, 12))
    tile[i, 2 * i] = 1000
    tile[-1, 3] += i
    tile[i] += 100
    tile[:, i + 7] = tl.arange(0, 5) * 7
    tile[1:4, ::5] = tl.full((3, 3), -1, tl.int32)
    tile[2:4, 11] = 2.75
    place = tl.arange(0, 5)[:, None] * 12 + tl.arange(0, 12)[None, :]
    tl.store(o + i * 60 + place, tile)
)",
      {{"o", out}}, {4});
  std::vector<int32_t> given = out.toVector<int32_t>();
  for (int i = 0; i < 4; ++i) {
    int tile[5][12];
    for (int row = 0; row < 5; ++row)
      for (int column = 0; column < 12; ++column)
        tile[row][column] = row * 12 + column;
    tile[i][2 * i] = 1000;
    tile[4][3] += i;
    for (int &element : tile[i])
      element += 100;
    for (int row = 0; row < 5; ++row)
      tile[row][i + 7] = row * 7;
    for (int row = 1; row < 4; ++row)
      for (int column = 0; column < 12; column += 5)
        tile[row][column] = -1;
    tile[2][11] = tile[3][11] = 2;
    for (int at = 0; at < 60; ++at)
      EXPECT_EQ(given[static_cast<size_t>(i * 60 + at)], tile[at / 12][at % 12]) << i << " " << at;
  }
}

TEST_P(ElementTest, SlicesAsPythonDoes) {
  struct {
    const char *text;
    int start, step, count;
  } slices[] = {{"[2:9]", 2, 1, 7},     {"[:3]", 0, 1, 3},        {"[-3:]", 10, 1, 3},
                {"[::-1]", 12, -1, 13}, {"[10:2:-3]", 10, -3, 3}, {"[1:100:4]", 1, 4, 3}};
  for (const auto &[text, start, step, count] : slices) {
    Array out = device.array(std::vector<int32_t>(13, -1));
    run(std::string("def k(o):\n    tile = tl.arange(0, 13) * 5\n    part = tile") + text +
            "\n    tl.store(o + tl.arange(0, part.shape[0]), part)\n",
        {{"o", out}});
    for (int i = 0; i < 13; ++i)
      EXPECT_EQ(out.toVector<int32_t>()[static_cast<size_t>(i)],
                i < count ? 5 * (start + i * step) : -1)
          << text;
  }
}

TEST_P(ElementTest, SlicesOfKnownLengthBeginAnywhere) {
  Array out = device.array(std::vector<int32_t>(3 * 13, -1));
  run(R"(
def k(o):
    tile = tl.arange(0, 13) * 5
    i = tl.program_id(0)
    part = tile[i * 4:i * 4 + 5]
    tile[i + 2:i + 9:3] = part[1:4]
    tile[i + 10:i + 11] = 1000
    tl.store(o + i * 13 + tl.arange(0, 13), tile)
)",
      {{"o", out}}, {3});
  std::vector<int32_t> given = out.toVector<int32_t>();
  for (int i = 0; i < 3; ++i) {
    std::vector<int32_t> tile(13);
    for (int at = 0; at < 13; ++at)
      tile[static_cast<size_t>(at)] = at * 5;
    std::vector<int32_t> before = tile;
    for (int j = 0; j < 3; ++j)
      tile[static_cast<size_t>(i + 2 + 3 * j)] = before[static_cast<size_t>(i * 4 + 1 + j)];
    tile[static_cast<size_t>(i + 10)] = 1000;
    for (int at = 0; at < 13; ++at)
      EXPECT_EQ(given[static_cast<size_t>(i * 13 + at)], tile[static_cast<size_t>(at)])
          << i << " " << at;
  }
}

/// The launch compiles the kernel for the values.
TEST_P(ElementTest, SliceBoundsMayBeOrdinaryIntegers) {
  Array out = device.zeros(DType::Int32, {4});
  run("def k(o, n, m):\n"
      "    tl.store(o + tl.arange(0, 4), (tl.arange(0, 13) * 5)[n:m])\n",
      {{"o", out}, {"n", 3}, {"m", 7}});
  EXPECT_EQ(out.toVector<int32_t>(), (std::vector<int32_t>{15, 20, 25, 30}));
}

/// Max pooling as it is written for one thread: a loop over the lanes of a tile.
TEST_P(ElementTest, ALoopFillsATile) {
  constexpr int n = 37;
  std::vector<float> values(3 * n);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>((i * 29) % 83) - 40;
  Array out = device.array(std::vector<float>(48, -99));
  run(R"(
def k(x, o, n, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    mask = lane < n
    results = tl.zeros((BLOCK,), tl.float32)
    for i in range(BLOCK):
        if not mask[i]:
            continue
        best = float('-inf')
        for j in range(3):
            best = tl.maximum(best, tl.load(x + lane[i] * 3 + j))
        results[i] = best
    tl.store(o + lane, results, mask=mask)
)",
      {{"x", device.array(values)}, {"o", out}, {"n", n}, {"BLOCK", 48}});
  std::vector<float> given = out.toVector<float>();
  for (size_t i = 0; i < 48; ++i)
    EXPECT_EQ(given[i],
              i < n ? std::max({values[3 * i], values[3 * i + 1], values[3 * i + 2]}) : -99.0F);
}

TEST_P(ElementTest, TheNewTileIsTheNamesOwn) {
  Array out = device.zeros(DType::Int32, {8});
  run("def k(o):\n"
      "    a = tl.arange(0, 4)\n"
      "    b = a\n"
      "    b[2] = 9\n"
      "    tl.store(o + a, a)\n"
      "    tl.store(o + 4 + a, b)\n",
      {{"o", out}});
  EXPECT_EQ(out.toVector<int32_t>(), (std::vector<int32_t>{0, 1, 2, 3, 0, 1, 9, 3}));
}

TEST_P(ElementTest, NoneMakesATileOfAScalar) {
  Array out = device.zeros(DType::Int32, {4});
  run("def k(o, n):\n"
      "    tl.store(o + tl.arange(0, 2), n[:, None] + tl.arange(0, 2))\n"
      "    tl.store(o + 2 + tl.arange(0, 2), tl.reshape(n[None, None], (1,)) * 2 + tl.arange(0, "
      "2))\n",
      {{"o", out}, {"n", 5}});
  EXPECT_EQ(out.toVector<int32_t>(), (std::vector<int32_t>{5, 6, 10, 11}));
}

} // namespace
