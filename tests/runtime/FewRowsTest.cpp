// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of which only some rows or columns are stored: what the store's mask leaves out need not
// be computed, and few rows take the right factor where it lies. The mask is seen in many places,
// or cannot be.
#include "MeaningTest.h"
#include "support/ExactProduct.h"

#include <random>

using namespace nereid;

namespace {

using nereid::test::MeaningTest;

// Rows of `a` beyond the last one wrap around, as tutorials have it: they are multiplied unless
// somebody knows that their sums are not stored.
const std::string wrappedProduct = R"(
def product(a, b, c, M, N, K, pad, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, WHOLE: tl.constexpr):
    first = tl.program_id(0) * BM
    i = first + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    l = tl.arange(0, BK)
    a_at = a.to(tl.pointer_type(TYPE)) + (i % M)[:, None] * K + l[None, :]
    b_at = b.to(tl.pointer_type(TYPE)) + l[:, None] * (N + pad) + j[None, :]
    sums = tl.zeros((BM, BN), SUM)
    for k in range(0, K, BK):
        left = tl.load(a_at, mask=(l < K - k)[None, :], other=0)
        if WHOLE:
            right = tl.load(b_at)
        else:
            right = tl.load(b_at, mask=(l[:, None] < K - k) & (j[None, :] < N), other=0)
        sums = tl.dot(left, right, sums, input_precision="ieee")
        a_at += BK
        b_at += BK * (N + pad)
    height = tl.minimum(M - first, BM)
    mask = (tl.arange(0, BM)[:, None] < height) & (j[None, :] < N)
    tl.store(c + i[:, None] * N + j[None, :], sums * 2 + 1, mask=mask)
)";

class FewRows : public MeaningTest {
protected:
  /// Small whole numbers, whose sums are exact in every order.
  template <typename T> std::vector<T> numbers(size_t count) {
    std::vector<T> values(count);
    for (T &value : values)
      value = T(static_cast<int>(random() % 9) - 4);
    return values;
  }

  /// a @ b, of `rows` and `columns`; lines of b are `columns + pad` long.
  template <typename T>
  static std::vector<T> multiplied(const std::vector<T> &a, const std::vector<T> &b, int rows,
                                   int columns, int depth, int pad = 0) {
    return test::exactProductOf<T, T>(a, b, rows, columns, depth, {columns + pad});
  }

  template <typename T>
  void expectProduct(int m, int n, int k, int pad, int blockM, bool isWhole, DType type,
                     const std::string &name) {
    constexpr int blockK = 32;
    std::vector<T> a = numbers<T>(size_t(m) * k), b = numbers<T>(size_t(k) * (n + pad));
    Array c = device.zeros(type, {m, n});
    std::vector<T> expected = multiplied(a, b, m, n, k, pad);
    for (T &value : expected)
      value = value * 2 + 1;
    std::string body = wrappedProduct;
    for (const char *word : {"TYPE", "SUM"})
      for (size_t at; (at = body.find(word)) != std::string::npos;)
        body.replace(at, std::string(word).size(), name);
    // One row of programs more than there are rows: it stores nothing.
    run(body,
        {{"a", device.array(a)},
         {"b", device.array(b)},
         {"c", c},
         {"M", m},
         {"N", n},
         {"K", k},
         {"pad", pad},
         {"BM", blockM},
         {"BN", blockN},
         {"BK", blockK},
         {"WHOLE", isWhole}},
        {(m + blockM - 1) / blockM + 1, (n + blockN - 1) / blockN});
    EXPECT_EQ(c.toVector<T>(), expected)
        << name << " " << m << " x " << n << " x " << k << ", tiles of " << blockM << ", " << pad
        << " " << isWhole;
  }

  std::mt19937 random{5};
  int blockN = 64;
};

TEST_P(FewRows, of_any_number) {
  for (auto [m, block] : {std::pair{1, 16},
                          {2, 16},
                          {3, 32},
                          {4, 16},
                          {5, 16},
                          {13, 16},
                          {15, 32},
                          {16, 16},
                          {17, 32},
                          {31, 32},
                          {33, 32},
                          {70, 64},
                          {1, 1},
                          {3, 2},
                          {7, 4},
                          {8, 8}}) {
    bool isWhole = random() & 1;
    int n = isWhole ? 128 : 100, k = isWhole ? 96 : 75, pad = static_cast<int>(random() % 2) * 3;
    expectProduct<float>(m, n, k, pad, block, isWhole, DType::Float32, "tl.float32");
    expectProduct<double>(m, 128, 64, pad, block, isWhole, DType::Float64, "tl.float64");
  }
}

// Columns that nobody stores are not multiplied, either: from none to all of a tile's.
TEST_P(FewRows, and_few_columns) {
  blockN = 128;
  for (int n : {1, 32, 33, 130, 200})
    for (auto [m, block] : {std::pair{3, 16}, {70, 64}}) {
      expectProduct<float>(m, n, 40, 3, block, false, DType::Float32, "tl.float32");
      expectProduct<double>(m, n, 33, 0, block, false, DType::Float64, "tl.float64");
    }
}

TEST_P(FewRows, and_few_columns_of_narrow_numbers) {
  constexpr int rows = 40, depth = 48;
  const std::string body = R"(
def product(a, b, c, M, N, K: tl.constexpr, BN: tl.constexpr):
    i = tl.arange(0, 64)
    l = tl.arange(0, 64)
    j = tl.program_id(0) * BN + tl.arange(0, BN)
    left = tl.load(a + i[:, None] * K + l[None, :], mask=(i < M)[:, None] & (l < K)[None, :], other=0).to(tl.TYPE)
    right = tl.load(b + l[:, None] * N + j[None, :], mask=(l < K)[:, None] & (j < N)[None, :], other=0).to(tl.TYPE)
    sums = tl.dot(left, right).to(tl.float32)
    tl.store(c + i[:, None] * N + j[None, :], sums, mask=(i < M)[:, None] & (j < N)[None, :])
)";
  for (const char *type : {"float16", "bfloat16", "int8"})
    for (int n : {5, 64, 80, 200}) {
      std::vector<float> a = numbers<float>(rows * depth), b = numbers<float>(depth * n);
      Array c = device.zeros(DType::Float32, {rows, n});
      std::string text = body;
      for (size_t at; (at = text.find("TYPE")) != std::string::npos;)
        text.replace(at, 4, type);
      run(text,
          {{"a", device.array(a)},
           {"b", device.array(b)},
           {"c", c},
           {"M", rows},
           {"N", n},
           {"K", depth},
           {"BN", 128}},
          {(n + 127) / 128});
      EXPECT_EQ(c.toVector<float>(), multiplied(a, b, rows, n, depth)) << type << " " << n;
    }
}

// Factors that are widened on their way.
TEST_P(FewRows, of_narrow_numbers) {
  constexpr int depth = 48, columns = 64;
  for (const char *type : {"tl.float16", "tl.bfloat16", "tl.int8"})
    for (int rows : {1, 3, 9, 16}) {
      std::vector<float> a = numbers<float>(size_t(rows) * depth),
                         b = numbers<float>(depth * columns);
      Array narrow = device.zeros(DType::Int32, {rows * depth + depth * columns});
      Array c = device.zeros(DType::Float32, {rows, columns});
      Array wideA = device.array(a), wideB = device.array(b);
      std::string body = std::string(R"(
def narrow(wide, memory, count, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(memory.to(tl.pointer_type()") +
                         type + ")) + i, tl.load(wide + i, mask=i < count).to(" + type +
                         "), mask=i < count)\n";
      Array narrowA = device.zeros(DType::Int32, {rows * depth});
      Array narrowB = device.zeros(DType::Int32, {depth * columns});
      run(body, {{"wide", wideA}, {"memory", narrowA}, {"count", rows * depth}, {"BLOCK", 64}},
          {(rows * depth + 63) / 64});
      run(body, {{"wide", wideB}, {"memory", narrowB}, {"count", depth * columns}, {"BLOCK", 64}},
          {depth * columns / 64});
      auto as = std::string("tl.pointer_type(") + type + ")";
      std::string sum = type == std::string("tl.int8") ? "tl.int32" : "tl.float32";
      run(std::string(R"(
def product(a, b, c, M, K: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, 16)
    l = tl.arange(0, 16)
    j = tl.arange(0, N)
    sums = tl.zeros((16, N), )") +
              sum + R"()
    for k in range(0, K, 16):
        left = tl.load(a.to()" +
              as + R"() + i[:, None] * K + k + l[None, :], mask=(i < M)[:, None], other=0)
        right = tl.load(b.to()" +
              as + R"() + (k + l)[:, None] * N + j[None, :])
        sums = tl.dot(left, right, sums)
    tl.store(c + i[:, None] * N + j[None, :], sums.to(tl.float32), mask=(i < M)[:, None])
)",
          {{"a", narrowA}, {"b", narrowB}, {"c", c}, {"M", rows}, {"K", depth}, {"N", columns}});
      EXPECT_EQ(c.toVector<float>(), multiplied(a, b, rows, columns, depth)) << type << " " << rows;
    }
}

// The number of rows is loaded, as groups of experts have it, and a loop over tiles of columns
// stands around.
TEST_P(FewRows, whose_number_is_in_memory) {
  constexpr int depth = 32, columns = 128;
  const std::vector<int> heights = {0, 1, 5, 16, 3};
  std::vector<float> a = numbers<float>(heights.size() * 16 * depth),
                     b = numbers<float>(depth * columns);
  Array c = device.array(std::vector<float>(heights.size() * 16 * columns, 9.0f));
  run(R"(
def groups(a, b, c, heights, K: tl.constexpr, N: tl.constexpr):
    group = tl.program_id(0)
    height = tl.load(heights + group)
    i = tl.arange(0, 16)
    l = tl.arange(0, 16)
    for n in range(0, N, 32):
        j = n + tl.arange(0, 32)
        sums = tl.zeros((16, 32), tl.float32)
        for k in range(0, K, 16):
            left = tl.load(a + (group * 16 + i)[:, None] * K + k + l[None, :])
            sums += tl.dot(left, tl.load(b + (k + l)[:, None] * N + j[None, :]), input_precision="ieee")
        tl.store(c + (group * 16 + i)[:, None] * N + j[None, :], sums, mask=(i < height)[:, None])
)",
      {{"a", device.array(a)},
       {"b", device.array(b)},
       {"c", c},
       {"heights", device.array(heights)},
       {"K", depth},
       {"N", columns}},
      {static_cast<int>(heights.size())});
  std::vector<float> expected =
      multiplied(a, b, static_cast<int>(heights.size()) * 16, columns, depth);
  for (size_t i = 0; i < expected.size(); ++i)
    if (static_cast<int>(i / columns % 16) >= heights[i / columns / 16])
      expected[i] = 9;
  EXPECT_EQ(c.toVector<float>(), expected);
}

// A mask for each round: what is left out in the first is stored in the last.
TEST_P(FewRows, of_a_mask_that_grows) {
  constexpr int depth = 64, columns = 32;
  std::vector<float> a = numbers<float>(16 * depth), b = numbers<float>(depth * columns);
  Array c = device.zeros(DType::Float32, {16, columns});
  run(R"(
def grows(a, b, c, K: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, 16)
    l = tl.arange(0, 16)
    j = tl.arange(0, N)
    sums = tl.zeros((16, N), tl.float32)
    for k in range(0, K, 16):
        sums = tl.dot(tl.load(a + i[:, None] * K + k + l[None, :]), tl.load(b + (k + l)[:, None] * N + j[None, :]), sums,
                      input_precision="ieee")
        tl.store(c + i[:, None] * N + j[None, :], sums, mask=(i < (k + 16) // 4)[:, None])
)",
      {{"a", device.array(a)}, {"b", device.array(b)}, {"c", c}, {"K", depth}, {"N", columns}});
  EXPECT_EQ(c.toVector<float>(), multiplied(a, b, 16, columns, depth));
}

// Two stores need what either does; sums over rows need all; rows that no prefix holds.
TEST_P(FewRows, of_several_readers) {
  constexpr int depth = 32, columns = 64;
  std::vector<float> a = numbers<float>(16 * depth), b = numbers<float>(depth * columns);
  std::vector<float> whole = multiplied(a, b, 16, columns, depth);
  Array first = device.zeros(DType::Float32, {16, columns}),
        second = device.zeros(DType::Float32, {16, columns});
  Array odd = device.zeros(DType::Float32, {16, columns}),
        sums = device.zeros(DType::Float32, {columns});
  const std::string begin = R"(
def readers(a, b, first, second, few, more, K: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, 16)
    l = tl.arange(0, K)
    j = tl.arange(0, N)
    c = tl.dot(tl.load(a + i[:, None] * K + l[None, :]), tl.load(b + l[:, None] * N + j[None, :]), input_precision="ieee")
    at = i[:, None] * N + j[None, :]
    tl.store(first + at, c, mask=(i < few)[:, None])
)";
  auto runWith = [&](const std::string &end, Array &one, Array &other, int few, int more) {
    run(begin + end, {{"a", device.array(a)},
                      {"b", device.array(b)},
                      {"first", one},
                      {"second", other},
                      {"few", few},
                      {"more", more},
                      {"K", depth},
                      {"N", columns}});
  };
  auto expectRows = [&](Array &array, auto isStored) {
    std::vector<float> expected = whole;
    for (int i = 0; i < 16 * columns; ++i)
      if (!isStored(i / columns))
        expected[i] = 0;
    EXPECT_EQ(array.toVector<float>(), expected);
  };
  runWith("    tl.store(second + at, c * 1.0, mask=(i < more)[:, None] & (j >= 0)[None, :])\n",
          first, second, 2, 7);
  expectRows(first, [](int row) { return row < 2; });
  expectRows(second, [](int row) { return row < 7; });
  runWith("    tl.store(second + at, c, mask=(i[:, None] < more) & (i[:, None] % 2 == 1))\n", first,
          odd, 2, 12);
  expectRows(odd, [](int row) { return row < 12 && row % 2 == 1; });
  runWith("    tl.store(second + j, tl.sum(c, 0))\n", first, sums, 1, 0);
  std::vector<float> expected(columns, 0);
  for (int i = 0; i < 16 * columns; ++i)
    expected[i % columns] += whole[i];
  EXPECT_EQ(sums.toVector<float>(), expected);
}

NEREID_ON_ALL_DEVICES(FewRows);

} // namespace
