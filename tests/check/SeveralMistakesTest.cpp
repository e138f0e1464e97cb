// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels with several mistakes: each that does not follow from another is reported, in the order
// of the text, and no other. "@@" stands before the character that a mistake points at.
#include "EmitKernel.h"

#include <gtest/gtest.h>

namespace nereid::test {
namespace {

const Signature signature = {"*f32", "i32", "*f32"};

struct Place {
  unsigned line, column;
  bool operator==(const Place &) const = default;
};

std::ostream &operator<<(std::ostream &out, const Place &place) {
  return out << place.line << ':' << place.column;
}

/// The places that are marked, and the text without the marks.
std::vector<Place> unmarkAll(std::string &text) {
  std::vector<Place> places;
  for (size_t mark; (mark = text.find("@@")) != std::string::npos;) {
    text.erase(mark, 2);
    Place place{1, 1};
    for (size_t i = 0; i < mark; ++i) {
      place.column = text[i] == '\n' ? 1 : place.column + 1;
      place.line += text[i] == '\n';
    }
    places.push_back(place);
  }
  return places;
}

/// Where the message says that there is a mistake: "NAME:LINE:COLUMN: error: ...".
std::vector<Place> reported(const std::string &message) {
  std::vector<Place> places;
  for (size_t at = 0; (at = message.find(": error: ", at)) != std::string::npos; ++at) {
    size_t column = message.rfind(':', at - 1), line = message.rfind(':', column - 1);
    places.push_back({static_cast<unsigned>(std::stoul(message.substr(line + 1))),
                      static_cast<unsigned>(std::stoul(message.substr(column + 1)))});
  }
  return places;
}

void expectMistakes(std::string text, const Signature &types) {
  text = "import triton\nimport triton.language as tl\n" + text;
  std::vector<Place> expected = unmarkAll(text);
  Outcome outcome = emitKernel(text, types);
  EXPECT_EQ(reported(outcome.message), expected) << text << "\n" << outcome.message;
}

void expectMistakesIn(const std::string &body) {
  expectMistakes("@triton.jit\ndef k(x, n, o):\n" + body, signature);
}

TEST(SeveralMistakes, WhatALoopShouldHaveAssignedIsNoSecondOne) {
  expectMistakesIn("    for i in range(n):\n"
                   "        @@total += i\n"
                   "    tl.store(o, total)\n");
  expectMistakesIn("    total = tl.zeros((4,), @@'float32')\n"
                   "    for i in range(n):\n"
                   "        total += i\n"
                   "    while n > 3:\n"
                   "        total += 1\n"
                   "        n -= 1\n"
                   "    tl.store(o + tl.arange(0, 4), total)\n");
}

TEST(SeveralMistakes, InStatementsThatAreIndependent) {
  expectMistakesIn("    i = tl.@@arang(0, 8)\n"
                   "    j = tl.arange(0, 16)\n"
                   "    k = @@j + tl.arange(0, 8)\n"
                   "    tl.store(o + j, tl.load(x + j, @@musk=j < n))\n");
}

TEST(SeveralMistakes, ConsequencesAreNone) {
  expectMistakesIn("    i = tl.@@arang(0, 8)\n"
                   "    j = i * 2\n"
                   "    v = tl.load(x + j, mask=j < n)\n"
                   "    v += 1\n"
                   "    if n > 3:\n"
                   "        v = v * 2\n"
                   "    tl.store(o + i, v)\n");
}

TEST(SeveralMistakes, InLoopsAndBranches) {
  expectMistakesIn("    sum = tl.zeros((8,), tl.float32)\n"
                   "    for k in range(n):\n"
                   "        sum += @@undefined\n"
                   "        y = tl.@@lod(x + k)\n"
                   "        if k > 3:\n"
                   "            sum -= y\n"
                   "            z = @@nothing\n"
                   "    tl.store(o + tl.arange(0, 8), sum)\n"
                   "    if n > 2:\n"
                   "        tl.store(o, @@missing)\n");
}

TEST(SeveralMistakes, ALoopThatOnlyAMistakeEnds) {
  expectMistakesIn("    k = 0\n"
                   "    while True:\n"
                   "        k += 1\n"
                   "        if k > @@limit:\n"
                   "            break\n"
                   "    tl.store(o, @@value)\n");
}

TEST(SeveralMistakes, InFunctionsThatAreCalled) {
  expectMistakes("@triton.jit\n"
                 "def half(v):\n"
                 "    return v * @@facter\n"
                 "@triton.jit\n"
                 "def twice(v):\n"
                 "    if v > 0:\n"
                 "        return v * 2\n"
                 "    return @@w\n"
                 "@triton.jit\n"
                 "def k(x, n, o):\n"
                 "    a = half(n)\n"
                 "    b = twice(n)\n"
                 "    tl.store(o, a + b)\n"
                 "    c = half(a) + half(b)\n"
                 "    tl.store(o, @@d)\n",
                 signature);
}

TEST(SeveralMistakes, OneFunctionCalledTwiceHasOne) {
  expectMistakes("@triton.jit\n"
                 "def half(v):\n"
                 "    return v * @@facter\n"
                 "@triton.jit\n"
                 "def k(x, n, o):\n"
                 "    tl.store(o, half(n))\n"
                 "    tl.store(o + 1, half(n + 1))\n",
                 signature);
}

TEST(SeveralMistakes, OfTypesThatALoopChanges) {
  expectMistakesIn("    a = 1\n"
                   "    for i in @@range(n):\n"
                   "        a = a + 0.5\n"
                   "    b = 1\n"
                   "    for i in @@range(n):\n"
                   "        b = tl.arange(0, 4)\n"
                   "    tl.store(o, a)\n"
                   "    tl.store(o, b)\n");
}

TEST(SeveralMistakes, AfterAFailedAssertionNoneIsSought) {
  expectMistakesIn("    @@tl.static_assert(x.dtype == tl.float32, 'no')\n"
                   "    tl.store(o, unknown)\n");
}

TEST(SeveralMistakes, AConstantThatALaunchWouldGiveIsNone) {
  expectMistakesIn("    i = tl.@@arang(0, 8)\n"
                   "    j = tl.arange(0, n)\n"
                   "    tl.store(o + j, 1)\n"
                   "    tl.store(o, @@unknown)\n");
}

TEST(SeveralMistakes, InTheSyntax) {
  expectMistakesIn("    @@with x:\n"
                   "        y = 1\n"
                   "    a = 1 +@@\n"
                   "    if n > 3:\n"
                   "        b = @@lambda: 3\n"
                   "    elif n @@= 4:\n"
                   "        c = 3\n"
                   "    else:\n"
                   "        c = 4\n"
                   "    @@try:\n"
                   "        d = 1\n"
                   "    except ValueError:\n"
                   "        d = 2\n"
                   "    @@f(x) = 3\n");
}

TEST(SeveralMistakes, AreCounted) {
  std::string body;
  for (int i = 0; i < 30; ++i)
    body += "    tl.store(o, " + std::string(i < 10 ? "@@" : "") + "unknown" + std::to_string(i) +
            ")\n";
  expectMistakesIn(body);
}

} // namespace
} // namespace nereid::test
