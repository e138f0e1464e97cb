// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Peer.h"

#include <gtest/gtest.h>

namespace nereid::bench {

TEST(Peer, CodeFromBeforeTheProcessorIsRefused) {
  std::string reason = refusePeer("Prescott", true, true);
  EXPECT_NE(reason.find("'Prescott'"), std::string::npos) << reason;
  EXPECT_NE(reason.find("AVX-512"), std::string::npos) << reason;
  EXPECT_NE(reason.find("OPENBLAS_CORETYPE=SkylakeX"), std::string::npos) << reason;
  reason = refusePeer("Sandybridge", true, false);
  EXPECT_NE(reason.find("OPENBLAS_CORETYPE=Haswell"), std::string::npos) << reason;
  for (const char *core : {"Unknown", "Core2", "Nehalem", "Opteron_SSE3", "Steamroller"})
    EXPECT_FALSE(refusePeer(core, true, false).empty()) << core;
}

TEST(Peer, CodeForTheProcessorIsFair) {
  for (const char *core : {"Haswell", "Zen", "Excavator", "SkylakeX", "Cooperlake", "of tomorrow"})
    EXPECT_EQ(refusePeer(core, true, true), "") << core;
  EXPECT_EQ(refusePeer("Nehalem", false, false), "");
}

} // namespace nereid::bench
