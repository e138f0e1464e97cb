// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats as integers: toward zero, what a type cannot hold as its nearest number, NaN as zero; of
// whole vectors, of those that a mask cuts, and of scalars.
#include "MeaningTest.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace nereid;

namespace {

using nereid::test::MeaningTest;

class Saturation : public MeaningTest {
protected:
  template <typename Integer, typename Float> static Integer nearest(Float value) {
    if (std::isnan(value))
      return 0;
    constexpr auto most = std::numeric_limits<Integer>::max(),
                   least = std::numeric_limits<Integer>::min();
    long double exact = value;
    if (exact >= static_cast<long double>(most))
      return most;
    return exact <= static_cast<long double>(least) ? least : static_cast<Integer>(value);
  }

  /// Of any bits, and beside the bounds of all types.
  template <typename Float, typename Bits> std::vector<Float> numbers() {
    std::vector<Float> values = {0,
                                 -Float(0),
                                 Float(0.5),
                                 Float(-0.5),
                                 Float(-0.999),
                                 Float(-1),
                                 Float(254.7),
                                 Float(255.5),
                                 std::numeric_limits<Float>::infinity(),
                                 -std::numeric_limits<Float>::infinity(),
                                 std::numeric_limits<Float>::quiet_NaN(),
                                 std::numeric_limits<Float>::signaling_NaN(),
                                 std::numeric_limits<Float>::max(),
                                 std::numeric_limits<Float>::lowest(),
                                 std::numeric_limits<Float>::denorm_min()};
    for (int bits : {7, 8, 15, 16, 31, 32, 63, 64})
      for (Float bound : {std::ldexp(Float(1), bits), -std::ldexp(Float(1), bits)}) {
        Float infinity = std::numeric_limits<Float>::infinity();
        for (Float value : {bound, bound - 1, bound + 1, bound - Float(0.5), bound + Float(0.5),
                            std::nextafter(bound, infinity), std::nextafter(bound, -infinity)})
          values.push_back(value);
      }
    while (values.size() < 1000)
      values.push_back(std::bit_cast<Float>(static_cast<Bits>(random())));
    return values;
  }

  template <typename Integer, typename Float>
  void expectNearest(const std::vector<Float> &values, DType type, const std::string &name) {
    int n = static_cast<int>(values.size());
    Array x = device.array(values), y = device.zeros(type, {n}), one = device.zeros(type, {1});
    for (int size : {1024, 8, 3}) {
      int block = size == 3 ? 4 : size;
      run("def convert(x, y, one, n, size, BLOCK: tl.constexpr):\n"
          "    at = tl.arange(0, BLOCK)\n"
          "    i = tl.program_id(0) * size + at\n"
          "    mask = (i < n) & (at < size)\n"
          "    tl.store(y + i, tl.load(x + i, mask=mask).to(" +
              name +
              "), mask=mask)\n"
              "    tl.store(one, tl.load(x + 7).to(" +
              name + "))\n",
          {{"x", x}, {"y", y}, {"one", one}, {"n", n}, {"size", size}, {"BLOCK", block}},
          {(n + size - 1) / size});
      std::vector<Integer> actual = y.template toVector<Integer>();
      for (int i = 0; i < n; ++i)
        ASSERT_EQ(actual[i], (nearest<Integer>(values[i])))
            << values[i] << " as " << name << ", blocks of " << size;
      EXPECT_EQ(one.template toVector<Integer>()[0], (nearest<Integer>(values[7])));
    }
  }

  template <typename Float> void expectAll(const std::vector<Float> &values) {
    expectNearest<int8_t>(values, DType::Int8, "tl.int8");
    expectNearest<uint8_t>(values, DType::UInt8, "tl.uint8");
    expectNearest<int16_t>(values, DType::Int16, "tl.int16");
    expectNearest<uint16_t>(values, DType::UInt16, "tl.uint16");
    expectNearest<int32_t>(values, DType::Int32, "tl.int32");
    expectNearest<uint32_t>(values, DType::UInt32, "tl.uint32");
    expectNearest<int64_t>(values, DType::Int64, "tl.int64");
    expectNearest<uint64_t>(values, DType::UInt64, "tl.uint64");
  }

  std::mt19937_64 random{11};
};

TEST_P(Saturation, of_float32) { expectAll(numbers<float, uint32_t>()); }
TEST_P(Saturation, of_float64) { expectAll(numbers<double, uint64_t>()); }

NEREID_ON_ALL_DEVICES(Saturation);

} // namespace
