// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/parse/Parser.h"

#include "support/Diagnostics.h"

#include "llvm/Support/Casting.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

namespace nereid {
namespace {

template <typename Tree> std::string printed(const Tree &tree) {
  std::string text;
  llvm::raw_string_ostream out(text);
  print(tree, out);
  return text;
}

/// Keeps the text until the next one, because a mistake points into it.
const SourceFile &keep(const std::string &text) {
  static std::unique_ptr<SourceFile> last;
  last = std::make_unique<SourceFile>("test.py", text);
  return *last;
}

std::string expression(const std::string &text) { return printed(*parseExpression(keep(text))); }
/// Mistakes in functions are kept there; here the first one is what becomes of the module.
std::string module(const std::string &text) {
  ast::Module tree = parseModule(keep(text));
  for (const ast::Binding &binding : tree.bindings)
    if (binding.function && binding.function->mistake)
      throw SourceError(*binding.function->mistake);
  return printed(tree);
}

/// What a kernel with `body`, indented by two, becomes.
std::string kernel(const std::string &body) {
  return module("@triton.jit\ndef k(a, b):\n" + body)
      .substr(std::string("function k(a, b)\n").size());
}

/// "id text 'source under the caret'" of the mistake that `parse` reports.
template <typename Parse> std::string mistake(Parse parse) {
  try {
    parse();
  } catch (const SourceError &error) {
    const Diagnostic &diagnostic = error.diagnostic;
    return std::string(nameOf(diagnostic.id)) + ": " + diagnostic.text + " '" +
           std::string(diagnostic.range.text()) + "'";
  }
  return "no mistake";
}
std::string moduleMistake(const std::string &text) {
  return mistake([&] { module(text); });
}
std::string kernelMistake(const std::string &body) {
  return moduleMistake("@triton.jit\ndef k(a, b):\n" + body);
}
std::string expressionMistake(const std::string &text) {
  return mistake([&] { expression(text); });
}
std::string parameterMistake(const std::string &parameters) {
  return moduleMistake("@jit\ndef k(" + parameters + "):\n  pass\n");
}
std::string repeated(std::string_view text, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i)
    result += text;
  return result;
}

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
  EXPECT_EQ(module("@jit\ndef k(): 'only a docstring'"),
            "function k()\n  docstring \"only a docstring\"\n");
}

TEST(Module, FindsKernelsByTheirDecorators) {
  for (const char *decorators :
       {"@triton.jit\n", "@jit\n", "@nereid.jit\n", "@triton.jit(debug=True)\n", "@a.b.jit\n",
        "@triton.autotune(configs=[c(x={'A': 1})],\n  key=['n'])\n@triton.jit\n",
        "@triton.jit\n@other\n", "@ triton . jit # c\n\n"})
    EXPECT_EQ(module(decorators + std::string("def k():\n  pass\n")), "function k()\n  pass\n")
        << decorators;
  for (const char *decorators :
       {"@torch.jit.script\n", "@numba.jit\n", "@jitter\n", "@partial(jit)\n"})
    EXPECT_EQ(module(decorators + std::string("def k():\n  lambda: 0\n")), "skipped k\n")
        << decorators;
  EXPECT_EQ(module("from jax import jit\n@jit\ndef k():\n  {}\n"),
            "import jit = jax.jit\nskipped k\n");
}

TEST(Module, RecordsImports) {
  EXPECT_EQ(module("import triton, os.path, a.b as c; from x.y import (z as w,\n  v)\n"
                   "from . import p\nfrom ..q import r\nfrom s import *\n"),
            "import triton = triton\nimport os = os\nimport c = a.b\nimport w = x.y.z\n"
            "import v = x.y.v\nimport p = .p\nimport r = ..q.r\nimport * = s.*\n");
}

TEST(Module, RecordsConstantsAndDropsWhatIsNone) {
  EXPECT_EQ(module("A = 1\nB: tl.constexpr = tl.constexpr(2); C = A, 3\nD = {}\nE: int\n"
                   "F = lambda: 0\nG = 1 2\n"),
            "constant A = 1\nconstant B: tl.constexpr = tl.constexpr(2)\nconstant C = (A, 3)\n"
            "unread D\nunread F\nunread G\n");
}

TEST(Module, RecordsAssignmentsToSeveralNames) {
  EXPECT_EQ(module("A = B = 3\nC, (D, [E, F]) = 1, (x, [2, y()])\n(G, H), I = P = p\n"),
            "constant A = 3\nconstant B = 3\nconstant C = 1\nconstant D = x\nconstant E = 2\n"
            "constant F = y()\nconstant G = p element 0 of 2 element 0 of 2\n"
            "constant H = p element 0 of 2 element 1 of 2\nconstant I = p element 1 of 2\n"
            "constant P = p\n");
  // Where the sides do not match, what uses the names reports it.
  EXPECT_EQ(module("A, B = 1, 2, 3\n[C] = D\nE, = F,\n"),
            "constant A = (1, 2, 3) element 0 of 2\nconstant B = (1, 2, 3) element 1 of 2\n"
            "constant C = D element 0 of 1\nconstant E = F\n");
  EXPECT_EQ(module("A += 1, 2\nB <<= A or C\n"),
            "constant A = (A + (1, 2))\nconstant B = (B << (A or C))\n");
  EXPECT_EQ(module("A, *B = x\n(a).b, C = 1, 2\nD = E = {}\nf(x), g(y)\n"),
            "unread A\nunread B\nconstant C = 2\nunread D\nunread E\n");
}

TEST(Module, KeepsTheOrderOfItsFile) {
  EXPECT_EQ(module("A = 1\n@jit\ndef k(): pass\nA = 2\n@jit\ndef k(): return\nimport A\n"),
            "constant A = 1\nfunction k()\n  pass\nconstant A = 2\nfunction k()\n  return\n"
            "import A = A\n");
  SourceFile file("test.py", "@jit\ndef k(): pass\n@jit\ndef l(): pass\n@jit\ndef k(): return\n");
  ast::Module twice = parseModule(file);
  EXPECT_EQ(twice.function("k"), twice.bindings[2].function.get());
  EXPECT_EQ(twice.function("m"), nullptr);
  EXPECT_EQ(twice.functionNames(), (std::vector<std::string>{"k", "l"}));
  EXPECT_TRUE(twice.binds("k", ast::Binding::Kind::Function));
  EXPECT_FALSE(twice.binds("k", ast::Binding::Kind::Constant));
}

TEST(Module, ReadsBlocksWithTheirConditions) {
  EXPECT_EQ(module("class P(NamedTuple):\n  a: int\n  b: int = 3\n@aggregate\nclass Q:\n  c: int\n"
                   "  def f(self): pass\nclass R: pass\n"),
            "record P a b = 3\nrecord Q c\nskipped R\n");
  EXPECT_EQ(module("if a > 1:\n  A = 1\n  if b: B = 2; C = 3\nelif c:\n  import d\nelse:\n"
                   "  @jit\n  def k(): pass\n"),
            "if (a > 1): constant A = 1\nif (a > 1): if b: constant B = 2\n"
            "if (a > 1): if b: constant C = 3\nelif c: import d = d\nelse: function k()\n  pass\n");
  EXPECT_EQ(module("try:\n  from a import b\nexcept (E, F) as e:\n  b = None\nexcept:\n  c = 1\n"
                   "else:\n  d = 2\nfinally:\n  f = 3\ng = 4\n"),
            "try: import b = a.b\nexcept: unread e\nexcept: constant b = None\n"
            "except: constant c = 1\ntry: constant d = 2\nconstant f = 3\nconstant g = 4\n");
  EXPECT_EQ(module("if lambda: 0:\n  A = 1\nwith b() as c:\n  D = 1\n"),
            "if ...: constant A = 1\nunread c\nconstant D = 1\n");
}

TEST(Module, KnowsWhatATryMightRaise) {
  auto holdsUnread = [](const std::string &body) {
    return parseModule(keep("try:\n" + body + "except E:\n  pass\n")).choices[0]->holdsUnread;
  };
  EXPECT_FALSE(holdsUnread("  'text'\n  import a\n  B = 1\n  def f(): raise\n  pass\n"));
  EXPECT_TRUE(holdsUnread("  f()\n"));
  EXPECT_TRUE(holdsUnread("  if a:\n    raise E\n"));
  EXPECT_FALSE(holdsUnread("  a, b = f()\n"));
  EXPECT_TRUE(holdsUnread("  a, b.c = 1, 2\n"));
}

TEST(Module, KeepsMistakesForTheirFunctions) {
  ast::Module tree = parseModule(keep("@jit\ndef f(x):\n  del x\n  x\n@jit\ndef g(): pass\n"));
  ASSERT_TRUE(tree.function("f")->mistake);
  EXPECT_EQ(tree.function("f")->mistake->id, DiagnosticId::unsupported_syntax);
  EXPECT_EQ(tree.function("f")->nameRange.text(), "f");
  EXPECT_FALSE(tree.function("g")->mistake);
}

/// The names that host code binds, in order.
std::string rebound(const std::string &text) {
  SourceFile file("test.py", text);
  std::string names;
  for (const ast::Binding &binding : parseModule(file).bindings)
    if (binding.kind != ast::Binding::Kind::Constant)
      names += binding.name + " ";
  return names;
}

TEST(Module, KnowsWhatHostCodeBinds) {
  EXPECT_EQ(rebound("A = 1\nA: int\nA += {}\n"), "A ");
  EXPECT_EQ(rebound("a, (b, c), d.e, f[g] = h = i({})\n"), "a h ");
  EXPECT_EQ(rebound("a = {}; b = c == d\nf(a=1)\nx[a] = 1\n"), "a ");
  EXPECT_EQ(rebound("for a, b in c:\n  d = 1\n  if e:\n    g = 2\nelse: h = 3; i = 4\n"),
            "a b d g h i ");
  EXPECT_EQ(rebound("with f() as a, b as c:\n  pass\ntry:\n  pass\nexcept E as e:\n  del g\n"),
            "a c e g ");
  EXPECT_EQ(rebound("import a.b, c as d\nfrom e.f import g, h as i\n"), "a d g i ");
  EXPECT_EQ(rebound("if x:\n  def f():\n    a = 1\n  class C:\n    b = 1\n  async def g(): pass\n"),
            "f C g ");
  EXPECT_EQ(rebound("if __name__ == '__main__':\n  a = 1\nb: int = f(\n 1)\n"), "");
  EXPECT_EQ(rebound("def f():\n  a = 1\nclass C: pass\n"), "f C ");
}

TEST(Module, SkipsHostCodeWhateverItHolds) {
  EXPECT_EQ(
      module("%matplotlib inline\n!pip install 'x\n$$ ? don't\nclass C:\n@jit\ndef k():\n  pass\n"
             "def f(x):\n    try: yield {**x}\n  except: 012\nasync def g(): await h\n"
             "if a:\n  B = 1\nelse: C = 1; D = 2\n"),
      "skipped C\nfunction k()\n  pass\nskipped f\nskipped g\n"
      "if a: constant B = 1\nelse: constant C = 1\nelse: constant D = 2\n");
}

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
  EXPECT_EQ(kernelMistake("  {1: 2}\n"), unsupported("a dictionary or set", "{"));
  EXPECT_EQ(kernelMistake("  (x for x in a)\n"), unsupported("a generator expression", "for"));
  EXPECT_EQ(kernelMistake("  f(x for x in a)\n"), unsupported("a generator expression", "for"));
  EXPECT_EQ(kernelMistake("  [x for x in a for y in b]\n"),
            unsupported("a comprehension with several loops", "for"));
  EXPECT_EQ(kernelMistake("  a, *b = c\n"),
            unsupported("a starred expression outside a call", "*"));
  EXPECT_EQ(kernelMistake("  f(**a)\n"), unsupported("a '**' argument", "**"));
  EXPECT_EQ(kernelMistake("  2j\n"), unsupported("an imaginary number", "2j"));
  EXPECT_EQ(kernelMistake("  b'a'\n"), unsupported("a bytes literal", "b'a'"));
  EXPECT_EQ(parameterMistake("a, *, b"), unsupported("a keyword-only parameter", "*"));
  EXPECT_EQ(parameterMistake("*a, b"), unsupported("a keyword-only parameter", "b"));
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

} // namespace
} // namespace nereid
