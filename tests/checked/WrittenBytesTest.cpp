// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/WrittenBytes.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace nereid::check {

TEST(WrittenBytes, KnowsWhatAnArrayOfFlagsKnows) {
  std::mt19937 random(7);
  for (size_t size : {0, 1, 63, 64, 65, 1000}) {
    WrittenBytes written(size);
    std::vector<bool> flags(size);
    for (int step = 0; step < 200; ++step) {
      size_t offset = random() % (size + 1), bytes = random() % 100;
      bytes = std::min(bytes, size - offset);
      if (step % 3 == 0) {
        written.mark(offset, bytes);
        std::fill_n(flags.begin() + offset, bytes, true);
      }
      size_t expected = offset;
      while (expected < offset + bytes && flags[expected])
        ++expected;
      ASSERT_EQ(written.findUnwritten(offset, bytes), expected) << size;
    }
    written.settle();
    bool isAll = std::find(flags.begin(), flags.end(), false) == flags.end();
    EXPECT_EQ(written.isComplete(), isAll) << size;
    written.markAll();
    EXPECT_TRUE(written.isComplete());
    written.unmarkAll();
    EXPECT_EQ(written.findUnwritten(0, size), 0u);
  }
}

} // namespace nereid::check
