// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules: which of their statements matter, and what host code binds.
#include "Parsed.h"

#include <gtest/gtest.h>

namespace nereid::test {
namespace {

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

TEST(Module, FindsKernelsThatACallOfJitMakes) {
  std::string skipped = "skipped f\n", kernel = "function f()\n  pass\n";
  for (const char *call : {"k = triton.jit(f)\n", "k = jit(f)\n", "k = jit(f); A = {}\n"})
    EXPECT_NE(module("def f(): pass\n" + std::string(call)).find(skipped + kernel),
              std::string::npos)
        << call;
  SourceFile file("test.py", "def f(): pass\nk = jit(f)\nf = jit(f)\nl = jit(k)\n");
  EXPECT_EQ(parseModule(file).functionNames(), (std::vector<std::string>{"k", "f"}));
  for (const char *text : {"def f(): pass\nk = other(f)\n", "def f(): pass\nk = numba.jit(f)\n",
                           "@cached\ndef f(): pass\nk = jit(f)\n", "def f(): pass\nk = jit(f, 1)\n",
                           "def f(): pass\nk = jit(f).warmup(1)\n", "class f: pass\nk = jit(f)\n",
                           "k = jit(f)\ndef f(): pass\n"})
    EXPECT_EQ(module(text).find("function"), std::string::npos) << text;
  // A mistake in its text is its own.
  SourceFile mistaken("test.py", "def f():\n  lambda: 0\nk = jit(f)\n@jit\ndef g(): pass\n");
  ast::Module tree = parseModule(mistaken);
  EXPECT_TRUE(tree.function("k")->mistake);
  EXPECT_FALSE(tree.function("g")->mistake);
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
            "a b "); // what its blocks bind to constants are constants, as in branches
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

} // namespace
} // namespace nereid::test
