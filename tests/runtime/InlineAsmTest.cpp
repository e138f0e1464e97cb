// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inline assembly: instructions of PTX against plain C++ that does what PTX's manual says.
#include "MeaningTest.h"

#include <bit>
#include <cmath>
#include <functional>
#include <random>
#include <span>

using namespace nereid;

namespace {

struct BitCase {
  const char *text;
  std::function<uint32_t(uint32_t, uint32_t)> wanted;
};

std::vector<uint32_t> randomWords(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint32_t> words(60);
  for (uint32_t &word : words)
    word = static_cast<uint32_t>(random());
  return words;
}

class InlineAsmTest : public nereid::test::MeaningTest {
protected:
  /// Gives `text` two tiles of 60 numbers.
  template <typename T, typename R>
  void compute(const std::string &call, const std::vector<T> &x, const std::vector<T> &y,
               std::vector<R> &result, DType type) {
    Array out = device.empty(type, {60});
    run("def k(x, y, o):\n"
        "    i = tl.arange(0, 60)\n"
        "    a = tl.load(x + i)\n"
        "    b = tl.load(y + i)\n"
        "    tl.store(o + i, tl.inline_asm_elementwise(" +
            call + "))\n",
        {{"x", device.array(x)}, {"y", device.array(y)}, {"o", out}});
    result = out.toVector<R>();
  }

  void expectBits(std::span<const BitCase> cases) {
    std::vector<uint32_t> x = randomWords(1), y = randomWords(2), result;
    for (const BitCase &each : cases) {
      compute("'''" + std::string(each.text) + "''', '=r,r,r', [a, b], tl.uint32, True, 1", x, y,
              result, DType::UInt32);
      for (size_t i = 0; i < x.size(); ++i)
        ASSERT_EQ(result[i], each.wanted(x[i], y[i]))
            << each.text << " of " << x[i] << ", " << y[i];
    }
  }
};
NEREID_ON_ALL_DEVICES(InlineAsmTest);

std::vector<float> randomFloats(unsigned seed, float least, float most) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> distribution(least, most);
  std::vector<float> values(60);
  for (float &value : values)
    value = distribution(random);
  return values;
}

int32_t asSigned(uint32_t x) { return static_cast<int32_t>(x); }

uint32_t saturated(int64_t x) {
  return static_cast<uint32_t>(std::clamp<int64_t>(x, INT32_MIN, INT32_MAX));
}

/// The field of `length` bits from `first` on, bit by bit as PTX's manual has it for bfe.s32.
uint32_t field(uint32_t x, uint32_t first, uint32_t length) {
  auto bit = [x](uint32_t at) { return x >> std::min(at, 31u) & 1; };
  uint32_t result = 0;
  for (uint32_t i = 0; i < 32; ++i) {
    bool isInside = i < length && first + i <= 31;
    uint32_t last = std::min(first + length - 1, 31u);
    result |= (length == 0 ? 0 : isInside ? bit(first + i) : bit(last)) << i;
  }
  return result;
}

/// A float32 of which the last 13 bits are rounded away; NaNs are one.
uint32_t tensorFloat(uint32_t x, uint32_t half) {
  if (std::isnan(std::bit_cast<float>(x)))
    return 0x7fffffff;
  return (x + half) & ~0x1fffu;
}

TEST_P(InlineAsmTest, Bits) {
  const BitCase cases[] = {
      {"mov.u32 $0, $1;", [](uint32_t x, uint32_t) { return x; }},
      {"and.b32 $0, $1, $2;", [](uint32_t x, uint32_t y) { return x & y; }},
      {"{ .reg .b32 t; not.b32 t, $2; or.b32 $0, $1, t; }",
       [](uint32_t x, uint32_t y) { return x | ~y; }},
      {"xor.b32 $0, $1, 0xff00; // a comment; with a stop",
       [](uint32_t x, uint32_t) { return x ^ 0xff00; }},
      {"shl.b32 $0, $1, 7;", [](uint32_t x, uint32_t) { return x << 7; }},
      {"shr.u32 $0, $1, 9;", [](uint32_t x, uint32_t) { return x >> 9; }},
      {"shr.s32 $0, $1, 9;",
       [](uint32_t x, uint32_t) { return static_cast<uint32_t>(asSigned(x) >> 9); }},
      {"add.s32 $0, $1, $2;", [](uint32_t x, uint32_t y) { return x + y; }},
      {"add.sat.s32 $0, $1, $2;",
       [](uint32_t x, uint32_t y) { return saturated(int64_t(asSigned(x)) + asSigned(y)); }},
      {"sub.sat.s32 $0, $1, $2;",
       [](uint32_t x, uint32_t y) { return saturated(int64_t(asSigned(x)) - asSigned(y)); }},
      {"mad.lo.u32 $0, $1, $2, 5;", [](uint32_t x, uint32_t y) { return x * y + 5; }},
      {"min.s32 $0, $1, $2;",
       [](uint32_t x, uint32_t y) { return asSigned(x) < asSigned(y) ? x : y; }},
      {"max.u32 $0, $1, $2;", [](uint32_t x, uint32_t y) { return x > y ? x : y; }},
      {"lop3.b32 $0, $1, $2, 0x0f0f0f0f, 0xca;",
       [](uint32_t x, uint32_t y) { return (x & y) | (~x & 0x0f0f0f0f); }},
      {"prmt.b32 $0, $1, $2, 0x5140;",
       [](uint32_t x, uint32_t y) {
         return (x & 0xff) | ((y & 0xff) << 8) | ((x & 0xff00) << 8) | ((y & 0xff00) << 16);
       }},
      {"{ .reg .b16 h, l; mov.b32 {l, h}, $1; mov.b32 $0, {h, l}; }",
       [](uint32_t x, uint32_t) { return std::rotl(x, 16); }},
      {"{ .reg .pred p; setp.lt.s32 p, $1, $2; selp.b32 $0, 1, 2, p; }",
       [](uint32_t x, uint32_t y) { return asSigned(x) < asSigned(y) ? 1u : 2u; }},
      {"{ .reg .pred p; setp.ge.u32 p, $1, $2; mov.b32 $0, $1; @!p mov.b32 $0, $2; }",
       [](uint32_t x, uint32_t y) { return std::max(x, y); }},
      {"popc.b32 $0, $1;",
       [](uint32_t x, uint32_t) { return static_cast<uint32_t>(std::popcount(x)); }},
      {"clz.b32 $0, $1;",
       [](uint32_t x, uint32_t) { return static_cast<uint32_t>(std::countl_zero(x)); }},
      {"cvt.u32.u8 $0, $1;", [](uint32_t x, uint32_t) { return x & 0xff; }},
      {"cvt.s32.s8 $0, $1;",
       [](uint32_t x, uint32_t) { return static_cast<uint32_t>(static_cast<int8_t>(x & 0xff)); }},
      {"{ fence.sc.sys; mov.u32 $0, 3; }", [](uint32_t, uint32_t) { return 3u; }},
  };
  expectBits(cases);
}

TEST_P(InlineAsmTest, PartsOfRegisters) {
  const BitCase cases[] = {
      {"mul.hi.u32 $0, $1, $2;",
       [](uint32_t x, uint32_t y) { return static_cast<uint32_t>(uint64_t(x) * y >> 32); }},
      {"mul.hi.s32 $0, $1, $2;",
       [](uint32_t x, uint32_t y) {
         return static_cast<uint32_t>(int64_t(asSigned(x)) * asSigned(y) >> 32);
       }},
      {"mad.hi.u32 $0, $1, $2, $1;",
       [](uint32_t x, uint32_t y) { return static_cast<uint32_t>(uint64_t(x) * y >> 32) + x; }},
      {"{ .reg .b16 p, q, r; mov.b32 {p, q}, $1; mul.hi.s16 r, p, q; cvt.s32.s16 $0, r; }",
       [](uint32_t x, uint32_t) {
         return static_cast<uint32_t>((asSigned(x << 16) >> 16) * (asSigned(x) >> 16) >> 16);
       }},
      {"{ .reg .b64 l; .reg .b32 h; mul.wide.u32 l, $1, $2; mov.b64 {h, $0}, l; }",
       [](uint32_t x, uint32_t y) { return static_cast<uint32_t>(uint64_t(x) * y >> 32); }},
      {"{ .reg .b64 l; .reg .b32 h; mul.wide.s32 l, $1, $2; mad.wide.s32 l, $2, $2, l; "
       "mov.b64 {h, $0}, l; }",
       [](uint32_t x, uint32_t y) {
         int64_t a = asSigned(x), b = asSigned(y);
         return static_cast<uint32_t>((uint64_t(a * b) + uint64_t(b * b)) >> 32);
       }},
      {"bfe.u32 $0, $1, 5, 9;", [](uint32_t x, uint32_t) { return x >> 5 & 0x1ff; }},
      {"bfe.s32 $0, $1, $2, 7;", [](uint32_t x, uint32_t y) { return field(x, y & 0xff, 7); }},
      {"bfe.s32 $0, $1, 3, $2;", [](uint32_t x, uint32_t y) { return field(x, 3, y & 0xff); }},
      {"bfi.b32 $0, $1, $2, 11, 13;",
       [](uint32_t x, uint32_t y) { return (y & ~0xfff800u) | (x << 11 & 0xfff800u); }},
      {"bfi.b32 $0, $1, $2, 0, 32;", [](uint32_t x, uint32_t) { return x; }},
      {"bfi.b32 $0, $1, $2, 40, 3;", [](uint32_t, uint32_t y) { return y; }},
      {"shf.l.wrap.b32 $0, $1, $1, $2;",
       [](uint32_t x, uint32_t y) { return std::rotl(x, static_cast<int>(y & 31)); }},
      {"shf.r.clamp.b32 $0, $1, $2, 50;", [](uint32_t, uint32_t y) { return y; }},
      {"shf.r.wrap.b32 $0, $1, $2, 50;", [](uint32_t x, uint32_t y) { return x >> 18 | y << 14; }},
      {"shf.l.clamp.b32 $0, $1, $2, 7;", [](uint32_t x, uint32_t y) { return y << 7 | x >> 25; }},
      {"dp4a.s32.u32 $0, $1, $2, $1;",
       [](uint32_t x, uint32_t y) {
         uint32_t sum = x;
         for (int i = 0; i < 32; i += 8)
           sum += static_cast<uint32_t>(static_cast<int8_t>(x >> i) * int(uint8_t(y >> i)));
         return sum;
       }},
      {"cvt.rna.tf32.f32 $0, $1;", [](uint32_t x, uint32_t) { return tensorFloat(x, 0x1000); }},
      {"cvt.rn.tf32.f32 $0, $1;",
       [](uint32_t x, uint32_t) { return tensorFloat(x, 0xfff + (x >> 13 & 1)); }},
  };
  expectBits(cases);
}

struct FloatCase {
  const char *text;
  std::function<double(double, double)> wanted;
};

TEST_P(InlineAsmTest, Floats) {
  const FloatCase cases[] = {
      {"tanh.approx.f32 $0, $1;", [](double x, double) { return std::tanh(x); }},
      {"ex2.approx.ftz.f32 $0, $1;", [](double x, double) { return std::exp2(x); }},
      {"{ .reg .f32 t; abs.f32 t, $1; lg2.approx.f32 $0, t; }",
       [](double x, double) { return std::log2(std::fabs(x)); }},
      {"rcp.approx.ftz.f32 $0, $2;", [](double, double y) { return 1 / y; }},
      {"{ abs.f32 $0, $1; rsqrt.approx.f32 $0, $0; }",
       [](double x, double) { return 1 / std::sqrt(std::fabs(x)); }},
      {"sin.approx.f32 $0, $1;", [](double x, double) { return std::sin(x); }},
      {"cos.approx.f32 $0, $1;", [](double x, double) { return std::cos(x); }},
      {"fma.rn.f32 $0, $1, $2, 0f40000000;", [](double x, double y) { return x * y + 2; }},
      {"sub.f32 $0, $1, 1.5;", [](double x, double) { return x - 1.5; }},
      {"add.sat.f32 $0, $1, $2;", [](double x, double y) { return std::clamp(x + y, 0.0, 1.0); }},
      {"div.full.f32 $0, $1, $2;", [](double x, double y) { return x / y; }},
      {"min.NaN.xorsign.abs.f32 $0, $1, $2;",
       [](double x, double y) {
         return std::copysign(std::min(std::fabs(x), std::fabs(y)), x * y);
       }},
      {"{ .reg .s32 n; cvt.rni.s32.f32 n, $1; cvt.rn.f32.s32 $0, n; }",
       [](double x, double) { return std::nearbyint(x); }},
      {"cvt.rmi.f32.f32 $0, $1;", [](double x, double) { return std::floor(x); }},
      {"cvt.rzi.f32.f32 $0, $1;", [](double x, double) { return std::trunc(x); }},
  };
  std::vector<float> x = randomFloats(1, -9, 9), y = randomFloats(2, 0.1f, 9), result;
  for (const FloatCase &each : cases) {
    compute("'''" + std::string(each.text) + "''', '=f,f,f', [a, b], tl.float32, True, 1", x, y,
            result, DType::Float32);
    for (size_t i = 0; i < x.size(); ++i) {
      double wanted = each.wanted(x[i], y[i]);
      // Near zero, a difference or a sine is as exact as its larger parts.
      ASSERT_NEAR(result[i], wanted, std::fabs(wanted) * 0x1p-21 + 0x1p-22) << each.text << x[i];
    }
  }
}

TEST_P(InlineAsmTest, SeveralElementsInOneRegister) {
  // Four bytes are computed by one instruction on 32 bits.
  std::vector<uint8_t> x(60), y(60, 0);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<uint8_t>(i * 37);
  std::vector<uint8_t> result;
  compute("'xor.b32 $0, $1, 0x0f0f0f0f;', '=r,r,r', [a, b], tl.uint8, True, 4", x, y, result,
          DType::UInt8);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(result[i], x[i] ^ 0x0f) << i;
}

TEST_P(InlineAsmTest, PairsOfHalves) {
  std::vector<float> x = randomFloats(5, -4, 4), y = randomFloats(6, -4, 4);
  Array out = device.empty(DType::Float32, {60});
  run("def k(x, y, o):\n"
      "    i = tl.arange(0, 60)\n"
      "    a = tl.load(x + i).to(tl.float16)\n"
      "    b = tl.load(y + i).to(tl.float16)\n"
      "    z = tl.inline_asm_elementwise('max.f16x2 $0, $1, $2;', '=r,r,r', [a, b], tl.float16, "
      "True, 2)\n"
      "    tl.store(o + i, z.to(tl.float32))\n",
      {{"x", device.array(x)}, {"y", device.array(y)}, {"o", out}});
  Array rounded = device.empty(DType::Float32, {60});
  run("def k(x, y, o):\n"
      "    i = tl.arange(0, 60)\n"
      "    a = tl.load(x + i).to(tl.float16)\n"
      "    b = tl.load(y + i).to(tl.float16)\n"
      "    tl.store(o + i, tl.where(a > b, a, b).to(tl.float32))\n",
      {{"x", device.array(x)}, {"y", device.array(y)}, {"o", rounded}});
  EXPECT_EQ(out.toVector<float>(), rounded.toVector<float>());
}

TEST_P(InlineAsmTest, SeveralResults) {
  std::vector<uint32_t> x = randomWords(3), y = randomWords(4);
  Array sums = device.empty(DType::UInt32, {60}), differences = device.empty(DType::UInt32, {60});
  run("def k(x, y, s, d):\n"
      "    i = tl.arange(0, 60)\n"
      "    p, q = tl.inline_asm_elementwise('add.u32 $0, $2, $3; sub.u32 $1, $2, $3;', "
      "'=&r,=r,r,r',\n"
      "                                     [tl.load(x + i), tl.load(y + i)], (tl.uint32, "
      "tl.uint32), True, 1)\n"
      "    tl.store(s + i, p)\n"
      "    tl.store(d + i, q)\n",
      {{"x", device.array(x)}, {"y", device.array(y)}, {"s", sums}, {"d", differences}});
  std::vector<uint32_t> s = sums.toVector<uint32_t>(), d = differences.toVector<uint32_t>();
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(s[i], x[i] + y[i]);
    EXPECT_EQ(d[i], x[i] - y[i]);
  }
}

TEST_P(InlineAsmTest, ConstantsInTheText) {
  std::vector<uint32_t> x = randomWords(7), y = randomWords(8), result;
  compute("'lop3.b32 $0, $1, $3, $2, $4;', '=r,r,r,n,n', [a, b, 0x0f0f00ff, 0xea], tl.uint32, "
          "True, 1",
          x, y, result, DType::UInt32);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(result[i], (x[i] & 0x0f0f00ffu) | y[i]) << i;
  EXPECT_THROW(compute("'add.u32 $0, $1, $2;', '=r,r,n', [a, b], tl.uint32, True, 1", x, y, result,
                       DType::UInt32),
               Error);
}

TEST_P(InlineAsmTest, BarriersOfAllThreads) {
  Array x = device.array(std::vector<int32_t>(64, 1)), out = device.empty(DType::Int32, {64});
  run("def k(x, o):\n"
      "    i = tl.arange(0, 64)\n"
      "    tl.store(x + i, i)\n"
      "    z = tl.inline_asm_elementwise('bar.sync 0;', '=r', [], dtype=tl.int32, is_pure=False, "
      "pack=1)\n"
      "    tl.store(o + i, tl.load(x + 63 - i) + z)\n",
      {{"x", x}, {"o", out}});
  std::vector<int32_t> result = out.toVector<int32_t>();
  for (int32_t i = 0; i < 64; ++i)
    EXPECT_EQ(result[static_cast<size_t>(i)], 63 - i);
}

// A GPU's assembler has the last word there.
TEST_P(InlineAsmTest, PtxThatNereidDoesNotKnowIsForGpus) {
  std::vector<uint32_t> x(60), result;
  for (const char *text : {"add.rz.f32 $0, $1, $2;", "mov.b32 $0, 0; bar.warp.sync 0xffffffff;"}) {
    auto run = [&] {
      compute("'" + std::string(text) + "', '=r,r,r', [a, b], tl.uint32, True, 1", x, x, result,
              DType::UInt32);
    };
    if (std::string(GetParam()) == "cuda")
      EXPECT_NO_THROW(run()) << text;
    else
      EXPECT_THROW(run(), Error) << text;
  }
}

TEST_P(InlineAsmTest, RefusesWhatItDoesNotKnow) {
  std::vector<uint32_t> x(60), result;
  for (const char *text :
       {"vabsdiff4.u32.u32.u32.add $0, $1, $2, 0;", "mov.b32 $0, never_written;", "bar.sync 16;",
        "bar.arrive 0, 33;", "add.sat.u32 $0, $1, $2;", "mul.sat.s32 $0, $1, $2;",
        "add.ftz.s32 $0, $1, $2;", "min.NaN.s32 $0, $1, $2;", "add.NaN.f32 $0, $1, $2;",
        "mul.hi.f32 $0, $1, $2;", "vaddps $2, $1, $0", "add.u32 $0, $1", "mov.b32 $7, $1;"})
    EXPECT_THROW(compute("'" + std::string(text) + "', '=r,r,r', [a, b], tl.uint32, True, 1", x, x,
                         result, DType::UInt32),
                 Error)
        << text;
}

} // namespace
