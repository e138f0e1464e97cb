// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of several dimensions numbered through, and quotients and remainders of these numbers as
// indices: CPUs take whole vectors where they are neighbours or equal. Divisors that a vector fits
// into and others, and the numbers themselves, below zero too, where neighbours are none.
#include "MeaningTest.h"

#include <cstdint>

using namespace nereid;

namespace {

class IndexRuns : public nereid::test::MeaningTest {
protected:
  static std::vector<float> numbers(size_t count, int seed) {
    std::mt19937 random(seed);
    std::vector<float> values;
    for (int value : smallNumbers(random, count))
      values.push_back(static_cast<float>(value));
    return values;
  }

  /// out = x * byColumn[i % C] + byRow[i // C], and both indices, of `n` elements in programs of
  /// `block`.
  void expectNumbered(int columns, int block, int n, bool isConstant) {
    SCOPED_TRACE(testing::Message() << columns << " columns, blocks of " << block << ", " << n
                                    << (isConstant ? " constant" : " given"));
    const std::string parameter = isConstant ? "C: tl.constexpr" : "C";
    const std::string body =
        "def k(x, by_column, by_row, out, c_out, r_out, n, " + parameter + R"(, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    mask = i < n
    c = i % C
    r = i // C
    value = tl.load(x + i, mask=mask) * tl.load(by_column + c, mask=mask, other=1.0)
    tl.store(out + i, value + tl.load(by_row + r, mask=mask), mask=mask)
    tl.store(c_out + i, c, mask=mask)
    tl.store(r_out + i, r, mask=mask)
)";
    const int rows = (n + columns - 1) / columns;
    std::vector<float> x = numbers(n, 1), byColumn = numbers(columns, 2), byRow = numbers(rows, 3),
                       expected(n);
    std::vector<int> c(n), r(n);
    for (int i = 0; i < n; ++i) {
      c[i] = i % columns;
      r[i] = i / columns;
      expected[i] = x[i] * byColumn[c[i]] + byRow[r[i]];
    }
    Array out = device.zeros(DType::Float32, {n}), cOut = device.zeros(DType::Int32, {n}),
          rOut = device.zeros(DType::Int32, {n});
    run(body,
        {{"x", device.array(x)},
         {"by_column", device.array(byColumn)},
         {"by_row", device.array(byRow)},
         {"out", out},
         {"c_out", cOut},
         {"r_out", rOut},
         {"n", n},
         {"C", columns},
         {"B", block}},
        {(n + block - 1) / block});
    EXPECT_EQ(out.toVector<float>(), expected);
    EXPECT_EQ(cOut.toVector<int>(), c);
    EXPECT_EQ(rOut.toVector<int>(), r);
  }
};

TEST_P(IndexRuns, ColumnsAndRowsOfNumberedElements) {
  for (auto [columns, block] : {std::pair(64, 256),
                                {48, 256},
                                {32, 32},
                                {16, 64},
                                {8, 64},
                                {1, 64},
                                {96, 32},
                                {64, 16},
                                {1000, 128},
                                {33, 128},
                                {37, 64},
                                {50, 256},
                                {300, 128}})
    for (bool isConstant : {true, false})
      expectNumbered(columns, block, 700, isConstant);
}

TEST_P(IndexRuns, QuotientsOfRemainders) {
  const std::string body = R"(
def k(x, out, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    a = i % 32
    b = i // 32 % 3
    c = i // 96
    tl.store(out + i, tl.load(x + a * 27 + b * 9 + c) + 1000 * tl.load(x + (i % 512) // 64))
)";
  const int n = 768;
  std::vector<float> x = numbers(32 * 27 + 9, 4), expected(n);
  for (int i = 0; i < n; ++i)
    expected[i] = x[i % 32 * 27 + i / 32 % 3 * 9 + i / 96] + 1000 * x[i % 512 / 64];
  Array out = device.zeros(DType::Float32, {n});
  run(body, {{"x", device.array(x)}, {"out", out}, {"B", 256}}, {3});
  EXPECT_EQ(out.toVector<float>(), expected);
}

/// As a convolution's input is put in another order: what is stored runs along the tile's other
/// dimension.
TEST_P(IndexRuns, ChannelsLast) {
  const std::string body = R"(
def k(x, out, ynumel, xnumel, C: tl.constexpr, YBLOCK: tl.constexpr, XBLOCK: tl.constexpr):
    y = (tl.program_id(1) * YBLOCK + tl.arange(0, YBLOCK))[:, None]
    x2 = (tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK))[None, :]
    mask = (y < ynumel) & (x2 < xnumel)
    value = tl.load(x + x2 + xnumel * y, mask)
    tl.store(out + y % C + C * x2 + C * xnumel * (y // C), value, mask)
)";
  for (auto [images, channels, points] : {std::tuple(3, 32, 45), {2, 64, 17}, {2, 24, 40}}) {
    std::vector<float> x = numbers(images * channels * points, 5), expected(x.size());
    for (int image = 0; image < images; ++image)
      for (int channel = 0; channel < channels; ++channel)
        for (int point = 0; point < points; ++point)
          expected[(image * points + point) * channels + channel] =
              x[(image * channels + channel) * points + point];
    const int count = static_cast<int>(x.size()), ys = images * channels;
    Array out = device.zeros(DType::Float32, {count});
    run(body,
        {{"x", device.array(x)},
         {"out", out},
         {"ynumel", ys},
         {"xnumel", points},
         {"C", channels},
         {"YBLOCK", 32},
         {"XBLOCK", 16}},
        {(points + 15) / 16, (ys + 31) / 32});
    EXPECT_EQ(out.toVector<float>(), expected) << channels << " channels";
  }
}

TEST_P(IndexRuns, NumbersBelowZero) {
  const std::string body = R"(
def k(q_out, r_out, u_out, first, B: tl.constexpr):
    i = tl.arange(0, B)
    at = first * B + i
    tl.store(q_out + i, at // 64)
    tl.store(r_out + i, at % 64)
    tl.store(u_out + i, (at.to(tl.uint32) // 64).to(tl.int32))
)";
  for (int first : {-1, -2, 0, 3, 1 << 24}) { // 2^24 * 128 wraps
    const int n = 128;
    std::vector<int> q(n), r(n), u(n);
    for (int i = 0; i < n; ++i) {
      auto at = static_cast<int32_t>(static_cast<uint32_t>(first) * n + static_cast<uint32_t>(i));
      q[i] = at / 64;
      r[i] = at % 64;
      u[i] = static_cast<int32_t>(static_cast<uint32_t>(at) / 64);
    }
    Array qs = device.zeros(DType::Int32, {n}), rs = device.zeros(DType::Int32, {n}),
          us = device.zeros(DType::Int32, {n});
    run(body, {{"q_out", qs}, {"r_out", rs}, {"u_out", us}, {"first", first}, {"B", n}});
    EXPECT_EQ(qs.toVector<int>(), q) << first;
    EXPECT_EQ(rs.toVector<int>(), r) << first;
    EXPECT_EQ(us.toVector<int>(), u) << first;
  }
}

/// Elements that lie some apart, as bytes of a picture's points do; the array ends with the last
/// one that is read.
TEST_P(IndexRuns, ElementsApart) {
  auto expectApart = [&]<typename T>(T, int apart, int block) {
    const std::string body =
        "def k(x, out, B: tl.constexpr):\n    i = tl.program_id(0) * B + tl.arange(0, B)\n"
        "    tl.store(out + i, tl.load(x + i * " +
        std::to_string(apart) + (apart < 0 ? " + 2 * (2 * B - 1)" : "") + "))\n";
    const int n = 2 * block, count = std::abs(apart) * (n - 1) + 1;
    std::vector<T> values(count), expected(n);
    for (int i = 0; i < count; ++i)
      values[i] = static_cast<T>(i % 113);
    for (int i = 0; i < n; ++i)
      expected[i] = values[i * apart + (apart < 0 ? 2 * (n - 1) : 0)];
    Array x = device.array(values), out = device.array(std::vector<T>(n));
    run(body, {{"x", x}, {"out", out}, {"B", block}}, {2});
    EXPECT_EQ(out.toVector<T>(), expected)
        << sizeof(T) << " bytes, " << apart << " apart, " << block;
  };
  for (int apart : {1, 2, 3, 4, 5, -2})
    for (int block : {4, 8, 64, 256}) {
      expectApart(int8_t(), apart, block);
      expectApart(float(), apart, block);
      expectApart(double(), apart, block);
    }
}

NEREID_ON_ALL_DEVICES(IndexRuns);

} // namespace
