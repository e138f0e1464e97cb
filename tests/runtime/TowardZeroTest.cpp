// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fp_downcast_rounding="rtz": of the narrower type's numbers that are not further from zero, the
// furthest, found by trying the neighbours of what nearest rounding gives.
#include "MeaningTest.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace nereid;

namespace {

class TowardZeroTest : public nereid::test::MeaningTest {
protected:
  /// Each number as `narrow` and back as float32.
  std::vector<float> through(const std::string &narrow, const std::vector<double> &x,
                             const std::string &rounding) {
    auto count = static_cast<int64_t>(x.size());
    Array out = device.empty(DType::Float32, {count});
    run("def k(x, o, n, FROM: tl.constexpr):\n"
        "    i = tl.program_id(0) * 64 + tl.arange(0, 64)\n"
        "    y = tl.load(x + i, i < n).to(tl." +
            narrow + ", fp_downcast_rounding='" + rounding +
            "')\n"
            "    tl.store(o + i, y.to(tl.float32), i < n)\n",
        {{"x", device.array(x)}, {"o", out}, {"n", count}, {"FROM", 0}}, {(count + 63) / 64});
    return out.toVector<float>();
  }
};
NEREID_ON_ALL_DEVICES(TowardZeroTest);

std::vector<double> numbers() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> x{0.0,
                        -0.0,
                        1.0,
                        -1.0,
                        1e-50,
                        -1e-50,
                        1e50,
                        -1e50,
                        infinity,
                        -infinity,
                        std::nextafter(1.0, 2.0),
                        std::nextafter(2.0, 1.0),
                        65519.9,
                        65520.0,
                        448.5,
                        0x1p-24,
                        0x1.8p-24,
                        0x1p-25};
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> mantissa(-2, 2);
  std::uniform_int_distribution<int> exponent(-30, 18);
  while (x.size() < 1000)
    x.push_back(std::ldexp(mantissa(random), exponent(random)));
  return x;
}

struct RoundedFormat {
  const char *name;
  int mantissa, least; // bits, and the exponent of the least normal number
  double largest;
};

TEST_P(TowardZeroTest, CutsWhatDoesNotFit) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const RoundedFormat formats[] = {{"float16", 10, -14, 65504},
                                   {"bfloat16", 7, -126, 0x1.fep127},
                                   {"float32", 23, -126, 0x1.fffffep127},
                                   {"float8e5", 2, -14, 57344},
                                   {"float8e4nv", 3, -6, 448}};
  std::vector<double> x = numbers();
  for (const RoundedFormat &format : formats) {
    std::vector<float> result = through(format.name, x, "rtz");
    bool saturates = std::string(format.name).starts_with("float8");
    for (size_t i = 0; i < x.size(); ++i) {
      double size = std::fabs(x[i]);
      int exponent = size == 0 ? format.least : std::max(std::ilogb(size), format.least);
      double step = std::ldexp(1.0, std::isinf(size) ? 0 : exponent - format.mantissa);
      double wanted =
          std::isinf(size) ? size : std::min(std::floor(size / step) * step, format.largest);
      if (wanted == infinity && saturates)
        wanted = format.largest;
      ASSERT_EQ(result[i], static_cast<float>(std::copysign(wanted, x[i])))
          << format.name << " " << x[i];
      ASSERT_EQ(std::signbit(result[i]), std::signbit(x[i])) << format.name << " " << x[i];
    }
  }
}

TEST_P(TowardZeroTest, KeepsNan) {
  for (const char *type : {"float16", "bfloat16", "float8e5", "float8e4nv"})
    EXPECT_TRUE(std::isnan(through(type, {std::nan("")}, "rtz")[0])) << type;
}

} // namespace
