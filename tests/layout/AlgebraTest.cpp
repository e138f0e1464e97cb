// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The laws of the algebra on random maps, and each operation against plain enumeration.
#include "layout/LinearLayout.h"
#include "layout/RandomLayout.h"

#include "support/Check.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace nereid::layout::test {
namespace {

constexpr int Rounds = 300;

std::set<Vector> allSums(std::span<const Vector> generators) {
  std::set<Vector> sums = {0};
  for (Vector generator : generators)
    for (Vector sum : std::set<Vector>(sums))
      sums.insert(sum ^ generator);
  return sums;
}

std::vector<Vector> randomVectors(Random &random, unsigned count, unsigned bits) {
  std::vector<Vector> vectors(count);
  for (Vector &vector : vectors)
    vector = random() & ((Vector(1) << bits) - 1);
  return vectors;
}

TEST(Subspace, HoldsTheSumsOfItsGenerators) {
  Random random(1);
  for (int i = 0; i < Rounds; ++i) {
    const auto generators = randomVectors(random, below(random, 7), 7);
    const Subspace space(generators);
    const auto sums = allSums(generators);
    EXPECT_EQ(sums.size(), size_t(1) << space.dimension());
    std::map<Vector, std::set<Vector>> cosets;
    for (Vector vector = 0; vector < 128; ++vector) {
      EXPECT_EQ(space.contains(vector), sums.count(vector) == 1);
      cosets[space.reduce(vector)].insert(vector);
    }
    for (const auto &[representative, coset] : cosets)
      EXPECT_EQ(coset.size(), sums.size());
    // Another set of generators of the same space.
    std::vector<Vector> others(sums.begin(), sums.end());
    std::shuffle(others.begin(), others.end(), random);
    EXPECT_EQ(Subspace(others), space);
  }
}

TEST(Subspace, Intersection) {
  Random random(2);
  for (int i = 0; i < Rounds; ++i) {
    const auto a = randomVectors(random, below(random, 7), 7);
    const auto b = randomVectors(random, below(random, 7), 7);
    const auto sumsOfA = allSums(a), sumsOfB = allSums(b);
    const Subspace common = intersection(Subspace(a), Subspace(b));
    for (Vector vector = 0; vector < 128; ++vector)
      EXPECT_EQ(common.contains(vector), sumsOfA.count(vector) && sumsOfB.count(vector));
  }
}

TEST(LinearLayout, IsLinear) {
  Random random(3);
  for (int i = 0; i < Rounds; ++i) {
    const LinearLayout layout = randomLayout(random, randomSpaces(random, {"a", "b", "c"}, 9),
                                             randomSpaces(random, {"x", "y"}, 8));
    EXPECT_EQ(layout(0), 0u);
    const Vector a = below(random, 512), b = below(random, 512);
    EXPECT_EQ(layout(a ^ b), layout(a) ^ layout(b));
    // By coordinates, the same map.
    EXPECT_EQ(pack(layout.outputs(), layout(unpack(layout.inputs(), a))), layout(a));
  }
}

TEST(LinearLayout, PackingIsRowMajor) {
  const Spaces spaces = {{"dim0", 2}, {"dim1", 0}, {"dim2", 3}};
  uint64_t element = 0;
  for (uint64_t i = 0; i < 4; ++i)
    for (uint64_t j = 0; j < 8; ++j, ++element) {
      EXPECT_EQ(pack(spaces, {i, 0, j}), element);
      EXPECT_EQ(unpack(spaces, element), (Coordinates{i, 0, j}));
    }
  EXPECT_THROW(pack(spaces, {4, 0, 0}), InternalError);
  EXPECT_THROW(pack(spaces, {0, 0}), InternalError);
}

TEST(LinearLayout, CompositionIsOneAfterTheOther) {
  Random random(4);
  for (int i = 0; i < Rounds; ++i) {
    const Spaces from = randomSpaces(random, {"a", "b"}, 6);
    const Spaces middle = randomSpaces(random, {"x", "y"}, 6);
    const Spaces to = randomSpaces(random, {"p", "q", "r"}, 5);
    const Spaces end = randomSpaces(random, {"s"}, 5);
    const LinearLayout first = randomLayout(random, from, middle);
    // The next one may have its inputs in another order, and larger.
    const LinearLayout second = randomLayout(random, {{"y", middle[1].bits + 1}, middle[0]}, to);
    const LinearLayout third = randomLayout(random, to, end);
    const LinearLayout both = first.then(second);
    for (Vector place = 0; place < 64; ++place) {
      const Coordinates xy = first(unpack(from, place));
      EXPECT_EQ(unpack(to, both(place)), second(Coordinates{xy[1], xy[0]}));
    }
    EXPECT_EQ(both.then(third), first.then(second.then(third)));
  }
}

TEST(LinearLayout, InverseUndoes) {
  Random random(5);
  for (int i = 0; i < Rounds; ++i) {
    const LinearLayout layout = randomInvertible(random, randomSpaces(random, {"a", "b"}, 7),
                                                 randomSpaces(random, {"x", "y"}, 7));
    const LinearLayout inverse = layout.inverse();
    for (Vector place = 0; place < 128; ++place)
      EXPECT_EQ(inverse(layout(place)), place);
    EXPECT_EQ(inverse.inverse(), layout);
  }
  EXPECT_THROW(LinearLayout::zero({"a", 1}, {{"x", 1}}).inverse(), InternalError);
}

TEST(LinearLayout, PropertiesAreThoseOfTheMap) {
  Random random(6);
  for (int i = 0; i < Rounds; ++i) {
    const unsigned ins = below(random, 8), outs = below(random, 8);
    const LinearLayout layout = randomLayout(random, {{"a", ins}}, {{"x", outs}});
    std::map<Vector, std::vector<Vector>> placesOf;
    for (Vector place = 0; place < Vector(1) << ins; ++place)
      placesOf[layout(place)].push_back(place);
    EXPECT_EQ(layout.isInjective(), placesOf.size() == size_t(1) << ins);
    EXPECT_EQ(layout.isSurjective(), placesOf.size() == size_t(1) << outs);
    EXPECT_EQ(size_t(1) << layout.rank(), placesOf.size());
    const Subspace kernel = layout.kernel(), image = layout.image();
    for (Vector place = 0; place < Vector(1) << ins; ++place)
      EXPECT_EQ(kernel.contains(place), layout(place) == 0);
    for (Vector element = 0; element < Vector(1) << outs; ++element)
      EXPECT_EQ(image.contains(element), placesOf.count(element) == 1);

    const LinearLayout back = layout.pseudoInverse();
    EXPECT_EQ(layout.then(back).then(layout), layout);
    if (layout.isSurjective())
      EXPECT_EQ(back.then(layout), LinearLayout::identity({"x", outs}, "x"));
    if (layout.isInjective())
      EXPECT_EQ(layout.then(back), LinearLayout::identity({"a", ins}, "a"));
  }
}

TEST(LinearLayout, ProductHasEachFactorInItsBits) {
  Random random(7);
  for (int i = 0; i < Rounds; ++i) {
    const LinearLayout inner = randomLayout(random, randomSpaces(random, {"a", "b"}, 4),
                                            randomSpaces(random, {"x", "y"}, 4));
    const LinearLayout outer = randomLayout(random, randomSpaces(random, {"a", "c", "b"}, 4),
                                            randomSpaces(random, {"z", "x", "y"}, 4));
    const LinearLayout product = inner * outer;
    for (Vector in = 0; in < 16; ++in)
      for (Vector out = 0; out < 16; ++out) {
        const Coordinates low = unpack(inner.inputs(), in), high = unpack(outer.inputs(), out);
        const unsigned a = inner.inputs()[0].bits, b = inner.inputs()[1].bits;
        const Coordinates place = {low[0] | high[0] << a, high[1], low[1] | high[2] << b};
        const Coordinates x = inner(low), y = outer(high);
        const Coordinates element = {y[0], x[0] | y[1] << inner.outputs()[0].bits,
                                     x[1] | y[2] << inner.outputs()[1].bits};
        ASSERT_EQ(product(place), element);
      }
    EXPECT_EQ(product.rank(), inner.rank() + outer.rank());
    const auto quotient = product.dividedBy(inner);
    ASSERT_TRUE(quotient);
    EXPECT_EQ(*quotient, outer);
    const LinearLayout last =
        randomLayout(random, randomSpaces(random, {"d", "b"}, 2), randomSpaces(random, {"x"}, 2));
    EXPECT_EQ((inner * outer).dividedBy(inner * last).has_value(),
              outer.dividedBy(last).has_value());
  }
}

TEST(LinearLayout, ProductIsAssociative) {
  Random random(8);
  for (int i = 0; i < Rounds; ++i) {
    const auto factor = [&] {
      return randomLayout(random, randomSpaces(random, {"a", "b"}, 3),
                          randomSpaces(random, {"x", "y"}, 3));
    };
    const LinearLayout a = factor(), b = factor(), c = factor();
    EXPECT_EQ((a * b) * c, a * (b * c));
  }
}

TEST(LinearLayout, DivisionFindsTheQuotientOrNone) {
  Random random(9);
  unsigned found = 0;
  for (int i = 0; i < 3000; ++i) {
    // Small enough that chance makes products.
    const LinearLayout layout = randomLayout(random, {{"a", 2}}, {{"x", 2}});
    const LinearLayout divisor = randomLayout(random, {{"a", 1}}, {{"x", 1}});
    bool exists = false;
    for (Vector basis : {0, 1})
      exists |= divisor * LinearLayout({{"a", 1}}, {{"x", 1}}, {basis}) == layout;
    const auto quotient = layout.dividedBy(divisor);
    ASSERT_EQ(quotient.has_value(), exists);
    if (quotient)
      EXPECT_EQ(divisor * *quotient, layout);
    found += exists;
  }
  EXPECT_GT(found, 50u);
  const LinearLayout one = LinearLayout::identity({"a", 1}, "x");
  EXPECT_FALSE(one.dividedBy(LinearLayout::identity({"a", 2}, "x")));
  EXPECT_FALSE(one.dividedBy(LinearLayout::identity({"b", 1}, "x")));
}

TEST(LinearLayout, SublayoutKeepsSomeSpaces) {
  Random random(10);
  for (int i = 0; i < Rounds; ++i) {
    const LinearLayout layout = randomLayout(random, randomSpaces(random, {"a", "b", "c"}, 8),
                                             randomSpaces(random, {"x", "y", "z"}, 8));
    const LinearLayout part = layout.sublayout({"c", "a"}, {"z", "x"});
    for (uint64_t a = 0; a < layout.inputs()[0].size(); ++a)
      for (uint64_t c = 0; c < layout.inputs()[2].size(); ++c) {
        const Coordinates whole = layout(Coordinates{a, 0, c});
        EXPECT_EQ(part(Coordinates{c, a}), (Coordinates{whole[2], whole[0]}));
      }
    EXPECT_EQ(layout.withInputOrder({"c", "a", "b"}).withInputOrder({"a", "b", "c"}), layout);
    EXPECT_EQ(layout.withOutputOrder({"z", "x", "y"}).withOutputOrder({"x", "y", "z"}), layout);
  }
}

TEST(LinearLayout, ReshapingKeepsNumbers) {
  Random random(11);
  const LinearLayout layout = randomLayout(random, {{"a", 3}, {"b", 2}}, {{"x", 1}, {"y", 4}});
  const LinearLayout other =
      layout.reshapedOutputs({{"p", 2}, {"q", 3}}).reshapedInputs({{"i", 5}});
  for (Vector place = 0; place < 32; ++place)
    EXPECT_EQ(other(place), layout(place));
  EXPECT_THROW(layout.reshapedOutputs({{"p", 4}}), InternalError);
}

TEST(LayoutText, IsReadBack) {
  Random random(12);
  std::string error;
  for (int i = 0; i < Rounds; ++i) {
    const LinearLayout layout =
        randomLayout(random, randomSpaces(random, {"warp", "lane", "register"}, below(random, 12)),
                     randomSpaces(random,
                                  i % 2 ? std::vector<std::string>{"dim0"}
                                        : std::vector<std::string>{"dim0", "dim1", "dim2"},
                                  below(random, 20)));
    const auto parsed = parseLayout(toString(layout), error);
    ASSERT_TRUE(parsed) << toString(layout) << ": " << error;
    EXPECT_EQ(*parsed, layout);
  }
  EXPECT_EQ(parseLayout("{} -> {}", error), LinearLayout());
}

TEST(LayoutText, Form) {
  const LinearLayout layout({{"register", {{0, 1}, {8, 0}}}, {"lane", {{0, 2}}}, {"warp", {}}},
                            {{"dim0", 4}, {"dim1", 2}});
  const std::string text =
      "{register: [[0, 1], [8, 0]], lane: [[0, 2]], warp: []} -> {dim0: 16, dim1: 4}";
  EXPECT_EQ(toString(layout), text);
  EXPECT_EQ(toString(LinearLayout::identity({"offset", 2}, "dim0")),
            "{offset: [1, 2]} -> {dim0: 4}");
  std::string error;
  EXPECT_EQ(
      parseLayout(" { register :[[0,1],[8,0]],lane:[[0,2]],\nwarp:[]}->{dim0:16,dim1:4} ", error),
      layout);
}

TEST(LayoutText, BadTextHasAReason) {
  const std::pair<const char *, const char *> cases[] = {
      {"", "expected '{', at the end"},
      {"{a: [1]}", "expected '->', at the end"},
      {"{a: [1]} -> {x: 2} tail", "text after the layout, at 'tail'"},
      {"{a: [1]} -> {x: 3}", "a size is a power of two, at '}'"},
      {"{a: [1]} -> {x: 0}", "a size is a power of two, at '}'"},
      {"{a: [2]} -> {x: 2}", "the vector 2 is outside the outputs, at the end"},
      {"{a: [[0, 1]]} -> {x: 2}",
       "the vector [0, 1] does not have one coordinate for each output, at the end"},
      {"{a: [1], a: [1]} -> {x: 2}", "input 'a' is given twice, at the end"},
      {"{a: [[1, 1]]} -> {x: 2, x: 2}", "output 'x' is given twice, at the end"},
      {"{1: [1]} -> {x: 2}", "expected a name, at '1: [1]} -> {x: 2}'"},
      {"{a: [-1]} -> {x: 2}", "expected a number, at '-1]} -> {x: 2}'"},
      {"{a: [99999999999999999999]} -> {x: 2}", "expected a number, at '99999999999999999999'"},
      {"{a: [1 1]} -> {x: 2}", "expected ']', at '1]} -> {x: 2}'"},
      {"{} -> {x: 9223372036854775808, y: 2}",
       "a layout has at most 63 bits of inputs and of outputs, at the end"},
  };
  for (const auto &[text, message] : cases) {
    std::string error;
    EXPECT_FALSE(parseLayout(text, error)) << text;
    EXPECT_EQ(error, message) << text;
  }
}

} // namespace
} // namespace nereid::layout::test
