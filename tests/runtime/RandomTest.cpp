// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The random numbers of the kernel language: Philox against the answers that its authors publish
// and against a plain one, and what is made of its integers.
#include "MeaningTest.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <type_traits>

using namespace nereid;

namespace {

template <typename Word> using Words = std::array<Word, 4>;

/// Philox4x32 or Philox4x64, as section 4.3 of the paper (Salmon et al., 2011) has it.
template <typename Word> Words<Word> philox(Words<Word> counter, Word key0, Word key1, int rounds) {
  constexpr bool isWide = sizeof(Word) == 8;
  using Twice = std::conditional_t<isWide, unsigned __int128, uint64_t>;
  constexpr auto multiplier0 = static_cast<Word>(isWide ? 0xD2E7470EE14C6C93 : 0xD2511F53);
  constexpr auto multiplier1 = static_cast<Word>(isWide ? 0xCA5A826395121157 : 0xCD9E8D57);
  for (int round = 0; round < rounds; ++round) {
    Twice first = static_cast<Twice>(multiplier0) * counter[0];
    Twice second = static_cast<Twice>(multiplier1) * counter[2];
    auto high = [](Twice x) { return static_cast<Word>(x >> (8 * sizeof(Word))); };
    counter = {static_cast<Word>(high(second) ^ counter[1] ^ key0), static_cast<Word>(second),
               static_cast<Word>(high(first) ^ counter[3] ^ key1), static_cast<Word>(first)};
    key0 += static_cast<Word>(isWide ? 0x9E3779B97F4A7C15 : 0x9E3779B9);
    key1 += static_cast<Word>(isWide ? 0xBB67AE8584CAA73B : 0xBB67AE85);
  }
  return counter;
}

/// What Triton makes of an integer: its distance from the nearer of 0 and 2^32, scaled.
float uniform(uint32_t x) {
  int64_t steps = x < 0x80000000u ? x : 0xffffffffu - x;
  return static_cast<float>(steps) * 4.6566127342e-10f;
}

class RandomTest : public nereid::test::MeaningTest {
protected:
  static constexpr int64_t count = 512;
  Array offsets() {
    std::vector<int32_t> values;
    for (int64_t i = 0; i < count; ++i)
      values.push_back(static_cast<int32_t>(i * i * 7919 - 100));
    return device.array(values);
  }
  /// `call`, of which an element is named `r`, for each offset.
  template <typename T> std::vector<T> results(const std::string &call, int64_t seed) {
    Array out = device.zeros(detail::dtypeOf<T>(), {count});
    run("def k(offsets, out, seed, N: tl.constexpr):\n"
        "    i = tl.arange(0, N)\n"
        "    offset = tl.load(offsets + i)\n"
        "    " +
            call +
            "\n"
            "    tl.store(out + i, r)\n",
        {{"offsets", offsets()}, {"out", out}, {"seed", seed}, {"N", count}});
    return out.toVector<T>();
  }
  Words<uint32_t> wordsOf(int64_t i, int64_t seed) {
    auto offset = static_cast<uint32_t>(static_cast<int32_t>(i * i * 7919 - 100));
    return philox<uint32_t>({offset, 0, 0, 0}, static_cast<uint32_t>(seed),
                            static_cast<uint32_t>(static_cast<uint64_t>(seed) >> 32), 10);
  }
};
NEREID_ON_ALL_DEVICES(RandomTest);

template <typename Word> struct Known {
  Words<Word> counter;
  Word key0, key1;
  Words<Word> answer;
};

/// From the file kat_vectors of the authors' library, of 10 rounds.
const Known<uint32_t> known32[] = {
    {{0, 0, 0, 0}, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     0xffffffff,
     0xffffffff,
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     0xa4093822,
     0x299f31d0,
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
const Known<uint64_t> known64[] = {
    {{0, 0, 0, 0},
     0,
     0,
     {0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}},
    {{~0ull, ~0ull, ~0ull, ~0ull},
     ~0ull,
     ~0ull,
     {0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}},
    {{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
     0x452821e638d01377,
     0xbe5466cf34e90c6c,
     {0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}}};

TEST_P(RandomTest, GivesThePublishedAnswers) {
  auto expect = [&]<typename Word>(const Known<Word> &known) {
    EXPECT_EQ(philox<Word>(known.counter, known.key0, known.key1, 10), known.answer);
    std::vector<Word> in(known.counter.begin(), known.counter.end());
    in.insert(in.end(), {known.key0, known.key1});
    Array out = device.zeros(detail::dtypeOf<Word>(), {4});
    run("def k(x, out):\n"
        "    a, b, c, d = tl.philox_impl(tl.load(x), tl.load(x + 1), tl.load(x + 2),\n"
        "                                tl.load(x + 3), tl.load(x + 4), tl.load(x + 5))\n"
        "    tl.store(out, a)\n    tl.store(out + 1, b)\n"
        "    tl.store(out + 2, c)\n    tl.store(out + 3, d)\n",
        {{"x", device.array(in)}, {"out", out}});
    EXPECT_EQ(out.toVector<Word>(), std::vector<Word>(known.answer.begin(), known.answer.end()));
  };
  for (const auto &known : known32)
    expect(known);
  for (const auto &known : known64)
    expect(known);
}

TEST_P(RandomTest, KeysAndCountersMayBeLiterals) {
  Array out = device.zeros(DType::UInt32, {4}), wide = device.zeros(DType::UInt64, {4});
  std::string store = "    for i, r in enumerate(words):\n        tl.store(out + i, r)\n";
  run("def k(out, x):\n"
      "    words = tl.philox_impl(tl.load(x), 0xfffffffe, 7, -3, 0xcafef00d, -2, 9)\n" +
          store,
      {{"out", out}, {"x", device.array(std::vector<uint32_t>{0x9e3779b9})}});
  run("def k(out, x):\n"
      "    words = tl.philox_impl(tl.load(x), 5, -1, 0, 0xfeedfacecafef00d, 1)\n" +
          store,
      {{"out", wide}, {"x", device.array(std::vector<uint64_t>{12345678901234567890u})}});
  auto narrowWords =
      philox<uint32_t>({0x9e3779b9, 0xfffffffe, 7, uint32_t(-3)}, 0xcafef00d, uint32_t(-2), 9);
  auto wideWords =
      philox<uint64_t>({12345678901234567890u, 5, ~uint64_t(0), 0}, 0xfeedfacecafef00d, 1, 10);
  EXPECT_EQ(out.toVector<uint32_t>(),
            std::vector<uint32_t>(narrowWords.begin(), narrowWords.end()));
  EXPECT_EQ(wide.toVector<uint64_t>(), std::vector<uint64_t>(wideWords.begin(), wideWords.end()));
}

TEST_P(RandomTest, IntegersAreThoseOfPhilox) {
  for (int64_t seed : {int64_t(0), int64_t(1234), int64_t(-1), int64_t(0x123456789abcdef)}) {
    auto first = results<uint32_t>("r = tl.randint(seed, offset)", seed);
    auto third = results<uint32_t>("_, _, r, _ = tl.randint4x(seed, offset)", seed);
    auto long_ = results<uint32_t>("r = tl.randint(seed, offset.to(tl.int64))", seed);
    auto few = results<uint32_t>("r = tl.random.randint(seed, offset, n_rounds=7)", seed);
    for (int64_t i = 0; i < count; ++i) {
      auto at = static_cast<size_t>(i);
      auto offset = static_cast<int32_t>(i * i * 7919 - 100);
      auto key0 = static_cast<uint32_t>(seed);
      auto key1 = static_cast<uint32_t>(static_cast<uint64_t>(seed) >> 32);
      auto low = static_cast<uint32_t>(offset), high = static_cast<uint32_t>(offset >> 31);
      ASSERT_EQ(first[at], wordsOf(i, seed)[0]) << i;
      ASSERT_EQ(third[at], wordsOf(i, seed)[2]) << i;
      ASSERT_EQ(long_[at], philox<uint32_t>({low, high, 0, 0}, key0, key1, 10)[0]) << i;
      ASSERT_EQ(few[at], philox<uint32_t>({low, 0, 0, 0}, key0, key1, 7)[0]) << i;
    }
  }
}

TEST_P(RandomTest, CountersOf64BitsMakePhilox4x64) {
  Array out = device.zeros(DType::UInt64, {count});
  run("def k(offsets, out, seed, N: tl.constexpr):\n"
      "    i = tl.arange(0, N)\n"
      "    offset = tl.load(offsets + i).to(tl.int64)\n"
      "    zero = offset * 0\n"
      "    _, r, _, _ = tl.philox(seed, offset, zero + 5, zero + 6, zero)\n"
      "    tl.store(out + i, r)\n",
      {{"offsets", offsets()}, {"out", out}, {"seed", int64_t(-77)}, {"N", count}});
  auto results = out.toVector<uint64_t>();
  for (int64_t i = 0; i < count; ++i) {
    auto offset =
        static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(i * i * 7919 - 100)));
    ASSERT_EQ(results[static_cast<size_t>(i)],
              philox<uint64_t>({offset, 5, 6, 0}, static_cast<uint64_t>(-77), 0, 10)[1]);
  }
}

TEST_P(RandomTest, UniformNumbersAreExact) {
  auto first = results<float>("r = tl.rand(seed, offset)", 99);
  auto last = results<float>("_, _, _, r = tl.rand4x(seed, offset)", 99);
  for (int64_t i = 0; i < count; ++i) {
    ASSERT_EQ(first[static_cast<size_t>(i)], uniform(wordsOf(i, 99)[0]));
    ASSERT_EQ(last[static_cast<size_t>(i)], uniform(wordsOf(i, 99)[3]));
  }
  auto ends = results<float>("r = tl.uint_to_uniform_float((0x7fffffff + i).to(tl.uint32))", 0);
  ASSERT_LT(ends[0], 1.0f);
  ASSERT_GT(ends[0], 0.999f);
  ASSERT_EQ(ends[1], ends[0]); // one above the middle is as far from its end
  auto wide = results<float>("r = tl.uint_to_uniform_float(((i + 1).to(tl.uint64) << 54) - 1)", 0);
  for (int64_t i = 0; i < count; ++i) {
    auto steps = static_cast<double>((static_cast<uint64_t>(i + 1) << 54) - 1);
    ASSERT_EQ(wide[static_cast<size_t>(i)],
              static_cast<float>(steps) * static_cast<float>(1.0842020432385337e-19));
  }
}

TEST_P(RandomTest, NormalNumbersAreBoxAndMullers) {
  constexpr double turn = 6.283185307179586;
  auto radius = [](uint32_t x) {
    return std::sqrt(-2 * std::log(std::max(1e-7, double(uniform(x)))));
  };
  auto one = results<float>("r = tl.randn(seed, offset)", 5);
  auto fourth = results<float>("_, _, _, r = tl.randn4x(seed, offset)", 5);
  auto pair = results<float>("u, v, _, _ = tl.rand4x(seed, offset)\n"
                             "    r, _ = tl.pair_uniform_to_normal(u, v)",
                             5);
  EXPECT_EQ(pair, one);
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < count; ++i) {
    auto words = wordsOf(i, 5);
    double cosine = radius(words[0]) * std::cos(turn * uniform(words[1]));
    double sine = radius(words[2]) * std::sin(turn * uniform(words[3]));
    ASSERT_NEAR(one[static_cast<size_t>(i)], cosine, 4e-6);
    ASSERT_NEAR(fourth[static_cast<size_t>(i)], sine, 4e-6);
    sum += cosine;
    squares += cosine * cosine;
  }
  EXPECT_NEAR(sum / count, 0, 0.15);
  EXPECT_NEAR(squares / count, 1, 0.25);
}

} // namespace
