// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products that feed themselves and each other: factors and sums then want the same memory.
#include "MeaningTest.h"
#include "support/ExactProduct.h"

#include <functional>
#include <random>

using namespace nereid;

namespace {

/// Square matrices of small integers: every sum below is exact in float32.
struct Matrix {
  explicit Matrix(int side) : side(side), elements(static_cast<size_t>(side) * side) {}
  double &at(int i, int j) { return elements[static_cast<size_t>(i) * side + j]; }
  double at(int i, int j) const { return elements[static_cast<size_t>(i) * side + j]; }

  int side;
  std::vector<double> elements;
};

Matrix operator*(const Matrix &a, const Matrix &b) {
  Matrix product(a.side);
  product.elements =
      nereid::test::exactProduct(a.elements, b.elements, a.side, a.side, a.side, {a.side});
  return product;
}
Matrix operator+(Matrix a, const Matrix &b) {
  for (size_t i = 0; i < a.elements.size(); ++i)
    a.elements[i] += b.elements[i];
  return a;
}
Matrix operator*(double factor, Matrix a) {
  for (double &element : a.elements)
    element *= factor;
  return a;
}

/// -1, 0 and 1, most of them 0.
Matrix sparse(int side, unsigned seed) {
  std::mt19937 random(seed);
  Matrix matrix(side);
  for (double &element : matrix.elements)
    if (random() % 4 == 0)
      element = random() % 2 ? 1 : -1;
  return matrix;
}

struct Chain {
  const char *name;
  const char *body; // of a kernel with tiles a, b and c; leaves its result in a
  std::function<Matrix(Matrix, Matrix, Matrix)> expected;
};

template <typename Step> auto threeTimes(Step step) {
  return [step](Matrix a, Matrix b, Matrix c) {
    for (int i = 0; i < 3; ++i)
      step(a, b, c);
    return a;
  };
}

using M = Matrix;
const Chain chains[] = {
    {"ProductOfAProduct", "h = tl.dot(a, b)\n    a = h + tl.dot(h, b)",
     [](M a, M b, M) { return a * b + (a * b) * b; }},
    {"ScaledProductOfAProduct", "h = tl.dot(a, b)\n    a = h * 0.5 + tl.dot(h, b)",
     [](M a, M b, M) { return 0.5 * (a * b) + (a * b) * b; }},
    {"ProductOnTheRight", "h = tl.dot(a, b)\n    a = h + tl.dot(b, h)",
     [](M a, M b, M) { return a * b + b * (a * b); }},
    {"Square", "h = tl.dot(a, b)\n    a = tl.dot(h, h, h)",
     [](M a, M b, M) { return a * b + (a * b) * (a * b); }},
    {"AddsInALoop", "for i in range(n):\n        a += tl.dot(a, b)",
     threeTimes([](M &a, M &b, M &) { a = a + a * b; })},
    {"AccumulatesInALoop", "for i in range(n):\n        a = tl.dot(a, b, a)",
     threeTimes([](M &a, M &b, M &) { a = a + a * b; })},
    {"AccumulatesOnTheRight", "for i in range(n):\n        a = tl.dot(b, a, a)",
     threeTimes([](M &a, M &b, M &) { a = a + b * a; })},
    {"HalvesInALoop", "for i in range(n):\n        a = a * 0.5 + tl.dot(a, b)",
     threeTimes([](M &a, M &b, M &) { a = 0.5 * a + a * b; })},
    {"FeedEachOther",
     "for i in range(n):\n        d = tl.dot(a, b, c)\n        c = tl.dot(d, b, a)\n        a = d",
     threeTimes([](M &a, M &b, M &c) {
       Matrix d = c + a * b;
       c = a + d * b;
       a = d;
     })},
    {"TransposedInALoop", "for i in range(n):\n        a = tl.dot(tl.trans(a), b, a)",
     threeTimes([](M &a, M &b, M &) {
       Matrix t(a.side);
       for (int i = 0; i < a.side; ++i)
         for (int j = 0; j < a.side; ++j)
           t.at(j, i) = a.at(i, j);
       a = a + t * b;
     })},
};

class DotChainTest : public nereid::test::MeaningTest {
protected:
  template <typename T> void expectChain(const Chain &chain, int side) {
    SCOPED_TRACE(std::string(chain.name) + " " + std::to_string(side));
    std::string tiles = R"(
def k(x, out, n, S: tl.constexpr):
    at = tl.arange(0, S)[:, None] * S + tl.arange(0, S)[None, :]
    a = tl.load(x + at)
    b = tl.load(x + S * S + at)
    c = tl.load(x + 2 * S * S + at)
    )";
    std::vector<T> x;
    std::vector<Matrix> matrices;
    for (unsigned seed : {1, 2, 3}) {
      matrices.push_back(sparse(side, seed + static_cast<unsigned>(side)));
      x.insert(x.end(), matrices.back().elements.begin(), matrices.back().elements.end());
    }
    Array out = device.zeros(sizeof(T) == 4 ? DType::Float32 : DType::Float64,
                             {static_cast<int64_t>(side) * side});
    run(tiles + chain.body + "\n    tl.store(out + at, a)\n",
        {{"x", device.array(x)}, {"out", out}, {"n", 3}, {"S", side}});
    Matrix expected = chain.expected(matrices[0], matrices[1], matrices[2]);
    std::vector<T> actual = out.toVector<T>();
    for (size_t i = 0; i < actual.size(); ++i)
      ASSERT_EQ(actual[i], static_cast<T>(expected.elements[i])) << "element " << i;
  }
};

NEREID_ON_ALL_DEVICES(DotChainTest);

TEST_P(DotChainTest, OfFloats) {
  for (const Chain &chain : chains)
    for (int side : {16, 32, 64, 128})
      expectChain<float>(chain, side);
}

TEST_P(DotChainTest, OfDoubles) {
  for (const Chain &chain : chains)
    for (int side : {16, 32, 64})
      expectChain<double>(chain, side);
}

} // namespace
