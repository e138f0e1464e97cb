// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named tuples and aggregates; what a kernel is told of its target.
#include "MeaningTest.h"
#include "nereid/compile.h"

using namespace nereid;

namespace {

class RecordTest : public nereid::test::MeaningTest {
protected:
  /// What `body`, the lines of a kernel of o, x and n = 5, leaves in eight integers; x holds 3, 4,
  /// 5 ...
  std::vector<int32_t> result(const std::string &classes, const std::string &body) {
    std::string text = "import triton\nimport triton.language as tl\n"
                       "from collections import namedtuple\nfrom typing import NamedTuple\n" +
                       classes + "\n@triton.jit\ndef k(o, x, n):\n    " + body + "\n";
    Array o = device.zeros(DType::Int32, {8}),
          x = device.array(std::vector<int32_t>{3, 4, 5, 6, 7, 8, 9, 10});
    Module::fromText(text).kernel("k").launch(device, Grid{1}, {{"o", o}, {"x", x}, {"n", 5}});
    return o.toVector<int32_t>();
  }
  static std::vector<int32_t> firsts(const std::vector<int32_t> &values, size_t count) {
    return {values.begin(), values.begin() + static_cast<ptrdiff_t>(count)};
  }
};
NEREID_ON_ALL_DEVICES(RecordTest);

using Numbers = std::vector<int32_t>;

TEST_P(RecordTest, NamedTuples) {
  for (const char *classes :
       {"Pair = namedtuple('Pair', ['first', 'second'])",
        "Pair = namedtuple('Pair', 'first second')",
        "class Pair(NamedTuple):\n    first: tl.tensor\n    second: tl.tensor"}) {
    std::vector<int32_t> got = result(classes, "p = Pair(tl.load(x), second=n)\n"
                                               "    a, b = p\n"
                                               "    tl.store(o, p.first)\n"
                                               "    tl.store(o + 1, p.second)\n"
                                               "    tl.store(o + 2, a + b + p[0])\n"
                                               "    tl.store(o + 3, len(p))\n"
                                               "    tl.store(o + 4, isinstance(p, Pair))\n"
                                               "    tl.store(o + 5, isinstance((1, 2), Pair))");
    EXPECT_EQ(firsts(got, 6), (Numbers{3, 5, 11, 2, 1, 0})) << classes;
  }
}

TEST_P(RecordTest, HaveDefaults) {
  std::string classes =
      "class Size(NamedTuple):\n    'text'\n    rows: int\n    columns: int = 7\n";
  EXPECT_EQ(firsts(result(classes, "s = Size(n)\n    tl.store(o, s.rows * s.columns)\n"
                                   "    tl.store(o + tl.arange(1, 3), Size(2, 3).columns)"),
                   3),
            (Numbers{35, 3, 3}));
}

TEST_P(RecordTest, Inherit) {
  std::string classes = R"(
@triton.aggregate
class Base:
    x: tl.tensor
    n: tl.constexpr = 3

    @triton.constexpr_function
    def __init__(self, x, n):
        self.x = x
        self.n = n

    @triton.jit
    def scaled(self):
        return self.x * self.n

    @triton.jit
    def name(self):
        return 1

@triton.aggregate
class Derived(Base):
    y: tl.tensor

    @triton.constexpr_function
    def __init__(self, x, y):
        self.x = x
        self.n = 10
        self.y = y

    @triton.jit
    def name(self):
        return self.scaled() + self.y

@triton.aggregate
class Again(Derived):
    pass
)";
  std::vector<int32_t> got =
      result(classes, "d = Again(tl.load(x), n)\n"
                      "    tl.store(o, d.name())\n"
                      "    tl.store(o + 1, Base(n, 2).name())\n"
                      "    tl.store(o + 2, isinstance(d, Base))\n"
                      "    tl.store(o + 3, isinstance(Base(n, 2), Derived))\n"
                      "    tl.store(o + 4, d.x + d.y)");
  EXPECT_EQ(firsts(got, 5), (Numbers{35, 1, 1, 0, 8}));
}

/// By super() and by the class's name.
TEST_P(RecordTest, CallWhatTheyOverride) {
  std::string classes = R"(
@triton.aggregate
class Base:
    x: tl.tensor

    @triton.constexpr_function
    def __init__(self, x):
        self.x = x

    @triton.jit
    def value(self):
        return self.x + self.more()

    @triton.jit
    def more(self):
        return 1

@triton.aggregate
class Middle(Base):
    y: tl.tensor

    @triton.constexpr_function
    def __init__(self, x, y):
        super().__init__(x)
        self.y = y

    @triton.jit
    def value(self):
        return super().value() * self.y

@triton.aggregate
class Last(Middle):
    @triton.constexpr_function
    def __init__(self, x):
        Middle.__init__(self, x, x)

    @triton.jit
    def value(self):
        return super().value() + 1000

    @triton.jit
    def more(self):
        return super().more() + Base.more(self) + 100
)";
  EXPECT_EQ(firsts(result(classes, "tl.store(o, Middle(tl.load(x), n).value())\n"
                                   "    last = Last(n)\n"
                                   "    tl.store(o + 1, last.value())\n"
                                   "    tl.store(o + 2, Middle.value(last))"),
                   3),
            (Numbers{(3 + 1) * 5, (5 + 102) * 5 + 1000, (5 + 102) * 5}));
  EXPECT_THROW(result(classes, "super().value()"), Error);
  EXPECT_THROW(result("@triton.aggregate\nclass A:\n    x: tl.tensor\n    @triton.jit\n"
                      "    def f(self):\n        return super().f()\n",
                      "A(n).f()"),
               Error);
}

TEST_P(RecordTest, GiveOthersWithFieldsOfTheirOwn) {
  std::string classes =
      "class Size(NamedTuple):\n    rows: int\n    columns: int\n    depth: int = 2\n";
  EXPECT_EQ(firsts(result(classes, "s = Size(n, 3)\n"
                                   "    t = tl.aggregate_replace(s, depth=7, rows=s.columns)\n"
                                   "    tl.store(o, t.rows * 100 + t.columns * 10 + t.depth)\n"
                                   "    tl.store(o + 1, s.rows * 100 + s.columns * 10 + s.depth)"),
                   2),
            (Numbers{337, 532}));
  EXPECT_THROW(result(classes, "s = tl.aggregate_replace(Size(n, 3), width=7)"), Error);
  EXPECT_THROW(result(classes, "s = tl.aggregate_replace(n, rows=7)"), Error);
}

/// Through branches, loops and functions.
TEST_P(RecordTest, TravelLikeTuples) {
  std::string classes = "class Pair(NamedTuple):\n    sum: tl.tensor\n    count: tl.tensor\n"
                        "@triton.jit\ndef more(p, v):\n    return Pair(p.sum + v, p.count + 1)\n";
  EXPECT_EQ(firsts(result(classes, "p = Pair(0, 0)\n"
                                   "    for i in range(n):\n"
                                   "        v = tl.load(x + i)\n"
                                   "        if v % 2 == 1:\n"
                                   "            p = more(p, v)\n"
                                   "    tl.store(o, p.sum)\n    tl.store(o + 1, p.count)"),
                   2),
            (Numbers{3 + 5 + 7, 3}));
}

TEST_P(RecordTest, Aggregates) {
  std::string classes =
      "@triton.aggregate\nclass Range:\n    lower: tl.tensor\n    upper: tl.tensor\n\n"
      "    def __init__(self, lower, size):\n        self.lower = lower\n"
      "        self.upper = lower + size\n\n"
      "    @triton.jit\n    def size(self):\n"
      "        return self.upper - self.lower\n\n"
      "    @triton.jit\n    def moved(self, by):\n"
      "        return Range(self.lower + by, self.size())\n";
  EXPECT_EQ(firsts(result(classes, "r = Range(tl.load(x), n)\n"
                                   "    for i in range(3):\n        r = r.moved(i)\n"
                                   "    tl.store(o, r.lower)\n    tl.store(o + 1, r.upper)\n"
                                   "    tl.store(o + 2, r.size())"),
                   3),
            (Numbers{6, 11, 5}));
}

TEST_P(RecordTest, RefuseWhatTheyLack) {
  std::string classes = "Pair = namedtuple('Pair', 'first second')";
  for (auto [body, words] : {std::pair("p = Pair(1)", "missing argument 'second' of Pair"),
                             {"p = Pair(1, 2, 3)", "Pair takes 2 arguments, not 3"},
                             {"p = Pair(1, frist=2)", "Pair has no parameter 'frist'"},
                             {"p = Pair(1, first=2)", "argument 'first' of Pair is given twice"},
                             {"p = Pair(1, 2).thrid", "a Pair has no attribute 'thrid'"},
                             {"p = Pair(1, 2)\n    p.first = 3", "cannot assign to an attribute"}})
    try {
      result(classes, body);
      ADD_FAILURE() << body;
    } catch (const Error &error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
}

TEST(TargetInfo, SaysWhatAKernelIsCompiledFor) {
  Kernel kernel =
      Module::fromText("import triton.language as tl\n"
                       "from triton.language.target_info import cuda_capability_geq\n"
                       "IS_NEW = cuda_capability_geq(9, 0)\n@triton.jit\ndef k(p):\n"
                       "    if tl.target_info.is_cuda():\n"
                       "        tl.static_assert(IS_NEW and not cuda_capability_geq(10))\n"
                       "        tl.store(p, 1)\n    else:\n"
                       "        tl.static_assert(not IS_NEW and not tl.target_info.is_hip())\n"
                       "        tl.store(p, 2)\n")
          .kernel();
  Signature signature = parseSignature("p=*i32:16");
  EXPECT_NO_THROW(compile(kernel, signature, {.target = "sm_90a"}));
  EXPECT_NO_THROW(compile(kernel, signature, {.target = "cpu"}));
  EXPECT_THROW(compile(kernel, signature, {.target = "sm_80"}), Error); // the assertion
}

} // namespace
