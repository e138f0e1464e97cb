// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// break, continue and return wherever they stand, under conditions that only the run decides.
#include "MeaningTest.h"

#include <algorithm>
#include <cstdint>
#include <functional>

using namespace nereid;

namespace {

class LeaveTest : public nereid::test::MeaningTest {
protected:
  static constexpr int programs = 16;

  /// Runs a kernel k(x, o, n) in which each program writes o[4 * pid ...], and compares with what
  /// `expected` does for one program.
  void compare(const std::string &text,
               const std::function<void(int pid, const int *x, int *o)> &expected) {
    std::vector<int32_t> values = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
    Array out = device.array(std::vector<int32_t>(4 * programs, -1));
    run(text, {{"x", device.array(values)}, {"o", out}, {"n", 16}}, {programs});
    std::vector<int32_t> wanted(4 * programs, -1), given = out.toVector<int32_t>();
    for (int pid = 0; pid < programs; ++pid)
      expected(pid, values.data(), &wanted[static_cast<size_t>(4 * pid)]);
    EXPECT_EQ(given, wanted) << text;
  }
};
NEREID_ON_ALL_DEVICES(LeaveTest);

TEST_P(LeaveTest, AFunctionReturnsFromItsLoop) {
  compare(R"(
def find(x, n, value):
    for i in range(n):
        if tl.load(x + i) == value:
            return i
    return -1
@triton.jit
def k(x, o, n):
    pid = tl.program_id(0)
    tl.store(o + 4 * pid, find(x, n, pid))
)",
          [](int pid, const int *x, int *o) {
            o[0] = static_cast<int>(std::find(x, x + 16, pid) - x);
            o[0] = o[0] == 16 ? -1 : o[0];
          });
}

TEST_P(LeaveTest, ALoopThatGoesByMoreThanOneBreaksAndContinues) {
  compare(R"(
def k(x, o, n):
    pid = tl.program_id(0)
    total = 0
    for i in range(pid % 3, n, 3):
        value = tl.load(x + i)
        if value == pid:
            break
        if value % 2 == 1:
            continue
        total += value
    tl.store(o + 4 * pid, total)
    tl.store(o + 4 * pid + 1, i)
)",
          [](int pid, const int *x, int *o) {
            o[0] = 0;
            for (int i = pid % 3; i < 16; i += 3) {
              o[1] = i;
              if (x[i] == pid)
                break;
              o[0] += x[i] % 2 == 1 ? 0 : x[i];
            }
          });
}

TEST_P(LeaveTest, ACounterThatWouldWrapEndsItsLoop) {
  compare(R"(
def k(x, o, n):
    pid = tl.program_id(0)
    turns = 0
    for i in range(2147483000, 2147483647, 600):
        turns += 1
        if turns == pid:
            break
    tl.store(o + 4 * pid, turns)
)",
          [](int pid, const int *, int *o) { o[0] = pid == 1 ? 1 : 2; });
}

TEST_P(LeaveTest, ALoopWithAStepOfNothingMakesNoTurn) {
  Array out = device.array(std::vector<int32_t>(1, -1));
  for (int step : {-1, -2}) {
    run("def k(o, s):\n"
        "    turns = 0\n"
        "    for i in range(0, 4, s):\n"
        "        turns += 1\n"
        "        if turns > 2:\n"
        "            break\n"
        "    tl.store(o, turns)\n",
        {{"o", out}, {"s", step}});
    EXPECT_EQ(out.toVector<int32_t>()[0], 0);
  }
}

TEST_P(LeaveTest, BreakLeavesTheInnerLoopOnly) {
  compare(R"(
def k(x, o, n):
    pid = tl.program_id(0)
    total = 0
    for i in range(4):
        for j in range(n):
            if tl.load(x + j) == pid + i:
                break
            if i + j > 20 - pid:
                tl.store(o + 4 * pid, total)
                return
            total += j
        if total > 60:
            break
        total += 1000
    tl.store(o + 4 * pid + 1, total)
)",
          [](int pid, const int *x, int *o) {
            int total = 0;
            for (int i = 0; i < 4; ++i) {
              for (int j = 0; j < 16; ++j) {
                if (x[j] == pid + i)
                  break;
                if (i + j > 20 - pid) {
                  o[0] = total;
                  return;
                }
                total += j;
              }
              if (total > 60)
                break;
              total += 1000;
            }
            o[1] = total;
          });
}

TEST_P(LeaveTest, AnEndlessLoopEndsByBreakOrReturn) {
  compare(R"(
def k(x, o, n):
    pid = tl.program_id(0)
    i = 0
    while True:
        if i >= n:
            break
        value = tl.load(x + i)
        i += 1
        if value > pid:
            if value % 2 == 0:
                continue
            tl.store(o + 4 * pid, value)
            if value > 7:
                return
    tl.store(o + 4 * pid + 1, i)
)",
          [](int pid, const int *x, int *o) {
            for (int i = 0; i < 16; ++i) {
              if (x[i] <= pid || x[i] % 2 == 0)
                continue;
              o[0] = x[i];
              if (x[i] > 7)
                return;
            }
            o[1] = 16;
          });
}

TEST_P(LeaveTest, ElseAfterALoopRunsUnlessABreakEndedIt) {
  compare(R"(
def k(x, o, n):
    pid = tl.program_id(0)
    for i in range(n):
        if tl.load(x + i) == pid + 7:
            tl.store(o + 4 * pid, i)
            break
        for j in tl.static_range(2):
            if j == 5:
                break
        else:
            if tl.load(x + i) == pid + 11:
                break
    else:
        tl.store(o + 4 * pid, -1)
        if pid == 2:
            return
    i = 0
    while i < n:
        if tl.load(x + i) == 3 * pid:
            break
        i += 1
    else:
        i = 100 + pid
    tl.store(o + 4 * pid + 1, i)
)",
          [](int pid, const int *x, int *o) {
            int i = 0;
            for (; i < 16; ++i) {
              if (x[i] == pid + 7)
                o[0] = i;
              if (x[i] == pid + 7 || x[i] == pid + 11)
                break;
            }
            if (i == 16) {
              o[0] = -1;
              if (pid == 2)
                return;
            }
            auto found = std::find(x, x + 16, 3 * pid);
            o[1] = found == x + 16 ? 100 + pid : static_cast<int>(found - x);
          });
}

/// After the break, the condition would read beyond the array.
TEST_P(LeaveTest, TheConditionIsNotAskedAfterABreak) {
  compare(R"(
def k(x, o, n):
    pid = tl.program_id(0)
    i = 0
    while tl.load(x + i) != pid:
        i += 1
        if i == n:
            break
    tl.store(o + 4 * pid, i)
)",
          [](int pid, const int *x, int *o) {
            o[0] = static_cast<int>(std::find(x, x + 16, pid) - x);
          });
}

TEST_P(LeaveTest, ReturnInNestedBranches) {
  compare(R"(
def k(x, o, n):
    pid = tl.program_id(0)
    if pid > 3:
        if tl.load(x + pid) > 5:
            tl.store(o + 4 * pid, 1)
            return
        late = pid * 2
    else:
        if pid == 2:
            return
        late = pid * 3
    tl.store(o + 4 * pid + 1, late)
)",
          [](int pid, const int *x, int *o) {
            if (pid > 3 && x[pid] > 5)
              o[0] = 1;
            else if (pid != 2)
              o[1] = pid > 3 ? pid * 2 : pid * 3;
          });
}

TEST_P(LeaveTest, AnUnrolledLoopIsLeftAtRunTime) {
  compare(R"(
def k(x, o, n):
    pid = tl.program_id(0)
    seen = 0
    for i in tl.static_range(4):
        if pid == i:
            continue
        if tl.load(x + i) == pid - 2:
            break
        seen = seen * 10 + i + 1
    tl.store(o + 4 * pid, seen)
    tl.store(o + 4 * pid + 1, i)
)",
          [](int pid, const int *x, int *o) {
            o[0] = 0;
            for (int i = 0; i < 4; ++i) {
              o[1] = i;
              if (pid == i)
                continue;
              if (x[i] == pid - 2)
                break;
              o[0] = o[0] * 10 + i + 1;
            }
          });
}

TEST_P(LeaveTest, ATileIsCarriedOutOfALoopThatBreaks) {
  constexpr int n = 100; // no power of two, here and in the tile
  std::vector<float> values(n * 7);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>((i * 37) % 101);
  Array out = device.zeros(DType::Float32, {n});
  for (float limit : {-1.0F, 3000.0F, 9000.0F, 1e9F}) {
    run(R"(
def k(x, o, limit, N: tl.constexpr):
    lane = tl.arange(0, N)
    rows = tl.zeros((N,), tl.float32)
    for i in range(7):
        row = tl.load(x + i * N + lane)
        if tl.sum(rows + row) > limit:
            break
        rows += row
        rows, row = row, rows
        rows += row
    tl.store(o + lane, rows)
)",
        {{"x", device.array(values)}, {"o", out}, {"limit", limit}, {"N", n}});
    std::vector<float> rows(n, 0);
    for (size_t i = 0; i < 7; ++i) {
      double sum = 0;
      for (size_t lane = 0; lane < n; ++lane)
        sum += rows[lane] + values[i * n + lane];
      if (sum > limit)
        break;
      for (size_t lane = 0; lane < n; ++lane)
        rows[lane] += 2 * values[i * n + lane]; // all are whole numbers
    }
    EXPECT_EQ(out.toVector<float>(), rows) << limit;
  }
}

TEST_P(LeaveTest, AFunctionReturnsATileFromALoop) {
  Array out = device.zeros(DType::Int32, {12});
  for (int n : {0, 2, 9}) {
    run(R"(
def first(n):
    for i in range(n):
        if i * i > 10:
            return tl.arange(0, 12) * i, i
    return tl.zeros((12,), tl.int32), -1
@triton.jit
def k(o, n):
    tile, at = first(n)
    tl.store(o + tl.arange(0, 12), tile + at)
)",
        {{"o", out}, {"n", n}});
    for (int lane = 0; lane < 12; ++lane)
      EXPECT_EQ(out.toVector<int32_t>()[static_cast<size_t>(lane)], n > 4 ? 4 * lane + 4 : -1);
  }
}

TEST_P(LeaveTest, ALoopVariableOutlivesItsLoop) {
  compare(R"(
def k(x, o, n):
    pid = tl.program_id(0)
    for i in range(2, 2 + pid, 3):
        pass
    tl.store(o + 4 * pid, i)
    j = 77
    for j in range(pid, 4, -2):
        pass
    tl.store(o + 4 * pid + 1, j)
)",
          [](int pid, const int *, int *o) {
            o[0] = 2; // where there is no turn, the first is taken for the last
            for (int i = 2; i < 2 + pid; i += 3)
              o[0] = i;
            o[1] = 77;
            for (int j = pid; j > 4; j -= 2)
              o[1] = j;
          });
}

} // namespace
