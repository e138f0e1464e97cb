// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels do with names, types and functions while they are compiled.
#include "MeaningTest.h"

#include <cstdint>

using namespace nereid;

namespace {

class NameTest : public nereid::test::MeaningTest {
protected:
  /// Runs a kernel k(o, n) with n = 5 and B = 16, which writes to o.
  std::vector<int32_t> results(const std::string &text, size_t count) {
    Array out = device.array(std::vector<int32_t>(count, -1));
    Arguments arguments = {{"o", out}, {"n", 5}};
    if (text.find("n, B: tl.constexpr") != std::string::npos)
      arguments.push_back({"B", 16});
    run(text, arguments);
    return out.toVector<int32_t>();
  }
  using Ints = std::vector<int32_t>;
};
NEREID_ON_ALL_DEVICES(NameTest);

TEST_P(NameTest, ARunTimeValueStandsForAConstexpr) {
  EXPECT_EQ(results("def f(x, B: tl.constexpr):\n    return x * B\n"
                    "@triton.jit\ndef k(o, n):\n    tl.store(o, f(3, n) + f(2, 7))\n",
                    1),
            Ints{29});
}

TEST_P(NameTest, AConstexprFunctionComputesAsPythonDoes) {
  EXPECT_EQ(results(R"(
def unused(x): pass
@triton.constexpr_function
def bits(n, base=2):
    """How many digits."""
    count = 0
    while True:
        if n == 0:
            break
        n = n // base
        count += 1
    for i in range(3):
        if i == 1:
            continue
        count += i
    return count - 2
@triton.jit
def k(o, n, B: tl.constexpr):
    tl.store(o + tl.arange(0, bits(B)), -7 // 2)
    tl.store(o + 5, bits(n=81, base=3))
)",
                    6),
            (Ints{-4, -4, -4, -4, -4, 5}));
}

TEST_P(NameTest, AttributesByName) {
  EXPECT_EQ(results(R"(
def k(o, n, B: tl.constexpr):
    t = (1, 2)
    a = hasattr(o, 'dtype') and not hasattr(tl, 'nonsense') and hasattr(tl, 'load')
    tl.store(o, a)
    tl.store(o + 1, getattr(tl, 'maximum')(n, 3))
    tl.store(o + 2, getattr(n, 'nonsense', 8))
    tl.store(o + 3, isinstance(o.dtype, tl.pointer_type) and isinstance(n, (tl.tensor, tuple)))
    tl.store(o + 4, isinstance(B, tl.constexpr) and isinstance(t, tl.tuple) and B.value == 16)
    tl.store(o + 5, o.dtype.element_ty == tl.int32 and tl.core.int32 == tl.int32)
    tl.store(o + 6, tl.standard._log2(B))
    tl.store(o + 7, tl.core.CONSTEXPR_0 + 3)
)",
                    8),
            (Ints{1, 5, 8, 1, 1, 1, 4, 3}));
}

TEST_P(NameTest, SequencesGoTogether) {
  EXPECT_EQ(results(R"(
def k(o, n):
    total = 0
    for a, b in zip((1, 2, 3), (n, 10)):
        total += a * b
    for i, c in enumerate((n, 7), 1):
        total += 100 * i * c
    tl.store(o, total)
)",
                    1),
            Ints{25 + 500 + 1400});
}

TEST_P(NameTest, ARaiseThatIsNotComeToIsNoMistake) {
  EXPECT_EQ(results("def k(o, n, B: tl.constexpr):\n"
                    "    if B == 16:\n"
                    "        tl.store(o, 1)\n"
                    "    elif B == 8:\n"
                    "        tl.store(o, 2)\n"
                    "    else:\n"
                    "        raise ValueError(f'{B!r}') from None\n",
                    1),
            Ints{1});
}

TEST_P(NameTest, ABlockPointerHasItsTypes) {
  EXPECT_EQ(results("def k(o, n):\n"
                    "    b = tl.make_block_ptr(o, (4,), (1,), (0,), (4,), (0,))\n"
                    "    value = tl.load(b) + 3.0\n"
                    "    tl.store(b, value.to(b.dtype.element_ty))\n"
                    "    tl.store(b, tl.load(b).to(b.type.element_ty))\n"
                    "    tl.static_assert(b.type.element_ty.element_ty == tl.int32)\n"
                    "    tl.static_assert(b.dtype.is_ptr() and b.type == b.dtype)\n",
                    4),
            (Ints{2, 2, 2, 2}));
}

TEST_P(NameTest, AConditionOfALoopHasItsHint) {
  EXPECT_EQ(results("def k(o, n):\n"
                    "    i = 0\n"
                    "    while tl.condition(i * i < n, disable_licm=True):\n"
                    "        i += 1\n"
                    "    tl.store(o, i)\n",
                    1),
            Ints{3});
}

TEST_P(NameTest, AConstPointerIsRead) {
  Array out = device.zeros(DType::Int32, {3});
  run("def k(x: tl.const, o):\n"
      "    i = tl.arange(0, 3)\n"
      "    tl.store(o + i, tl.load(x + i))\n",
      {{"x", device.array(std::vector<int32_t>{4, 5, 6})}, {"o", out}});
  EXPECT_EQ(out.toVector<int32_t>(), (Ints{4, 5, 6}));
}

} // namespace
