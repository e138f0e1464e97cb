// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products whose programs share tiles of the right factor, which CPUs pack once for a thread's
// programs of a launch: in any order of programs, with more rounds than are kept, under masks,
// however the factor lies; and never where it has changed meanwhile.
#include "MeaningTest.h"
#include "support/ExactProduct.h"

#include <bit>
#include <random>

using namespace nereid;

namespace {

using nereid::test::MeaningTest;

// Rows of programs go down first. Each program may do several tiles of rows, and a matrix of a
// batch.
const std::string sharedColumns = R"(
def product(a, b, c, M, N, K, row_b, column_b, between, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, TILES: tl.constexpr):
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    l = tl.arange(0, BK)
    a_all = a.to(tl.pointer_type(TYPE)) + tl.program_id(2) * M * K
    b_all = b.to(tl.pointer_type(TYPE)) + tl.program_id(2) * between
    for t in range(TILES):
        i = (tl.program_id(0) * TILES + t) * BM + tl.arange(0, BM)
        sums = tl.zeros((BM, BN), SUM)
        for k in range(0, K, BK):
            left = tl.load(a_all + i[:, None] * K + k + l[None, :], mask=(i[:, None] < M) & (k + l[None, :] < K), other=0)
            right = tl.load(b_all + (k + l)[:, None] * row_b + j[None, :] * column_b, mask=(k + l[:, None] < K) & (j[None, :] < N), other=0)
            sums = tl.dot(left, right, sums, input_precision="tf32")
        tl.store(c + tl.program_id(2) * M * N + i[:, None] * N + j[None, :], sums, mask=(i[:, None] < M) & (j[None, :] < N))
)";

struct Shape {
  int m, n, k, batch, tiles;
  bool isRightByColumns;
  int blockM, blockN, blockK;
};

class KeptPanels : public MeaningTest {
protected:
  template <typename T, typename Convert>
  static std::vector<T> converted(const std::vector<int> &values, Convert convert) {
    std::vector<T> result;
    for (int value : values)
      result.push_back(convert(value));
    return result;
  }

  template <typename T, typename Sum, typename Convert>
  void expectProducts(const Shape &s, const std::string &type, const std::string &sum,
                      Convert convert) {
    std::string body = sharedColumns;
    for (auto [name, value] : {std::pair<std::string, std::string>{"TYPE", type}, {"SUM", sum}})
      for (size_t at; (at = body.find(name)) != std::string::npos;)
        body.replace(at, name.size(), value);
    size_t sizeA = size_t(s.batch) * s.m * s.k, sizeB = size_t(s.batch) * s.k * s.n;
    Array a = device.array(std::vector<T>(sizeA)), b = device.array(std::vector<T>(sizeB));
    Array c =
        device.zeros(std::is_integral_v<Sum> ? DType::Int32 : DType::Float32, {s.batch * s.m, s.n});
    int rowB = s.isRightByColumns ? 1 : s.n, columnB = s.isRightByColumns ? s.k : 1;
    // The same arrays, with other numbers in each launch.
    for (int launch = 0; launch < 3; ++launch) {
      std::vector<int> left = smallNumbers(random, sizeA), right = smallNumbers(random, sizeB);
      a.copyFrom(converted<T>(left, convert).data());
      b.copyFrom(converted<T>(right, convert).data());
      run(body,
          {{"a", a},
           {"b", b},
           {"c", c},
           {"M", s.m},
           {"N", s.n},
           {"K", s.k},
           {"row_b", rowB},
           {"column_b", columnB},
           {"between", s.k * s.n},
           {"BM", s.blockM},
           {"BN", s.blockN},
           {"BK", s.blockK},
           {"TILES", s.tiles}},
          {(s.m + s.blockM * s.tiles - 1) / (s.blockM * s.tiles), (s.n + s.blockN - 1) / s.blockN,
           s.batch});
      std::vector<Sum> expected;
      for (int batch = 0; batch < s.batch; ++batch) {
        std::span<const int> a = left, b = right;
        std::vector<Sum> of = test::exactProductOf<Sum>(a.subspan(size_t(batch) * s.m * s.k),
                                                        b.subspan(size_t(batch) * s.k * s.n), s.m,
                                                        s.n, s.k, {rowB, columnB});
        expected.insert(expected.end(), of.begin(), of.end());
      }
      EXPECT_EQ(c.toVector<Sum>(), expected)
          << type << " " << s.m << " x " << s.n << " x " << s.k << ", launch " << launch;
    }
  }

  void expectAll(const Shape &s) {
    auto bits = [](int value) {
      return static_cast<uint16_t>(std::bit_cast<uint32_t>(float(value)) >> 16);
    };
    expectProducts<float, float>(s, "tl.float32", "tl.float32",
                                 [](int value) { return float(value); });
    expectProducts<uint16_t, float>(s, "tl.bfloat16", "tl.float32", bits);
    expectProducts<int8_t, int32_t>(s, "tl.int8", "tl.int32",
                                    [](int value) { return static_cast<int8_t>(value); });
  }

  std::mt19937 random{17};
};

TEST_P(KeptPanels, of_programs_that_share_columns) {
  expectAll({160, 64, 128, 1, 1, false, 32, 32, 64});
  expectAll({160, 64, 128, 1, 1, true, 32, 32, 64});
  expectAll({77, 41, 99, 3, 1, false, 32, 32, 32});
  expectAll({77, 41, 99, 2, 1, true, 32, 32, 32});
  expectAll({128, 64, 128, 2, 2, false, 32, 64, 64});
}

// At most 16 rounds of 64 KiB are kept of float32.
TEST_P(KeptPanels, of_more_rounds_than_are_kept) {
  expectAll({96, 128, 2400, 1, 1, false, 32, 128, 128});
}

// Tiles that masks leave out the last rows and columns of are kept as well, and are others where
// they lie in one place and end elsewhere, or have gaps.
TEST_P(KeptPanels, of_tiles_that_end_early) {
  expectAll({160, 50, 100, 2, 1, false, 32, 64, 128});
  expectAll({160, 50, 100, 2, 1, true, 32, 64, 128});
  constexpr int rows = 32, side = 64, depth = 48, programs = 12;
  std::vector<float> a(rows * depth), b(depth * side);
  for (std::vector<float> *values : {&a, &b})
    for (float &value : *values)
      value = float(static_cast<int>(random() % 5) - 2);
  const std::vector<int> depths = {48, 48, 20, 20, 48, 7, 7, 7, 48, 48, 0, 48},
                         columns = {64, 30, 30, 30, 30, 64, 64, 1, 64, 64, 64, 33},
                         left = {0, 0, 0, 0, 0, 0, 0, 0, 5, 5, 0, 0};
  const std::string body = R"(
def product(a, b, c, depths, columns, left, K: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    program = tl.program_id(0)
    i = tl.arange(0, 32)
    l = tl.arange(0, BK)
    j = tl.arange(0, N)
    most = tl.load(depths + program)
    width = tl.load(columns + program)
    gap = tl.load(left + program)
    sums = tl.zeros((32, N), tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a + i[:, None] * K + k + l[None, :], mask=(k + l < K)[None, :], other=0)
        y = tl.load(b + (k + l)[:, None] * N + j[None, :], mask=MASK, other=0)
        sums = tl.dot(x.to(tl.TYPE), y.to(tl.TYPE), sums, input_precision="ieee")
    tl.store(c + program * 32 * N + i[:, None] * N + j[None, :], sums)
)";
  const std::string split = "((k + l < most)[:, None] & ((j < width) & (j >= gap))[None, :])";
  for (const std::string &mask :
       {split, split + " & (width > 1)", split + " & (l[:, None] < K - k)"})
    for (const char *type : {"float32", "bfloat16"}) {
      std::string text = body;
      text.replace(text.find("MASK"), 4, mask);
      for (size_t at; (at = text.find("TYPE")) != std::string::npos;)
        text.replace(at, 4, type);
      Array c = device.zeros(DType::Float32, {programs * rows, side});
      run(text,
          {{"a", device.array(a)},
           {"b", device.array(b)},
           {"c", c},
           {"depths", device.array(depths)},
           {"columns", device.array(columns)},
           {"left", device.array(left)},
           {"K", depth},
           {"N", side},
           {"BK", 64}},
          {programs});
      std::vector<float> expected(programs * rows * side, 0);
      for (int p = 0; p < programs; ++p)
        for (int i = 0; i < rows; ++i)
          for (int j = left[p]; j < columns[p]; ++j)
            for (int l = 0;
                 l < depths[p] && (columns[p] > 1 || mask.find("width > 1") == mask.npos); ++l)
              expected[(p * rows + i) * side + j] += a[i * depth + l] * b[l * side + j];
      EXPECT_EQ(c.toVector<float>(), expected) << mask << " " << type;
    }
}

// Two products in a loop, one of a factor that is loaded by rows and turned, as attention has them.
TEST_P(KeptPanels, of_a_factor_that_is_turned) {
  constexpr int rows = 96, depth = 32, middle = 80;
  std::vector<float> a(rows * depth), b(middle * depth);
  for (std::vector<float> *values : {&a, &b})
    for (float &value : *values)
      value = float(static_cast<int>(random() % 3) - 1);
  Array c = device.zeros(DType::Float32, {rows, depth});
  run(R"(
def product(a, b, c, M, D: tl.constexpr):
    i = tl.program_id(0) * 32 + tl.arange(0, 32)
    d = tl.arange(0, D)
    left = tl.load(a + i[:, None] * D + d[None, :])
    total = tl.zeros((32, D), tl.float32)
    for m in range(0, M, 16):
        j = m + tl.arange(0, 16)
        turned = tl.trans(tl.load(b + j[:, None] * D + d[None, :]))
        scores = tl.dot(left, turned, input_precision="ieee")
        total = tl.dot(scores, tl.load(b + j[:, None] * D + d[None, :]), total, input_precision="ieee")
    tl.store(c + i[:, None] * D + d[None, :], total)
)",
      {{"a", device.array(a)}, {"b", device.array(b)}, {"c", c}, {"M", middle}, {"D", depth}},
      {rows / 32});
  std::vector<float> expected(rows * depth, 0);
  for (int i = 0; i < rows; ++i)
    for (int m = 0; m < middle; ++m) {
      float score = 0;
      for (int d = 0; d < depth; ++d)
        score += a[i * depth + d] * b[m * depth + d];
      for (int d = 0; d < depth; ++d)
        expected[i * depth + d] += score * b[m * depth + d];
    }
  EXPECT_EQ(c.toVector<float>(), expected);
}

// Programs of which no two share columns, more in a row than look in vain.
TEST_P(KeptPanels, of_programs_that_share_none) {
  expectAll({32, 512, 64, 1, 1, false, 32, 32, 32});
}

// The factor that the second tile of rows takes is what the first one gave.
TEST_P(KeptPanels, of_a_factor_that_the_kernel_writes) {
  constexpr int side = 32;
  std::vector<float> a(2 * side * side), b(side * side);
  for (float &value : a)
    value = float(static_cast<int>(random() % 3) - 1);
  for (float &value : b)
    value = float(static_cast<int>(random() % 3) - 1);
  Array memory = device.array(b);
  run(R"(
def product(a, b, c, S: tl.constexpr):
    j = tl.arange(0, S)
    l = tl.arange(0, S // 2)
    for t in range(2):
        sums = tl.zeros((S, S), tl.float32)
        for k in range(0, S, S // 2):
            left = tl.load(a + (t * S + j)[:, None] * S + k + l[None, :])
            sums = tl.dot(left, tl.load(b + (k + l)[:, None] * S + j[None, :]), sums, input_precision="ieee")
        tl.store(c + j[:, None] * S + j[None, :], sums)
)",
      {{"a", device.array(a)}, {"b", memory}, {"c", memory}, {"S", side}});
  for (int t = 0; t < 2; ++t) {
    std::vector<float> c(side * side, 0);
    for (int i = 0; i < side; ++i)
      for (int l = 0; l < side; ++l)
        for (int j = 0; j < side; ++j)
          c[i * side + j] += a[(t * side + i) * side + l] * b[l * side + j];
    b = c;
  }
  EXPECT_EQ(memory.toVector<float>(), b);
}

NEREID_ON_ALL_DEVICES(KeptPanels);

} // namespace
