// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parser says of mistakes, and where.
#include "Parsed.h"

#include <gtest/gtest.h>

namespace nereid::test {
namespace {

TEST(Mistake, OfTheLexerIsReportedInAKernelOnly) {
  EXPECT_EQ(kernelMistake("  x = $\n"), "invalid_character: invalid character '$' '$'");
  EXPECT_EQ(kernelMistake("  x = \x01\n"), "invalid_character: invalid character U+0001 '\x01'");
  EXPECT_EQ(kernelMistake("  x = 'a\n"), "unterminated_string: unterminated string ''a'");
  EXPECT_EQ(kernelMistake("  x = 012\n"), "invalid_number: invalid number '012' '012'");
  EXPECT_EQ(kernelMistake("  x = 340282366920938463463374607431768211456\n").substr(0, 15),
            "invalid_number:");
  EXPECT_EQ(kernelMistake("    x = 1\n  y = 2\n"),
            "inconsistent_indentation: indentation matches no enclosing block '  '");
  EXPECT_EQ(kernelMistake("  f(a, 'b)\n"), "unterminated_string: unterminated string ''b)'");
  EXPECT_EQ(kernelMistake("  f(a, [b)\n"), "unclosed_bracket: '[' was never closed '['");
  EXPECT_EQ(kernelMistake("  f(a,\n  g(b)\n"), "unclosed_bracket: '(' was never closed '('");
  EXPECT_EQ(kernelMistake("  f(a))\n"), "unmatched_bracket: unmatched ')' ')'");
}

TEST(Mistake, OfABracketThatIsNeverClosedIsReportedInHostCodeToo) {
  EXPECT_EQ(moduleMistake("N = f(1\nM = 2\n@jit\ndef k():\n  pass\n"),
            "unclosed_bracket: '(' was never closed '('");
  EXPECT_EQ(moduleMistake("class C(\n@jit\ndef k():\n  pass\n"),
            "unclosed_bracket: '(' was never closed '('");
  EXPECT_EQ(moduleMistake("@jit\ndef k():\n  pass\nH = [\n"),
            "unclosed_bracket: '[' was never closed '['");
}

/// The note of the mistake in `body`.
std::string adviceOn(const std::string &body) {
  try {
    kernel(body);
  } catch (const SourceError &error) {
    return error.diagnostic.notes.empty() ? "no note" : error.diagnostic.notes[0].text;
  }
  return "no mistake";
}

TEST(Mistake, OfOtherLanguagesIsTranslated) {
  EXPECT_EQ(kernelMistake("  if a: pass\n  else if b: pass\n"),
            "expected: expected ':' after 'else' 'else if'");
  EXPECT_EQ(adviceOn("  if a: pass\n  else if b: pass\n"), "write 'elif'");
  EXPECT_EQ(kernelMistake("  if a = 4: pass\n"), "expected: expected ':' '='");
  EXPECT_EQ(adviceOn("  if a = 4: pass\n"), "'==' compares");
  EXPECT_EQ(adviceOn("  if b: pass\n  elif a = 4: pass\n"), "'==' compares");
  EXPECT_EQ(adviceOn("  while a = 4: pass\n"), "'==' compares");
  EXPECT_EQ(kernelMistake("  a && b\n"), "expected: expected an expression '&'");
  EXPECT_EQ(adviceOn("  a && b\n"), "'and' joins conditions, '&' tiles of them");
  EXPECT_EQ(adviceOn("  a || b\n"), "'or' joins conditions, '|' tiles of them");
  EXPECT_EQ(adviceOn("  a &\n"), "no note");
}

TEST(Mistake, OfComparisonsJoinedByBitsShowsWhatWasMeant) {
  EXPECT_EQ(kernelMistake("  m = i < n & i > 3\n"),
            "comparisons_not_parenthesized: '&' binds more tightly than a comparison, so it does "
            "not join the two beside it '&'");
  EXPECT_EQ(adviceOn("  m = i < n & i > 3\n"), "write (i < n) & (i > 3)");
  EXPECT_EQ(adviceOn("  m = i<n|i>=f(a, b[c & d])\n"), "write (i<n)|(i>=f(a, b[c & d]))");
  EXPECT_EQ(adviceOn("  m = 0 <= i < n & m & j > 3 | (k == 5)\n"),
            "write (0 <= i < n) & m & (j > 3) | (k == 5)");
  EXPECT_EQ(adviceOn("  m = (i < n &  # why\n       i not in t)\n"),
            "write (i < n) & (i not in t)");
  // These mean what they say, here and in Python.
  EXPECT_EQ(kernel("  m = (i < n) & (i > 3)\n"), "  m = ((i < n) & (i > 3))\n");
  EXPECT_EQ(kernel("  m = i & 1 == n\n"), "  m = ((i & 1) == n)\n");
  EXPECT_EQ(kernel("  m = i < (n & i) > 3\n"), "  m = (i < (n & i) > 3)\n");
  EXPECT_EQ(kernel("  m = i & n < a < b\n"), "  m = ((i & n) < a < b)\n");
}

TEST(Mistake, OfSyntaxSaysWhatWasExpected) {
  EXPECT_EQ(kernelMistake("  x = \n"), "expected: expected an expression '\n'");
  EXPECT_EQ(kernelMistake("  x = 1 2\n"), "expected: expected the end of the statement '2'");
  EXPECT_EQ(kernelMistake("  if a\n    b\n"), "expected: expected ':' '\n'");
  EXPECT_EQ(kernelMistake("  f(a b)\n"), "expected: expected ',' or ')' 'b'");
  EXPECT_EQ(kernelMistake("  a[]\n"), "expected: expected an expression ']'");
  EXPECT_EQ(kernelMistake("  a.1\n"), "expected: expected the end of the statement '.1'");
  EXPECT_EQ(kernelMistake("  a.if\n"), "expected: expected an attribute name 'if'");
  EXPECT_EQ(kernelMistake("  a if b\n"), "expected: expected 'else' '\n'");
  EXPECT_EQ(kernelMistake("  for i of a:\n    b\n"), "expected: expected 'in' 'of'");
  EXPECT_EQ(moduleMistake("@jit\ndef (a): pass"), "expected: expected a function name '('");
  EXPECT_EQ(parameterMistake("1"), "expected: expected a parameter name '1'");
  EXPECT_EQ(expressionMistake(""), "expected: expected an expression ''");
  EXPECT_EQ(expressionMistake("a b"), "expected: expected the end of the expression 'b'");
}

TEST(Mistake, OfIndentationPointsAtItsCause) {
  EXPECT_EQ(kernelMistake("  if a:\n  b\n"),
            "expected_indented_block: expected an indented block after 'if' 'if'");
  EXPECT_EQ(moduleMistake("@jit\ndef k():\nx\n"),
            "expected_indented_block: expected an indented block after 'def' 'def'");
  EXPECT_EQ(kernelMistake("  a\n    b\n"), "unexpected_indent: unexpected indent '    '");
}

TEST(Mistake, OfAssignmentNamesTheTarget) {
  EXPECT_EQ(kernelMistake("  f() = 1\n"),
            "invalid_assignment_target: cannot assign to a call 'f()'");
  EXPECT_EQ(kernelMistake("  a, 1 = b\n"),
            "invalid_assignment_target: cannot assign to a literal '1'");
  EXPECT_EQ(kernelMistake("  a + b = 1\n"),
            "invalid_assignment_target: cannot assign to an expression 'a + b'");
  EXPECT_EQ(kernelMistake("  a, b += 1\n"),
            "invalid_assignment_target: cannot assign to a tuple 'a, b'");
  EXPECT_EQ(kernelMistake("  a < b: int\n"),
            "invalid_assignment_target: cannot assign to a comparison 'a < b'");
  EXPECT_EQ(kernelMistake("  for f() in a:\n    b\n"),
            "invalid_assignment_target: cannot assign to a call 'f()'");
}

TEST(Mistake, OfParametersAndArguments) {
  EXPECT_EQ(parameterMistake("a, b, a"),
            "duplicate_parameter: parameter 'a' is declared twice 'a'");
  EXPECT_EQ(parameterMistake("a=1, b"), "default_before_required: parameter 'b' without a default "
                                        "follows one that has a default 'b'");
  EXPECT_EQ(parameterMistake("a, *"), "expected: expected a parameter name ')'");
  EXPECT_EQ(parameterMistake("a, *, *b"), "expected: expected a parameter name '*'");
  EXPECT_EQ(kernelMistake("  f(a=1, b)\n"),
            "positional_after_keyword: positional argument follows a keyword argument 'b'");
}

TEST(Mistake, NamesEveryConstructThatKernelsLack) {
  auto unsupported = [](const std::string &construct, const std::string &source) {
    return "unsupported_syntax: " + construct + " is not supported in a kernel '" + source + "'";
  };
  for (const char *keyword :
       {"with", "try", "del", "global", "nonlocal", "import", "from", "async"})
    EXPECT_EQ(kernelMistake("  " + std::string(keyword) + " a:\n    b\n"),
              unsupported("'" + std::string(keyword) + "'", keyword));
  for (const char *keyword : {"lambda", "yield", "await"})
    EXPECT_EQ(kernelMistake("  x = " + std::string(keyword) + "\n"),
              unsupported("'" + std::string(keyword) + "'", keyword));
  EXPECT_EQ(kernelMistake("  match a:\n    b\n"), unsupported("'match'", "match"));
  EXPECT_EQ(kernel("  match = match(a)\n"), "  match = match(a)\n");
  EXPECT_EQ(kernelMistake("  def f(): pass\n"), unsupported("a nested function", "def"));
  EXPECT_EQ(kernelMistake("  class C: pass\n"), unsupported("a class", "class"));
  EXPECT_EQ(kernelMistake("  @a\n  def f(): pass\n"), unsupported("a decorator", "@"));
  EXPECT_EQ(kernelMistake("  {a: 2 for a in b}\n"),
            unsupported("a comprehension of a dictionary or set", "for"));
  EXPECT_EQ(kernelMistake("  {**a}\n"), unsupported("'*' in a dictionary or set", "**"));
  EXPECT_EQ(kernelMistake("  (x for x in a)\n"), unsupported("a generator expression", "for"));
  EXPECT_EQ(kernelMistake("  [x for x in a for y in b]\n"),
            unsupported("a comprehension with several loops", "for"));
  EXPECT_EQ(kernelMistake("  a, *b = c\n"),
            unsupported("a starred expression outside a call", "*"));
  EXPECT_EQ(kernelMistake("  f(**a)\n"), unsupported("a '**' argument", "**"));
  EXPECT_EQ(kernelMistake("  'a' b'a'\n"), unsupported("a bytes literal beside a text", "b'a'"));
  EXPECT_EQ(parameterMistake("**a"), unsupported("a '**' parameter", "**"));
  EXPECT_EQ(parameterMistake("a, /"), unsupported("a positional-only parameter", "/"));
  EXPECT_EQ(moduleMistake("@jit\ndef k[T](): pass"), unsupported("a type parameter", "["));
}

TEST(Mistake, OfNestingIsReportedOnceAndFast) {
  constexpr size_t deep = 100000;
  auto idOf = [](const std::string &text) { return text.substr(0, text.find(':')); };
  for (const std::string &text :
       {repeated("(", deep) + "a" + repeated(")", deep), repeated("[", deep) + repeated("]", deep),
        repeated("- ", deep) + "a", repeated("not ", deep) + "a", "a" + repeated(".b", deep),
        repeated("a + (", deep) + "a" + repeated(")", deep), "a" + repeated("()", deep),
        "a" + repeated("[0]", deep), "a" + repeated("**a", deep),
        repeated("a if b else ", deep) + "c", repeated("f(", deep) + repeated(")", deep),
        repeated("a[", deep) + "0" + repeated("]", deep),
        repeated("(a:=", deep) + "0" + repeated(")", deep),
        repeated("f'{", 300) + repeated("}'", 300),
        repeated("f\"{", 300) + "1" + repeated("}\"", 300)})
    EXPECT_EQ(idOf(expressionMistake(text)), "nested_too_deeply") << text.substr(0, 20);
  std::string nest;
  for (size_t depth = 1; depth < 1000; ++depth)
    nest += std::string(depth, ' ') + "while a:\n";
  EXPECT_EQ(idOf(kernelMistake(nest)), "nested_too_deeply");
}

} // namespace
} // namespace nereid::test
