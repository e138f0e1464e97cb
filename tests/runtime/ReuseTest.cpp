// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose meaning is easy to get wrong where memory is reused, numbers wrap or loops end;
// each against plain C++, on both devices.
#include "MeaningTest.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace nereid;

namespace {

constexpr int side = 16;
using Square = std::vector<double>; // side x side, row-major

Square dot(const Square &a, const Square &b, Square sum) {
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j)
      for (int k = 0; k < side; ++k)
        sum[i * side + j] += a[i * side + k] * b[k * side + j];
  return sum;
}

Square transposed(const Square &a) {
  Square result(a.size());
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j)
      result[j * side + i] = a[i * side + j];
  return result;
}

class ReuseTest : public nereid::test::MeaningTest {
protected:
  /// `count` matrices of small numbers, one after the other.
  static std::vector<float> numbers(int count) {
    std::vector<float> values(static_cast<size_t>(count) * side * side);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>((i * 7919) % 13) / 8 - 0.75f;
    return values;
  }
  static Square matrix(const std::vector<float> &values, int which) {
    auto begin = values.begin() + static_cast<ptrdiff_t>(which) * side * side;
    return {begin, begin + side * side};
  }
  /// The numbers are multiples of 1/8, so that every sum and product of theirs here is exact.
  void expectEqual(const Array &actual, const Square &expected) {
    std::vector<float> values = actual.toVector<float>();
    ASSERT_EQ(values.size(), expected.size());
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(values[i], expected[i]) << "element " << i;
  }
  Array floats(int64_t count) { return device.zeros(DType::Float32, {count}); }
  Array iota(int64_t count) {
    std::vector<float> values(static_cast<size_t>(count));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(i);
    return device.array(values);
  }
};

NEREID_ON_ALL_DEVICES(ReuseTest);

// Carried tiles and their buffers

TEST_P(ReuseTest, CarriedDotIsTransposed) {
  std::vector<float> x = numbers(3);
  Array out = floats(side * side);
  run(R"(
def k(x, out, n):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    a = tl.load(x + at)
    b = tl.load(x + 256 + at)
    acc = tl.load(x + 512 + at)
    for i in range(n):
        acc = tl.trans(tl.dot(a, b, acc))
    tl.store(out + at, acc)
)",
      {{"x", device.array(x)}, {"out", out}, {"n", 3}});
  Square acc = matrix(x, 2);
  for (int i = 0; i < 3; ++i)
    acc = transposed(dot(matrix(x, 0), matrix(x, 1), acc));
  expectEqual(out, acc);
}

TEST_P(ReuseTest, DotOutlivesTheAccumulatorItReused) {
  std::vector<float> x = numbers(6);
  Array out = floats(side * side);
  run(R"(
def k(x, out, n):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    a = tl.load(x + at)
    b = tl.load(x + 256 + at)
    acc = tl.load(x + 512 + at)
    total = tl.zeros((16, 16), tl.float32)
    for i in range(n):
        d = tl.dot(a, b, acc)
        acc = tl.load(x + 512 + (i + 1) * 256 + at)
        total = total + d
    tl.store(out + at, total)
)",
      {{"x", device.array(x)}, {"out", out}, {"n", 3}});
  Square total(side * side), acc = matrix(x, 2);
  for (int i = 0; i < 3; ++i) {
    Square d = dot(matrix(x, 0), matrix(x, 1), acc);
    acc = matrix(x, 3 + i);
    for (size_t j = 0; j < total.size(); ++j)
      total[j] += d[j];
  }
  expectEqual(out, total);
}

TEST_P(ReuseTest, CarriedTileIsReadThroughAView) {
  std::vector<float> x = numbers(4);
  Array out = floats(side * side);
  run(R"(
def k(x, out, n):
    line = tl.arange(0, 256)
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    a = tl.load(x + line)
    total = tl.zeros((16, 16), tl.float32)
    for i in range(n):
        total = total + tl.reshape(a, (16, 16))
        a = tl.load(x + (i + 1) * 256 + line)
    tl.store(out + at, total)
)",
      {{"x", device.array(x)}, {"out", out}, {"n", 3}});
  Square total(side * side);
  for (int i = 0; i < 3; ++i)
    for (size_t j = 0; j < total.size(); ++j)
      total[j] += x[i * total.size() + j];
  expectEqual(out, total);
}

TEST_P(ReuseTest, DotInALoopLeavesAnOuterTileAlone) {
  std::vector<float> x = numbers(3);
  Array out = floats(side * side), kept = floats(side * side);
  run(R"(
def k(x, out, kept, n):
    line = tl.arange(0, 256)
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    a = tl.load(x + at)
    b = tl.load(x + 256 + at)
    base = tl.load(x + 512 + line)
    total = tl.zeros((16, 16), tl.float32)
    for i in range(n):
        total += tl.dot(a, b, tl.reshape(base, (16, 16)))
    if n > 1:
        total += tl.dot(a, b, tl.reshape(base, (16, 16)))
    tl.store(out + at, total)
    tl.store(kept + line, base)
)",
      {{"x", device.array(x)}, {"out", out}, {"kept", kept}, {"n", 2}});
  Square once = dot(matrix(x, 0), matrix(x, 1), matrix(x, 2)), total(once);
  for (double &value : total)
    value *= 3;
  expectEqual(out, total);
  expectEqual(kept, matrix(x, 2));
}

// Offsets that wrap

TEST_P(ReuseTest, NarrowOffsetsWrap) {
  Array x = iota(300), out = floats(96);
  run(R"(
def k(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + (i + 250).to(tl.uint8)))
    tl.store(out + 16 + i, tl.load(x + (i.to(tl.uint8) - 8)))
    tl.store(out + 32 + i, tl.load(x + (i * 37).to(tl.uint8)))
    tl.store(out + 48 + i, tl.load(x + 128 + (i + 120).to(tl.int8)))
    tl.store(out + 64 + i, tl.load(x + (i.to(tl.uint16) + 65530), mask=i > 5, other=-1))
    tl.store(out + 80 + i, tl.load(x + (i - 1).to(tl.uint32), mask=i > 0, other=-1))
)",
      {{"x", x}, {"out", out}});
  std::vector<float> actual = out.toVector<float>();
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(actual[i], static_cast<uint8_t>(i + 250));
    EXPECT_EQ(actual[16 + i], static_cast<uint8_t>(i - 8));
    EXPECT_EQ(actual[32 + i], static_cast<uint8_t>(i * 37));
    EXPECT_EQ(actual[48 + i], 128 + static_cast<int8_t>(i + 120));
    EXPECT_EQ(actual[64 + i], i > 5 ? static_cast<uint16_t>(i + 65530) : -1);
    EXPECT_EQ(actual[80 + i], i - 1);
  }
}

TEST_P(ReuseTest, StoresThroughWrappingOffsets) {
  Array x = device.zeros(DType::Float32, {300}), twice = iota(256);
  run(R"(
def k(x, twice):
    i = tl.arange(0, 16)
    tl.store(x + (i.to(tl.uint32) - 5), 1.0, mask=i >= 5)
    tl.store(x + (i + 250).to(tl.uint8), 2.0, mask=i < 8)
    p = twice + tl.arange(0, 512).to(tl.uint8).to(tl.int32)
    tl.store(p, tl.load(p) + 1)
)",
      {{"x", x}, {"twice", twice}});
  std::vector<float> actual = x.toVector<float>();
  for (int i = 0; i < 300; ++i)
    EXPECT_EQ(actual[i], i < 2 || (i >= 250 && i < 256) ? 2 : i < 11 ? 1 : 0) << i;
  // All lanes are read before any is written, also those that come round again.
  std::vector<float> added = twice.toVector<float>();
  for (int i = 0; i < 256; ++i)
    EXPECT_EQ(added[i], i + 1) << i;
}

TEST_P(ReuseTest, AddressesAreNumbers) {
  Array x = floats(4), out = device.zeros(DType::UInt64, {1});
  run(R"(
def k(x, out):
    tl.store(out, (x + 3).to(tl.uint64))
)",
      {{"x", x}, {"out", out}});
  EXPECT_EQ(out.toVector<uint64_t>()[0], reinterpret_cast<uint64_t>(x.data()) + 12);
}

TEST_P(ReuseTest, MasksThatArePartlyKnownMaskEverywhere) {
  ignore({"undefined_value"});
  Array x = device.array(std::vector<float>(64, 7.0f)),
        y = device.array(std::vector<float>(64, 7.0f));
  Array out = floats(64);
  run(R"(
def k(x, y, out, n):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + i, mask=(i < 5) & (n > 0)))
    tl.store(out + 16 + i, tl.load(x + i, mask=(i > 10) & (n > 0), other=3))
    tl.store(out + 32 + i, tl.load(x + i, mask=(i < 5) & (n < 0)))
    tl.store(y + i, 1.0, mask=(i < 5) & (n > 0))
    tl.store(y + 16 + i, 1.0, mask=(i > 10) & (n > 0))
    tl.store(y + 32 + i, 1.0, mask=(i > 3) & (n < 0))
)",
      {{"x", x}, {"y", y}, {"out", out}, {"n", 1}});
  std::vector<float> loaded = out.toVector<float>(), stored = y.toVector<float>();
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(loaded[i], i < 5 ? 7 : 0) << i;
    EXPECT_EQ(loaded[16 + i], i > 10 ? 7 : 3) << i;
    EXPECT_EQ(loaded[32 + i], 0) << i;
    EXPECT_EQ(stored[i], i < 5 ? 1 : 7) << i;
    EXPECT_EQ(stored[16 + i], i > 10 ? 1 : 7) << i;
    EXPECT_EQ(stored[32 + i], 7) << i;
  }
}

// Loops

TEST_P(ReuseTest, LoopsEndNearTheEndOfTheirType) {
  Array out = device.zeros(DType::Int32, {6});
  run(R"(
def count(first, last, step):
    c = 0
    for i in range(first, last, step):
        c += 1
    return c

@triton.jit
def k(out, n):
    tl.store(out, count(0, n, 1073741824))
    tl.store(out + 1, count(n - 7, n, 5))
    tl.store(out + 2, count(2147483640, 2147483647, 5))
    tl.store(out + 3, count(-2147483648, 2147483647, 1000000000))
    tl.store(out + 4, count(2147483647, -2147483648, -2000000000))
    tl.store(out + 5, count(n.to(tl.int64) << 32, (n.to(tl.int64) << 32) + 2147483647, 2147483646))
)",
      {{"out", out}, {"n", std::numeric_limits<int32_t>::max()}});
  EXPECT_EQ(out.toVector<int32_t>(), (std::vector<int32_t>{2, 2, 2, 5, 3, 2}));
}

// The checked device says so besides, wherever the loop would have led.
TEST_P(ReuseTest, LoopsWhoseStepLeadsAwayFromTheirEndRunNoRounds) {
  for (auto [step, last] : {std::pair(0, 10),
                            {0, 0},
                            {0, -10},
                            {-1, 10},
                            {-1, 0},
                            {-2147483647, 10},
                            {1, 0},
                            {1, -10}}) {
    Array out = device.array(std::vector<int32_t>{5});
    Array x = device.zeros(DType::Float16, {32, 32});
    Array sums = device.array(std::vector<float>(32 * 32, 7));
    bool isReported = false;
    try {
      run(R"(
def k(x, sums, out, last, step):
    i = tl.arange(0, 32)
    rows = i[:, None] * 32 + i[None, :]
    total = tl.zeros((32, 32), tl.float32)
    for at in range(0, last, step):  # whose rounds are begun early
        tile = tl.load(x + at * 32 + rows)
        total = tl.dot(tile, tile, total) + 1
        tl.store(out, 6)
    tl.store(sums + rows, total)
)",
          {{"x", x}, {"sums", sums}, {"out", out}, {"last", last}, {"step", step}});
    } catch (const Error &error) {
      isReported = error.kind() == Error::Kind::Checked;
    }
    EXPECT_EQ(isReported, device.name() == "check" && step == 0) << step;
    EXPECT_EQ(out.toVector<int32_t>()[0], 5) << step << " to " << last;
    EXPECT_EQ(sums.toVector<float>(), std::vector<float>(32 * 32));
  }
}

// Names and numbers

TEST_P(ReuseTest, ModuleConstantsHaveTheValueOfTheirPlace) {
  Module module = Module::fromText(R"(
import triton
import triton.language as tl
V: tl.constexpr = 3
W: tl.constexpr = V * 2
V: tl.constexpr = 100
BLOCK = tl.constexpr(8)

@triton.jit
def h(v, B: tl.constexpr = BLOCK):
    return v + B

BLOCK = tl.constexpr(16)
if __name__ == "__main__":
    V = 77

@triton.jit
def k(out, B: tl.constexpr = V + BLOCK):
    tl.store(out, V)
    tl.store(out + 1, W)
    tl.store(out + 2, h(1))
    tl.store(out + 3, BLOCK)
    tl.store(out + 4, B)

BLOCK = 0
V = 100
)");
  Array out = device.zeros(DType::Int32, {5});
  module.kernel("k").launch(device, Grid{}, {{"out", out}});
  EXPECT_EQ(out.toVector<int32_t>(), (std::vector<int32_t>{100, 6, 9, 0, 116}));
}

TEST_P(ReuseTest, AKernelMayBeCalledLikeAFunction) {
  std::vector<double> values = {0.5, 1, 2};
  for (const char *name : {"exp", "sin", "memcpy"}) {
    Array x = device.array(values), out = device.zeros(DType::Float64, {3});
    run(std::string("def ") + name + R"((x, out):
    i = tl.arange(0, 4)
    tl.store(out + i, tl.exp(tl.sin(tl.load(x + i, mask=i < 3))), mask=i < 3)
)",
        {{"x", x}, {"out", out}});
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(out.toVector<double>()[i], std::exp(std::sin(values[i])), 4e-15) << name;
  }
}

TEST_P(ReuseTest, ReuseDoesNotMultiplyTheCompilersWork) {
  Array x = iota(64), out = floats(64);
  run(R"(
def k(x, out):
    i = tl.arange(0, 64)
    offset = i * 0
    z = tl.load(x + i)
    for step in tl.static_range(60):
        z = z * 0.5 + z * 0.25
        offset = offset + offset
    tl.store(out + i + offset, z)
)",
      {{"x", x}, {"out", out}});
  for (int i = 0; i < 64; ++i)
    EXPECT_NEAR(out.toVector<float>()[i], i * std::pow(0.75, 60),
                180 * 0x1p-24 * i * std::pow(0.75, 60)); // three roundings a step
}

TEST_P(ReuseTest, LargeIntegersRoundOnceToSmallFloats) {
  std::vector<int64_t> values = {(int64_t(1) << 62) + (int64_t(1) << 54) + 1,
                                 (int64_t(1) << 62) + (int64_t(1) << 54),
                                 -(int64_t(1) << 62) - (int64_t(1) << 54) - 1,
                                 std::numeric_limits<int64_t>::min(),
                                 (int64_t(1) << 53) + 1,
                                 3};
  auto count = static_cast<int64_t>(values.size());
  Array x = device.array(values), out = device.zeros(DType::BFloat16, {count});
  run(R"(
def k(x, out, n):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.load(x + i, mask=i < n).to(tl.bfloat16), mask=i < n)
)",
      {{"x", x}, {"out", out}, {"n", count}});
  // bfloat16 keeps 8 bits: at 2^62 its steps are 2^55, so 2^54 is a tie, which 1 decides.
  std::vector<double> expected = {0x1.02p62, 0x1p62, -0x1.02p62, -0x1p63, 0x1p53, 3};
  EXPECT_EQ(out.toDoubles(), expected);
}

// Of an operation with two results, one may be kept in memory and the other wait for its reader.

TEST_P(ReuseTest, OneOfTwoResultsIsStored) {
  constexpr int64_t count = 64;
  Array low = device.zeros(DType::UInt32, {count}), high = device.zeros(DType::UInt32, {count});
  Array both = device.zeros(DType::UInt32, {count});
  run("def k(low, high, both, N: tl.constexpr):\n"
      "    i = tl.arange(0, N)\n"
      "    x = (i * 123456789).to(tl.uint32)\n"
      "    h = tl.umulhi(x, 3000000001)\n"
      "    tl.store(high + i, h)\n"
      "    tl.store(low + i, x * 3000000001)\n"
      "    tl.store(both + i, h + tl.sum(h))\n",
      {{"low", low}, {"high", high}, {"both", both}, {"N", count}});
  std::vector<uint32_t> expected;
  uint32_t sum = 0;
  for (uint32_t i = 0; i < count; ++i) {
    expected.push_back(static_cast<uint32_t>(uint64_t(i * 123456789u) * 3000000001u >> 32));
    sum += expected.back();
  }
  EXPECT_EQ(high.toVector<uint32_t>(), expected);
  for (uint32_t i = 0; i < count; ++i) {
    EXPECT_EQ(low.toVector<uint32_t>()[i], i * 123456789u * 3000000001u);
    EXPECT_EQ(both.toVector<uint32_t>()[i], expected[i] + sum);
  }
}

TEST_P(ReuseTest, OperandsOfTwoResultsAreReadBeforeTheyAreOverwritten) {
  constexpr int64_t count = 64;
  std::vector<uint32_t> values;
  for (uint32_t i = 0; i < count; ++i)
    values.push_back(i * 2654435761u);
  Array array = device.array(values), out = device.zeros(DType::UInt32, {count});
  run("def k(x, out, N: tl.constexpr):\n"
      "    i = tl.arange(0, N)\n"
      "    h = tl.umulhi(tl.load(x + i), 3000000001)\n"
      "    tl.store(x + i, i * 0)\n"
      "    tl.store(out + i, h)\n",
      {{"x", array}, {"out", out}, {"N", count}});
  for (uint32_t i = 0; i < count; ++i)
    ASSERT_EQ(out.toVector<uint32_t>()[i],
              static_cast<uint32_t>(uint64_t(values[i]) * 3000000001u >> 32));
}

/// A column of them, which has one number for all lanes of a row and for the row's odd end.
TEST_P(ReuseTest, TwoResultsOfAColumnMeetRowsOfOddSizes) {
  constexpr uint32_t side = 12, factor = 123456789;
  Array out = device.zeros(DType::Int32, {side * side + 16});
  run("def k(out, s, N: tl.constexpr):\n"
      "    i = tl.arange(0, N)\n"
      "    column = tl.umulhi(i * s, i * s)[:, None]\n"
      "    rows = tl.broadcast_to(column, (N, N))\n"
      "    turned = tl.trans(tl.broadcast_to(tl.trans(column), (N, N)))\n"
      "    tl.store(out + (N - 1 - i[:, None]) * N + i[None, :], rows * turned)\n",
      {{"out", out}, {"s", int64_t(factor)}, {"N", int64_t(side)}});
  std::vector<int32_t> expected(side * side + 16, 0);
  for (uint32_t i = 0; i < side; ++i) {
    auto x = static_cast<int64_t>(static_cast<int32_t>(i * factor));
    auto high = static_cast<uint32_t>(x * x >> 32);
    for (uint32_t j = 0; j < side; ++j)
      expected[(side - 1 - i) * side + j] = static_cast<int32_t>(high * high);
  }
  EXPECT_EQ(out.toVector<int32_t>(), expected);
}

} // namespace
