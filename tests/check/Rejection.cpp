// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Rejection.h"

#include <algorithm>
#include <string_view>

namespace nereid::test {
namespace {

struct Marked {
  std::string text;
  unsigned line = 1, column = 1;
};

Marked unmark(std::string text) {
  size_t mark = text.find("@@");
  EXPECT_NE(mark, std::string::npos) << "no @@ in:\n" << text;
  text.erase(mark, 2);
  Marked marked{text, 1, 1};
  for (size_t i = 0; i < mark; ++i) {
    marked.column = text[i] == '\n' ? 1 : marked.column + 1;
    marked.line += text[i] == '\n';
  }
  return marked;
}

void expectRejected(const std::string &whole, const Signature &signature,
                    const Rejection &rejection) {
  Marked marked = unmark(whole);
  Outcome outcome = emitKernel(marked.text, signature);
  EXPECT_EQ(outcome.id, rejection.id) << marked.text << "\n" << outcome.message << outcome.ir;
  EXPECT_EQ(outcome.line, marked.line) << outcome.message;
  EXPECT_EQ(outcome.column, marked.column) << outcome.message;
  EXPECT_NE(outcome.message.find(rejection.mentions), std::string::npos) << outcome.message;
}

std::string indented(std::string_view body) {
  std::string result;
  size_t start = 0;
  while (start <= body.size()) {
    size_t end = std::min(body.find('\n', start), body.size());
    result += "    " + std::string(body.substr(start, end - start)) + "\n";
    start = end + 1;
  }
  return result;
}

} // namespace

TEST_P(RejectBody, AtTheMark) {
  std::string head = "@triton.jit\ndef k(p, n, u, f, B: tl.constexpr):\n"
                     "    x = tl.load(p + tl.arange(0, B))\n";
  expectRejected(head + indented(GetParam().text), {"*f32", "i32", "u32", "f32", "=16"},
                 GetParam());
}

TEST_P(RejectModule, AtTheMark) { expectRejected(GetParam().text, {"*f32", "i32"}, GetParam()); }

} // namespace nereid::test
