// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices in loops over the depth, tile by tile under masks, at random sizes of which
// most fill no tile. On CPUs the first rounds ask for the memory of later ones, and factors are
// copied or read where they lie.
#include "MeaningTest.h"
#include "support/ExactProduct.h"

#include <bit>
#include <random>

using namespace nereid;

namespace {

using nereid::test::MeaningTest;

const char *const product = R"(
def product(a, b, c, M, N, K, pad, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
            TA: tl.constexpr, TB: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    l = tl.arange(0, BK)
    if TA:
        a_at = a.to(tl.pointer_type(TYPE)) + l[None, :] * (M + pad) + i[:, None]
    else:
        a_at = a.to(tl.pointer_type(TYPE)) + i[:, None] * (K + pad) + l[None, :]
    if TB:
        b_at = b.to(tl.pointer_type(TYPE)) + j[None, :] * (K + pad) + l[:, None]
    else:
        b_at = b.to(tl.pointer_type(TYPE)) + l[:, None] * (N + pad) + j[None, :]
    sums = tl.zeros((BM, BN), SUM)
    for k in range(0, K, BK):
        left = tl.load(a_at, mask=(i[:, None] < M) & (l[None, :] < K - k), other=0)
        right = tl.load(b_at, mask=(l[:, None] < K - k) & (j[None, :] < N), other=0)
        sums = tl.dot(left, right, sums)
        if TA:
            a_at += BK * (M + pad)
        else:
            a_at += BK
        if TB:
            b_at += BK
        else:
            b_at += BK * (N + pad)
    tl.store(c + i[:, None] * N + j[None, :], sums, mask=(i[:, None] < M) & (j[None, :] < N))
)";

struct TiledProduct {
  int m, n, k, pad;
  bool isLeftByColumns, isRightByColumns;
  int blockM, blockN, blockK;
};

class ProductLoop : public MeaningTest {
protected:
  /// Rows or columns with `pad` elements between them, which are large and belong to none.
  template <typename T, typename Convert>
  std::vector<T> laidOut(const std::vector<int> &values, int rows, int columns, bool isByColumns,
                         int pad, Convert convert) {
    int lines = isByColumns ? columns : rows, length = isByColumns ? rows : columns;
    std::vector<T> memory(size_t(lines) * (length + pad), convert(100));
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        memory[size_t(isByColumns ? j : i) * (length + pad) + (isByColumns ? i : j)] =
            convert(values[size_t(i) * columns + j]);
    return memory;
  }

  template <typename T, typename Sum, typename Convert>
  void expectProduct(const TiledProduct &t, const std::string &type, const std::string &sum,
                     Convert convert) {
    std::vector<int> left = smallNumbers(random, size_t(t.m) * t.k),
                     right = smallNumbers(random, size_t(t.k) * t.n);
    std::vector<T> a = laidOut<T>(left, t.m, t.k, t.isLeftByColumns, t.pad, convert);
    std::vector<T> b = laidOut<T>(right, t.k, t.n, t.isRightByColumns, t.pad, convert);
    Array c = device.zeros(std::is_integral_v<Sum> ? DType::Int32 : DType::Float32, {t.m, t.n});
    std::vector<Sum> expected = test::exactProductOf<Sum, int>(left, right, t.m, t.n, t.k, {t.n});
    std::string body = product;
    for (auto [name, value] : {std::pair<std::string, std::string>{"TYPE", type}, {"SUM", sum}})
      for (size_t at; (at = body.find(name)) != std::string::npos;)
        body.replace(at, name.size(), value);
    run(body,
        {{"a", device.array(a)},
         {"b", device.array(b)},
         {"c", c},
         {"M", t.m},
         {"N", t.n},
         {"K", t.k},
         {"pad", t.pad},
         {"BM", t.blockM},
         {"BN", t.blockN},
         {"BK", t.blockK},
         {"TA", t.isLeftByColumns},
         {"TB", t.isRightByColumns}},
        {(t.m + t.blockM - 1) / t.blockM, (t.n + t.blockN - 1) / t.blockN});
    EXPECT_EQ(c.toVector<Sum>(), expected)
        << type << " " << t.m << " x " << t.n << " x " << t.k << " in tiles of " << t.blockM
        << " x " << t.blockN << " x " << t.blockK << ", columns " << t.isLeftByColumns
        << t.isRightByColumns;
  }

  void expectProducts(const TiledProduct &t) {
    auto bits = [](int value) {
      return static_cast<uint16_t>(std::bit_cast<uint32_t>(float(value)) >> 16);
    };
    auto byte = [](int value) { return static_cast<int8_t>(value); };
    auto single = [](int value) { return float(value); };
    expectProduct<uint16_t, float>(t, "tl.bfloat16", "tl.float32", bits);
    expectProduct<int8_t, int32_t>(t, "tl.int8", "tl.int32", byte);
    expectProduct<float, float>(t, "tl.float32", "tl.float32", single);
  }

  std::mt19937 random{11};
};

TEST_P(ProductLoop, of_random_sizes) {
  const int blocks[][3] = {{16, 32, 32}, {32, 64, 64}, {64, 32, 128}};
  for (int round = 0; round < 12; ++round) {
    const auto &block = blocks[round % 3];
    auto upTo = [&](int most) { return static_cast<int>(random() % most) + 1; };
    expectProducts({upTo(100), upTo(100), upTo(260), round % 2 ? upTo(5) : 0, bool(random() & 1),
                    bool(random() & 1), block[0], block[1], block[2]});
  }
}

TEST_P(ProductLoop, of_whole_tiles) {
  for (int round = 0; round < 4; ++round)
    expectProducts({64, 64, 256, 0, bool(round & 1), bool(round & 2), 32, 32, 64});
}

TEST_P(ProductLoop, of_no_depth) { expectProducts({33, 17, 0, 3, false, false, 32, 32, 64}); }

NEREID_ON_ALL_DEVICES(ProductLoop);

} // namespace
