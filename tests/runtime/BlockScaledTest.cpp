// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dot_scaled, against products of the decoded numbers in double precision.
#include "MeaningTest.h"

#include <bit>
#include <cmath>
#include <random>

using namespace nereid;

namespace {

using Bytes = std::vector<uint8_t>;

class BlockScaledTest : public nereid::test::MeaningTest {
protected:
  /// Of 16 x 32 and 32 x 16 numbers of e4m3, with a scale for each row and each column: 16 x 16.
  std::vector<float> product(const Bytes &a, const Bytes &rows, const Bytes &b,
                             const Bytes &columns) {
    Array out = device.empty(DType::Float32, {16, 16});
    run("def k(a, sa, b, sb, o):\n"
        "    i = tl.arange(0, 16)\n"
        "    x = tl.load(a + i[:, None] * 32 + tl.arange(0, 32)[None, :])\n"
        "    y = tl.load(b + tl.arange(0, 32)[:, None] * 16 + i[None, :])\n"
        "    z = tl.dot_scaled(x, tl.load(sa + i)[:, None], 'e4m3', y, tl.load(sb + i)[:, None], "
        "'e4m3')\n"
        "    tl.store(o + i[:, None] * 16 + i[None, :], z)\n",
        {{"a", device.array(a)},
         {"sa", device.array(rows)},
         {"b", device.array(b)},
         {"sb", device.array(columns)},
         {"o", out}});
    return out.toVector<float>();
  }
};
NEREID_ON_ALL_DEVICES(BlockScaledTest);

Bytes randomBytes(size_t count, unsigned least, unsigned most, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<unsigned> byte(least, most);
  Bytes bytes(count);
  for (uint8_t &each : bytes)
    each = static_cast<uint8_t>(byte(random));
  return bytes;
}

double floatOfNibble(unsigned nibble) {
  constexpr double sizes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  return nibble & 8 ? -sizes[nibble & 7] : sizes[nibble & 7];
}

/// Of `mantissa` bits, and the bias that the exponent's width gives.
double floatOfByte(unsigned byte, int mantissa) {
  int width = 7 - mantissa, bias = (1 << (width - 1)) - 1;
  int exponent = static_cast<int>(byte >> mantissa) & ((1 << width) - 1);
  double fraction = static_cast<double>(byte & ((1u << mantissa) - 1)) / (1 << mantissa);
  double size =
      exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
  return byte & 0x80 ? -size : size;
}

double scaleOfByte(uint8_t byte) {
  return byte == 255 ? std::nan("") : std::ldexp(1.0, byte - 127);
}

constexpr int rows = 12, columns = 20, depth = 96, runs = depth / 32;

const std::string kernel =
    "def k(a, sa, b, sb, c, o, FA: tl.constexpr, FB: tl.constexpr, AM: tl.constexpr, AK: "
    "tl.constexpr,\n"
    "      BK: tl.constexpr, BN: tl.constexpr, PA: tl.constexpr, PB: tl.constexpr):\n"
    "    i = tl.arange(0, 12)\n"
    "    j = tl.arange(0, 20)\n"
    "    r = tl.arange(0, 3)[None, :]\n"
    "    x = tl.load(a + tl.arange(0, AM)[:, None] * AK + tl.arange(0, AK)[None, :])\n"
    "    y = tl.load(b + tl.arange(0, BK)[:, None] * BN + tl.arange(0, BN)[None, :])\n"
    "    at = i[:, None] * 20 + j[None, :]\n"
    "    z = tl.dot_scaled(x, tl.load(sa + i[:, None] * 3 + r), FA, y, tl.load(sb + j[:, None] * 3 "
    "+ r), FB,\n"
    "                      tl.load(c + at), lhs_k_pack=PA, rhs_k_pack=PB)\n"
    "    tl.store(o + at, z)\n";

struct Format {
  const char *name;
  int mantissa; // 1: e2m1
};

/// Element (row, k) of an operand whose rows are `depth` long; e2m1 is packed along k or along the
/// rows.
double element(const Bytes &bytes, Format format, bool packsDepth, size_t row, size_t k,
               bool isTransposed, size_t count) {
  bool isNibble = format.mantissa == 1;
  size_t packedRow = isNibble && !packsDepth ? row / 2 : row;
  size_t packedK = isNibble && packsDepth ? k / 2 : k;
  size_t storedRows = isNibble && !packsDepth ? count / 2 : count;
  size_t storedDepth = isNibble && packsDepth ? depth / 2 : depth;
  size_t at = isTransposed ? packedK * storedRows + packedRow : packedRow * storedDepth + packedK;
  if (!isNibble)
    return floatOfByte(bytes[at], format.mantissa);
  unsigned shift = (packsDepth ? k : row) % 2 == 0 ? 0 : 4;
  return floatOfNibble((bytes[at] >> shift) & 15u);
}

TEST_P(BlockScaledTest, EveryPairOfFormats) {
  constexpr Format formats[] = {{"e2m1", 1}, {"e4m3", 3}, {"e5m2", 2}};
  unsigned seed = 1;
  for (Format left : formats)
    for (Format right : formats)
      for (bool packsDepth : {true, false}) {
        size_t shareA = left.mantissa == 1 ? 2 : 1, shareB = right.mantissa == 1 ? 2 : 1;
        if (!packsDepth && shareA == 1 && shareB == 1)
          continue;
        // Exponents from the middle of their range, so that no sum is lost beside another.
        auto most = [](Format format) { return format.mantissa == 1 ? 255u : 0x47u; };
        auto least = [](Format format) { return format.mantissa == 1 ? 0u : 0x30u; };
        Bytes a = randomBytes(rows * depth / shareA, least(left), most(left), seed++);
        Bytes b = randomBytes(columns * depth / shareB, least(right), most(right), seed++);
        Bytes sa = randomBytes(rows * runs, 120, 130, seed++);
        Bytes sb = randomBytes(columns * runs, 120, 130, seed++);
        std::vector<float> c(rows * columns);
        for (size_t i = 0; i < c.size(); ++i)
          c[i] = static_cast<float>(i) - 100;
        auto extent = [&](int whole, size_t share, bool isPacked) {
          return isPacked ? whole / static_cast<int>(share) : whole;
        };
        Array out = device.empty(DType::Float32, {rows, columns});
        run(kernel, {{"a", device.array(a)},
                     {"sa", device.array(sa)},
                     {"b", device.array(b)},
                     {"sb", device.array(sb)},
                     {"c", device.array(c)},
                     {"o", out},
                     {"FA", left.name},
                     {"FB", right.name},
                     {"AM", extent(rows, shareA, !packsDepth)},
                     {"AK", extent(depth, shareA, packsDepth)},
                     {"BK", extent(depth, shareB, packsDepth)},
                     {"BN", extent(columns, shareB, !packsDepth)},
                     {"PA", packsDepth},
                     {"PB", packsDepth}});
        std::vector<float> result = out.toVector<float>();
        for (size_t i = 0; i < rows; ++i)
          for (size_t j = 0; j < columns; ++j) {
            double wanted = c[i * columns + j], size = std::fabs(wanted);
            for (size_t k = 0; k < depth; ++k) {
              double product = element(a, left, packsDepth, i, k, false, rows) *
                               scaleOfByte(sa[i * runs + k / 32]) *
                               element(b, right, packsDepth, j, k, true, columns) *
                               scaleOfByte(sb[j * runs + k / 32]);
              wanted += product;
              size += std::fabs(product);
            }
            ASSERT_NEAR(result[i * columns + j], wanted, size * depth * 0x1p-24)
                << left.name << " " << right.name << " " << packsDepth << " " << i << " " << j;
          }
      }
}

TEST_P(BlockScaledTest, ScalesAtTheEndsOfTheirRange) {
  // Byte 0 is 2**-127, and byte 255 is NaN.
  Bytes a(16 * 32, 0x38), scales(16, 0), b(32 * 16, 0x38), ones(16, 127); // 0x38 is 1 as e4m3
  scales[3] = 255;
  std::vector<float> result = product(a, scales, b, ones);
  for (size_t i = 0; i < 16; ++i)
    for (size_t j = 0; j < 16; ++j)
      if (i == 3)
        EXPECT_TRUE(std::isnan(result[i * 16 + j])) << j;
      else
        EXPECT_EQ(result[i * 16 + j], 32 * 0x1p-127f) << i << " " << j;
}

TEST_P(BlockScaledTest, AScaledElementMayBeBeyondWhatItsProductIs) {
  // 2 * 2**127 beside 2 * 2**-67, either way round; other rows have other scales, whose products
  // float32 still holds one by one: smaller ones are lost on CPUs, and not by tensor cores.
  Bytes twos(16 * 32, 0x40), large(16, 254), small(16, 60);
  large[5] = 100;
  small[7] = 40;
  for (bool isSwapped : {false, true}) {
    std::vector<float> result =
        product(twos, isSwapped ? small : large, twos, isSwapped ? large : small);
    for (size_t i = 0; i < 16; ++i)
      for (size_t j = 0; j < 16; ++j) {
        size_t one = isSwapped ? j : i, other = isSwapped ? i : j;
        EXPECT_EQ(result[i * 16 + j], 32 * 4 * scaleOfByte(large[one]) * scaleOfByte(small[other]))
            << i << " " << j;
      }
  }
}

TEST_P(BlockScaledTest, ElementsWithoutScalesMakeRoomForThoseOfOthers) {
  // 2 * 2**127 beside 2**-9, the least that e4m3 has, which has no scale: either way round.
  Array large = device.array(Bytes(16 * 32, 0x40)), small = device.array(Bytes(16 * 32, 1));
  Bytes scales(16, 254);
  scales[5] = 100;
  for (bool isSwapped : {false, true}) {
    Array out = device.empty(DType::Float32, {16, 16});
    run("def k(a, b, s, o, SWAPPED: tl.constexpr):\n"
        "    i = tl.arange(0, 16)\n"
        "    x = tl.load(a + i[:, None] * 32 + tl.arange(0, 32)[None, :])\n"
        "    y = tl.load(b + tl.arange(0, 32)[:, None] * 16 + i[None, :])\n"
        "    c = tl.load(s + i)[:, None]\n"
        "    z = tl.dot_scaled(x, None if SWAPPED else c, 'e4m3', y, c if SWAPPED else None, "
        "'e4m3')\n"
        "    tl.store(o + i[:, None] * 16 + i[None, :], z)\n",
        {{"a", isSwapped ? small : large},
         {"b", isSwapped ? large : small},
         {"s", device.array(scales)},
         {"o", out},
         {"SWAPPED", isSwapped}});
    std::vector<float> result = out.toVector<float>();
    for (size_t i = 0; i < 16; ++i)
      for (size_t j = 0; j < 16; ++j)
        EXPECT_EQ(result[i * 16 + j], 32 * 2 * 0x1p-9 * scaleOfByte(scales[isSwapped ? j : i]))
            << i << " " << j;
  }
}

TEST_P(BlockScaledTest, OneSideMayLackScales) {
  std::vector<float> a(16 * 32);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<float>(static_cast<int>(i % 13) - 6);
  Bytes b(32 * 16, 0x38), sb = randomBytes(16, 125, 129, 7);
  Array out = device.empty(DType::Float32, {16, 16});
  run("def k(a, b, sb, o):\n"
      "    i = tl.arange(0, 16)\n"
      "    x = tl.load(a + i[:, None] * 32 + tl.arange(0, 32)[None, :]).to(tl.bfloat16)\n"
      "    y = tl.load(b + tl.arange(0, 32)[:, None] * 16 + i[None, :])\n"
      "    z = tl.dot_scaled(x, None, 'bf16', y, tl.load(sb + i)[:, None], 'e4m3')\n"
      "    tl.store(o + i[:, None] * 16 + i[None, :], z)\n",
      {{"a", device.array(a)}, {"b", device.array(b)}, {"sb", device.array(sb)}, {"o", out}});
  std::vector<float> result = out.toVector<float>();
  for (size_t i = 0; i < 16; ++i)
    for (size_t j = 0; j < 16; ++j) {
      double sum = 0;
      for (size_t k = 0; k < 32; ++k)
        sum += a[i * 32 + k];
      EXPECT_EQ(result[i * 16 + j], sum * scaleOfByte(sb[j])) << i << " " << j;
    }
}

} // namespace
