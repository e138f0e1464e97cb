// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions, statements and functions.
#include "Parsed.h"

#include "llvm/Support/Casting.h"

#include <gtest/gtest.h>

namespace nereid::test {
namespace {

TEST(Expression, BindsOperatorsAsPythonDoes) {
  EXPECT_EQ(expression("a + b * c - d"), "(a + (b * c) - d)");
  EXPECT_EQ(expression("a | b ^ c & d << e + f"), "(a | (b ^ (c & (d << (e + f)))))");
  EXPECT_EQ(expression("-a ** -b ** c"), "(-(a ** (-(b ** c))))");
  EXPECT_EQ(expression("a // b % c @ d / e"), "(a // b % c @ d / e)");
  EXPECT_EQ(expression("not a == b or c and not d"), "((not (a == b)) or (c and (not d)))");
  EXPECT_EQ(expression("~a[0].b(c)"), "(~a[0].b(c))");
  EXPECT_EQ(expression("a & b == c"), "((a & b) == c)");
}

TEST(Expression, KeepsChainsFlat) {
  EXPECT_EQ(expression("a + b - (c + d) + e"), "(a + b - (c + d) + e)");
  EXPECT_EQ(expression("a * b + c / d * e - f"), "((a * b) + (c / d * e) - f)");
  EXPECT_EQ(expression("a << b + c << d"), "(a << (b + c) << d)");
  EXPECT_EQ(expression("a < b <= c != d"), "(a < b <= c != d)");
  EXPECT_EQ(expression("a is not None is b not in c in d"), "(a is not None is b not in c in d)");
  EXPECT_EQ(expression("a or b or c"), "(a or b or c)");
}

TEST(Expression, NestsConditionalsToTheRight) {
  EXPECT_EQ(expression("a if b else c if d else e"), "(a if b else (c if d else e))");
  EXPECT_EQ(expression("(a if b else c) if d else e"), "((a if b else c) if d else e)");
}

TEST(Expression, ReadsEveryConstant) {
  EXPECT_EQ(expression("None, True, False, ..."), "(None, True, False, ...)");
  EXPECT_EQ(expression("0xff, 1_000, 1.5, 1e3, 1., 1e999"), "(255, 1000, 1.5, 1000.0, 1.0, 1e999)");
  EXPECT_EQ(expression("340282366920938463463374607431768211455"),
            "340282366920938463463374607431768211455");
}

TEST(Expression, ReadsTuplesListsAndComprehensions) {
  EXPECT_EQ(expression("()"), "()");
  EXPECT_EQ(expression("(a)"), "a");
  EXPECT_EQ(expression("a,"), "(a,)");
  EXPECT_EQ(expression("[a, (b, c), ]"), "[a, (b, c)]");
  EXPECT_EQ(expression("[]"), "[]");
  EXPECT_EQ(expression("[x + 1 for x in a if x if y]"), "[(x + 1) for x in a if x if y]");
  EXPECT_EQ(expression("[x for x, y in a]"), "[x for (x, y) in a]");
}

TEST(Expression, ReadsSubscriptsAndSlices) {
  EXPECT_EQ(expression("a[0]"), "a[0]");
  EXPECT_EQ(expression("a[:, None]"), "a[:, None]");
  EXPECT_EQ(expression("a[None, :]"), "a[None, :]");
  EXPECT_EQ(expression("a[1:2:3, ::2, b:, :c]"), "a[1:2:3, ::2, b:, :c]");
  EXPECT_EQ(expression("a[b,]"), "a[b,]");
}

TEST(Expression, ReadsCalls) {
  EXPECT_EQ(expression("f()"), "f()");
  EXPECT_EQ(expression("f(a, *b, c=d, e=1,)(g)"), "f(a, *b, c=d, e=1)(g)");
  EXPECT_EQ(expression("f(k=1, *a)"), "f(k=1, *a)");
  EXPECT_EQ(expression("f(x := 1)"), "f((x := 1))");
  EXPECT_EQ(expression("(x := 1) + x"), "((x := 1) + x)");
}

TEST(Expression, JoinsLinesAndIgnoresIndentation) {
  EXPECT_EQ(expression("  a +\n b # c\n"), "(a + b)");
}

TEST(String, ResolvesEscapes) {
  EXPECT_EQ(expression(R"('a\n\\\'\"' "b" r'\n')"), R"("a\n\\'\"b\\n")");
  EXPECT_EQ(expression(R"('\x41\101\u00e9\U0001F600\N{greek small letter mu}')"), "\"AAé😀μ\"");
  EXPECT_EQ(expression(R"('\q\t')"), R"("\\q\x09")");
  EXPECT_EQ(expression("'''a\r\nb\\\nc'''"), R"("a\nbc")");
}

TEST(String, ReportsInvalidEscapes) {
  for (const char *text : {R"(\x4)", R"(\ud800)", R"(\U00110000)", R"(\N{no such character})"})
    EXPECT_EQ(expressionMistake("'" + std::string(text) + "'").substr(0, 14), "invalid_escape")
        << text;
  EXPECT_EQ(expressionMistake(R"('a\xZb')"),
            R"(invalid_escape: invalid escape sequence in string '\x')");
}

TEST(FString, KeepsTextAndFieldsInOrder) {
  EXPECT_EQ(expression("f'a{b + 1}c{d:>10}e'"), R"(f"a{(b + 1)}c{d:>10}e")");
  EXPECT_EQ(expression("'x{' f'{{{a}}}' 'y'"), R"(f"x{{{{{a}}}y")");
  EXPECT_EQ(expression("f'{a=}'"), R"(f"a={a!r}")");
  EXPECT_EQ(expression(R"(f"{a["k"]}{f'{1}'}\n")"), R"(f"{a["k"]}{f"{1}"}\n")");
  EXPECT_EQ(expression("f'{a, b}'"), R"(f"{(a, b)}")");
}

TEST(FString, ReportsMistakesAtTheirPlace) {
  EXPECT_EQ(expressionMistake("f'ab{}'"), "expected: expected an expression ''");
  EXPECT_EQ(expressionMistake("f'{a b}'"), "expected: expected '}' 'b'");
  EXPECT_EQ(expressionMistake("f'{a'"), "expected: expected '}' ''");
  EXPECT_EQ(expressionMistake("f'a}'"), "expected: expected '}}' for a brace in an f-string '}'");
  EXPECT_EQ(expression("f'{a!r:>3}{b!s}{c=}'"), R"(f"{a!r:>3}{b}c={c!r}")");
  EXPECT_EQ(expressionMistake("f'{a!x}'"), "expected: expected 's', 'r' or 'a' after '!' 'x'");
  EXPECT_EQ(expressionMistake("f'{a:{b}}'"),
            "unsupported_syntax: a field in an f-string's format is not supported in a kernel '{'");
}

TEST(Range, CoversWhatWasWritten) {
  SourceFile file("test.py", "(a) + f (b, c=d)[ 0 ].e");
  ast::ExprPtr expr = parseExpression(file);
  const auto &sum = llvm::cast<ast::Binary>(*expr);
  EXPECT_EQ(sum.range.text(), "(a) + f (b, c=d)[ 0 ].e");
  EXPECT_EQ(sum.steps[0].opRange.text(), "+");
  EXPECT_EQ(sum.first->range.text(), "a");
  const auto &attribute = llvm::cast<ast::Attribute>(*sum.steps[0].operand);
  EXPECT_EQ(attribute.range.text(), "f (b, c=d)[ 0 ].e");
  EXPECT_EQ(attribute.nameRange.text(), "e");
  const auto &subscript = llvm::cast<ast::Subscript>(*attribute.object);
  EXPECT_EQ(subscript.range.text(), "f (b, c=d)[ 0 ]");
  const auto &call = llvm::cast<ast::Call>(*subscript.object);
  EXPECT_EQ(call.range.text(), "f (b, c=d)");
  EXPECT_EQ(call.arguments[1].nameRange.text(), "c");
}

TEST(Range, OfAStepEndsWithItsOperand) {
  SourceFile file("test.py", "(a) + (b) - c");
  ast::ExprPtr expr = parseExpression(file);
  const auto &chain = llvm::cast<ast::Binary>(*expr);
  EXPECT_EQ(chain.steps[0].range.text(), "(a) + (b)");
  EXPECT_EQ(chain.steps[1].range.text(), "(a) + (b) - c");
}

TEST(Range, OfATupleIncludesItsOwnParenthesesOnly) {
  SourceFile file("test.py", "((a, b))");
  EXPECT_EQ(parseExpression(file)->range.text(), "(a, b)");
}

TEST(Range, OfACompoundStatementEndsWithItsBody) {
  SourceFile file("test.py", "@jit\ndef k():\n  if a:\n    b\n  # c\n\nd\n");
  ast::Module module = parseModule(file);
  EXPECT_EQ(module.function("k")->range.text(), "def k():\n  if a:\n    b");
  EXPECT_EQ(module.function("k")->body[0]->range.text(), "if a:\n    b");
}

TEST(Statement, ReadsAssignments) {
  EXPECT_EQ(kernel("  x = y = 1; a, [b, c.d] = e[0] = f\n"),
            "  x = y = 1\n  (a, [b, c.d]) = e[0] = f\n");
  EXPECT_EQ(kernel("  x **= 2\n  a[i] += 1,\n"), "  x **= 2\n  a[i] += (1,)\n");
  EXPECT_EQ(kernel("  x: tl.constexpr = 3\n  y: int\n"), "  x: tl.constexpr = 3\n  y: int\n");
}

TEST(Statement, ReadsControlFlow) {
  EXPECT_EQ(kernel("  if a: x = 1; y = 2\n  elif b:\n    pass\n  else:\n    break\n"),
            "  if a\n    x = 1\n    y = 2\n  elif b\n    pass\n  else\n    break\n");
  EXPECT_EQ(kernel("  for i, j in range(3), 4:\n    continue\n  else: pass\n"),
            "  if True\n    for (i, j) in (range(3), 4)\n      continue\n    pass\n");
  EXPECT_EQ(kernel("  while a:\n    if b:\n      break\n  else: return\n"),
            "  if True\n    a break of the loop at 27 = False\n    while a\n      if b\n"
            "        a break of the loop at 27 = True\n        break\n"
            "    if (not a break of the loop at 27)\n      return\n");
  EXPECT_EQ(kernel("  while (n := n - 1) > 0:\n    return\n  return a, b\n"),
            "  while ((n := (n - 1)) > 0)\n    return\n  return (a, b)\n");
  EXPECT_EQ(kernel("  assert a == b, 'text'\n  assert a\n"),
            "  assert (a == b), \"text\"\n  assert a\n");
}

TEST(Function, ReadsParametersAndDocstring) {
  EXPECT_EQ(module("@triton.jit\ndef k(a, b: tl.constexpr = 1, *args: int,) -> int:\n"
                   "  '''Doc.'''\n  pass\n"),
            "function k(a, b: tl.constexpr = 1, *args: int)\n  docstring \"Doc.\"\n  pass\n");
  EXPECT_EQ(module("@triton.jit\ndef k(a, b=1, *, c, d=2, e): pass"),
            "function k(a, b = 1, *, c, d = 2, e)\n  pass\n");
  EXPECT_EQ(module("@triton.jit\ndef k(*args, c): pass"), "function k(*args, c)\n  pass\n");
  EXPECT_EQ(module("@jit\ndef k(): 'only a docstring'"),
            "function k()\n  docstring \"only a docstring\"\n");
}

TEST(Expression, MayNestUpToTheLimit) {
  EXPECT_EQ(expression(repeated("(", 150) + "a" + repeated(")", 150)), "a");
  EXPECT_EQ(expressionMistake("f(" + repeated("a, ", 100000) + ")"), "no mistake");
  EXPECT_EQ(expressionMistake("a" + repeated(" or a", 100000)), "no mistake");
}

TEST(Expression, IsNotDeepBecauseItIsLong) {
  std::string sum = "a" + repeated(" + a", 100000);
  EXPECT_EQ(expression(sum), "(" + sum + ")");
  EXPECT_EQ(expressionMistake("a" + repeated(" * a + a", 100000)), "no mistake");
  EXPECT_EQ(expressionMistake(repeated("(", 150) + sum + repeated(")", 150)), "no mistake");
}

TEST(Statement, IsNotDeepBecauseItIsLong) {
  EXPECT_EQ(kernelMistake("  if a:\n    b\n" + repeated("  elif a:\n    b\n", 100000)),
            "no mistake");
}

TEST(Function, MayStandInsideOfOneOfThreads) {
  std::string text = "def k(a):\n  def f(x, y=1):\n    return x\n  a = f(a)\n";
  EXPECT_EQ(module("from numba import cuda\n@cuda.jit\n" + text),
            "import cuda = numba.cuda\nfunction k(a)\n  function f(x, y = 1)\n    return x\n  a = "
            "f(a)\n");
  EXPECT_NE(mistake([&] { module("@triton.jit\n" + text); }).find("a nested function"),
            std::string::npos);
}

} // namespace
} // namespace nereid::test
