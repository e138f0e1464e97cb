// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses that are computed lane by lane and are neighbours in some vectors, as only the launch
// knows; elements that are stored some apart; and quotients and remainders of numbers that count
// on, at the ends of their types.
#include "MeaningTest.h"

#include <cstdint>
#include <limits>

using namespace nereid;

namespace {

class LaneRuns : public nereid::test::MeaningTest {
protected:
  static constexpr int count = 1024, block = 256;

  /// Runs of `length` neighbours, the runs in another order; where it divides no vector, runs end
  /// within vectors.
  static std::vector<int> table(int length) {
    std::vector<int> places;
    for (int run = (count - 1) / length; run >= 0; --run)
      for (int at = run * length; at < std::min(count, (run + 1) * length); ++at)
        places.push_back(at);
    return places;
  }

  template <typename T> void expectMoved(DType dtype) {
    const std::string body = R"(
def k(x, places, loaded, stored, low, high, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    place = tl.load(places + i)
    mask = (place >= low) & (place < high)
    tl.store(loaded + i, tl.load(x + place, mask=mask, other=1))
    tl.store(stored + place, tl.load(x + i), mask=mask)
)";
    std::vector<T> x(count);
    for (int i = 0; i < count; ++i)
      x[i] = static_cast<T>(i * 7 % 101);
    for (int length : {1, 3, 8, 16, 29, 64, 100, 1024})
      for (auto [low, high] : {std::pair(0, count), {5, 900}, {333, 334}, {7, 7}}) {
        SCOPED_TRACE(testing::Message()
                     << "runs of " << length << " from " << low << " to " << high);
        const std::vector<int> places = table(length);
        std::vector<T> expectedLoads(count, T(1)), expectedStores(count, T(0));
        for (int i = 0; i < count; ++i)
          if (places[i] >= low && places[i] < high) {
            expectedLoads[i] = x[places[i]];
            expectedStores[places[i]] = x[i];
          }
        Array loaded = device.zeros(dtype, {count}), stored = device.zeros(dtype, {count});
        run(body,
            {{"x", device.array(x)},
             {"places", device.array(places)},
             {"loaded", loaded},
             {"stored", stored},
             {"low", low},
             {"high", high},
             {"B", block}},
            {count / block});
        EXPECT_EQ(loaded.toVector<T>(), expectedLoads);
        EXPECT_EQ(stored.toVector<T>(), expectedStores);
      }
  }

  template <typename T> void expectApart(DType dtype, int apart) {
    const std::string body = R"(
def k(x, out, n, APART: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + APART * i + 1, tl.load(x + i, mask=i < n), mask=i < n)
)";
    for (int n : {count, count - 1, count - 63, 17}) {
      SCOPED_TRACE(testing::Message() << n << " elements, " << apart << " apart");
      std::vector<T> x(count), expected(apart * count + 1, T(9));
      for (int i = 0; i < n; ++i)
        expected[apart * i + 1] = x[i] = static_cast<T>(i % 100);
      Array out = device.array(std::vector<T>(apart * count + 1, T(9)));
      run(body, {{"x", device.array(x)}, {"out", out}, {"n", n}, {"APART", apart}, {"B", block}},
          {count / block});
      EXPECT_EQ(out.toVector<T>(), expected);
    }
  }

  template <typename T> void expectQuotients(DType dtype, T first, T divisor) {
    const std::string body = R"(
def k(first, divisor, quotients, remainders, B: tl.constexpr):
    i = tl.load(first) + tl.arange(0, B).to(first.dtype.element_ty)
    by = tl.load(divisor)
    tl.store(quotients + tl.arange(0, B), i // by)
    tl.store(remainders + tl.arange(0, B), i % by)
)";
    SCOPED_TRACE(testing::Message() << first << " and on, divided by " << divisor);
    std::vector<T> quotients, remainders;
    for (int i = 0; i < block; ++i) {
      const T number = static_cast<T>(static_cast<std::make_unsigned_t<T>>(first) + i);
      quotients.push_back(number / divisor);
      remainders.push_back(number % divisor);
    }
    Array q = device.zeros(dtype, {block}), r = device.zeros(dtype, {block});
    run(body, {{"first", device.array(std::vector<T>{first})},
               {"divisor", device.array(std::vector<T>{divisor})},
               {"quotients", q},
               {"remainders", r},
               {"B", block}});
    EXPECT_EQ(q.toVector<T>(), quotients);
    EXPECT_EQ(r.toVector<T>(), remainders);
  }

  template <typename T> void expectQuotientsAtEnds(DType dtype) {
    const T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
    for (T first : {T(0), T(5), T(most - 255), T(most - 100), T(most - 5), T(least + 3),
                    T(T(0) - T(40)), T(most / 2 - 7)})
      for (T divisor : {T(1), T(7), T(15), T(16), T(31), T(32), T(33), T(100), T(777), T(most - 3),
                        most, T(most / 2 + 1)})
        expectQuotients<T>(dtype, first, divisor);
  }
};

TEST_P(LaneRuns, OneElementForAVector) {
  const std::string body = R"(
def k(x, places, out, low, high, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    mask = (i >= low) & (i < high)
    tl.store(out + i, tl.load(x + tl.load(places + i, mask=mask, other=-1000000), mask=mask, other=0))
)";
  for (int length : {1, 5, 16, 64, 77})
    for (auto [low, high] : {std::pair(0, count), {3, 801}, {40, 41}}) {
      SCOPED_TRACE(testing::Message() << length << " times each, " << low << " to " << high);
      std::vector<int> places(count);
      std::vector<float> x(count), expected(count);
      for (int i = 0; i < count; ++i) {
        x[i] = static_cast<float>(i + 1);
        places[i] = i / length;
        if (i >= low && i < high)
          expected[i] = static_cast<float>(places[i] + 1);
      }
      Array out = device.zeros(DType::Float32, {count});
      run(body,
          {{"x", device.array(x)},
           {"places", device.array(places)},
           {"out", out},
           {"low", low},
           {"high", high},
           {"B", block}},
          {count / block});
      EXPECT_EQ(out.toVector<float>(), expected);
    }
}

TEST_P(LaneRuns, Float32) { expectMoved<float>(DType::Float32); }
TEST_P(LaneRuns, Int8) { expectMoved<int8_t>(DType::Int8); }
TEST_P(LaneRuns, Int16) { expectMoved<int16_t>(DType::Int16); }
TEST_P(LaneRuns, Float64) { expectMoved<double>(DType::Float64); }

TEST_P(LaneRuns, Apart) {
  for (int apart : {2, 3, 4, 5}) {
    expectApart<float>(DType::Float32, apart);
    expectApart<int8_t>(DType::Int8, apart);
    expectApart<int16_t>(DType::Int16, apart);
    expectApart<double>(DType::Float64, apart);
  }
}

TEST_P(LaneRuns, QuotientsOfInts) { expectQuotientsAtEnds<int32_t>(DType::Int32); }
TEST_P(LaneRuns, QuotientsOfUnsignedInts) { expectQuotientsAtEnds<uint32_t>(DType::UInt32); }
TEST_P(LaneRuns, QuotientsOfLongs) { expectQuotientsAtEnds<int64_t>(DType::Int64); }
TEST_P(LaneRuns, QuotientsOfUnsignedLongs) { expectQuotientsAtEnds<uint64_t>(DType::UInt64); }

NEREID_ON_ALL_DEVICES(LaneRuns);

} // namespace
