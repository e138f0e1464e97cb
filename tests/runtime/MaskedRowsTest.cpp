// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that are shorter than the tile they lie in, walked over more than once: what a mask leaves
// out has the value that the load says, in every walk. CPUs take vectors without an active lane
// apart.
#include "MeaningTest.h"

#include <algorithm>

using namespace nereid;

namespace {

using nereid::test::MeaningTest;

struct MaskedRow {
  const char *mask, *other;
  /// The same in C++: of a lane and of the length.
  bool (*isActive)(int lane, int n);
  float (*otherOf)(int n);
};

bool isInRow(int lane, int n) { return lane < n; }
bool isInRowOrLast(int lane, int n) { return lane < n || lane >= 448; }
bool isSecondInRow(int lane, int n) { return lane < n && lane % 2 == 1; }
float minusThree(int) { return -3; }
float lengthOf(int n) { return float(n); }
float zero(int) { return 0; }

const MaskedRow maskedRows[] = {
    {"at < n", ", other=-3.0", isInRow, minusThree},
    {"at < n", ", other=0.0", isInRow, zero},
    {"at < n", ", other=n.to(tl.float32)", isInRow, lengthOf},
    {"(at < n) | (at >= 448)", ", other=-3.0", isInRowOrLast, minusThree},
    {"(at < n) & (at % 2 == 1)", ", other=-3.0", isSecondInRow, minusThree},
};

class MaskedRows : public MeaningTest {
protected:
  static constexpr int block = 512, rows = 2;

  void expectRows(const MaskedRow &test, int n) {
    std::string body = R"(
def walk(x, out, sums, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    mask = )" + std::string(test.mask) +
                       R"(
    row = tl.load(x + tl.program_id(0) * BLOCK + at, mask=mask)" +
                       test.other + R"()
    most = tl.max(row, 0)
    steps = (row - most) * 2
    total = tl.sum(steps, 0)
    tl.store(out + tl.program_id(0) * BLOCK + at, steps + total)
    tl.store(sums + tl.program_id(0), total + tl.sum(tl.where(mask, steps, 1.0), 0))
)";
    std::vector<float> x(rows * block), expected(x.size()), expectedSums(rows);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<float>(i * 7 % 23) - 11;
    for (int r = 0; r < rows; ++r) {
      auto at = [&](int i) { return test.isActive(i, n) ? x[r * block + i] : test.otherOf(n); };
      float most = at(0), total = 0, second = 0;
      for (int i = 0; i < block; ++i)
        most = std::max(most, at(i));
      for (int i = 0; i < block; ++i) {
        total += (at(i) - most) * 2;
        second += test.isActive(i, n) ? (at(i) - most) * 2 : 1;
      }
      for (int i = 0; i < block; ++i)
        expected[r * block + i] = (at(i) - most) * 2 + total;
      expectedSums[r] = total + second;
    }
    Array out = device.zeros(DType::Float32, {rows, block});
    Array sums = device.zeros(DType::Float32, {rows});
    run(body, {{"x", device.array(x)}, {"out", out}, {"sums", sums}, {"n", n}, {"BLOCK", block}},
        {rows});
    EXPECT_EQ(out.toVector<float>(), expected) << test.mask << test.other << " of " << n;
    EXPECT_EQ(sums.toVector<float>(), expectedSums) << test.mask << test.other << " of " << n;
  }
};

TEST_P(MaskedRows, are_walked_over) {
  for (const MaskedRow &test : maskedRows)
    for (int n : {0, 1, 31, 64, 65, 300, 511, 512})
      expectRows(test, n);
}

NEREID_ON_ALL_DEVICES(MaskedRows);

} // namespace
