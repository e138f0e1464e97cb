// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Accepted.h"

namespace nereid::test {

static void expectIr(const std::string &text, const Signature &signature,
                     const std::vector<std::string> &pieces) {
  Outcome outcome = emitKernel(text, signature);
  ASSERT_EQ(outcome.id, "") << outcome.message;
  EXPECT_TRUE(outcome.isVerified) << outcome.ir;
  size_t position = 0;
  for (const std::string &piece : pieces) {
    if (piece.starts_with('~')) {
      EXPECT_EQ(outcome.ir.find(piece.substr(1), position), std::string::npos)
          << "unwanted: " << piece << "\n"
          << outcome.ir;
      continue;
    }
    size_t found = outcome.ir.find(piece, position);
    ASSERT_NE(found, std::string::npos) << "missing: " << piece << "\n" << outcome.ir;
    position = found + piece.size();
  }
}

TEST_P(AcceptBody, Becomes) {
  std::string text = "@triton.jit\ndef k(p, n, u, f, B: tl.constexpr):\n"
                     "    x = tl.load(p + tl.arange(0, B))\n    ";
  for (char c : std::string(GetParam().text))
    text += c == '\n' ? "\n    " : std::string(1, c);
  expectIr(text + "\n", GetParam().signature, GetParam().pieces);
}

TEST_P(AcceptModule, Becomes) {
  expectIr(GetParam().text, GetParam().signature, GetParam().pieces);
}

} // namespace nereid::test
