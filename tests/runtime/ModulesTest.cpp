// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs of several files: what imports find, what a kernel's key depends on, and what the
// library's caller says about them.
#include "EnvironmentVariable.h"
#include "TemporaryDirectory.h"
#include "driver/CacheKey.h"
#include "nereid/nereid.h"

#include <gtest/gtest.h>

namespace nereid {
namespace {

using test::TemporaryDirectory;

constexpr const char *head = "import triton\nimport triton.language as tl\n";

/// The first element of an array of zeros after one program of the kernel `k`.
float result(const Module &module) {
  Device device = Device::open("check");
  Array out = device.zeros(DType::Float32, {1});
  module.kernel("k").launch(device, {1}, {{"p", out}});
  return out.toVector<float>()[0];
}

std::string storing(const std::string &imports, const std::string &expression) {
  return head + imports + "\n@triton.jit\ndef k(p):\n    tl.store(p, " + expression + ")\n";
}

TEST(Modules, AreFoundFromAFileInsideAPackage) {
  TemporaryDirectory directory;
  directory.write("top/__init__.py", "");
  directory.write("top/a/__init__.py", "from .ops import FOUR as VIER\nfrom . import more\n");
  directory.write("top/a/ops.py", "FOUR = 4\n");
  directory.write("top/a/more.py", "from ..b.other import SIX\n");
  directory.write("top/b/other.py", "import top.a.ops as o\nSIX = o.FOUR + 2\n");
  directory.write("side/math.py", "pi = 3\n");
  for (auto [imports, expression, value] :
       {std::tuple("from .ops import FOUR", "FOUR", 4.0f),
        {"from . import VIER", "VIER", 4.0f},
        {"import top.a.ops", "top.a.ops.FOUR", 4.0f},
        {"import top.b.other as o", "o.SIX", 6.0f},
        {"from .. import b\nimport top.b.other", "top.b.other.SIX", 6.0f},
        {"import top.a as t", "t.more.SIX", 6.0f},
        {"from top.a.more import *", "SIX", 6.0f},
        {"from side.math import pi", "pi", 3.0f},
        {"from math import pi", "pi", 3.14159265f}}) {
    directory.write("top/a/k.py", storing(imports, expression));
    EXPECT_EQ(result(Module::load(directory.path("top/a/k.py"))), value) << imports;
  }
}

TEST(Modules, AreLookedForWhereTheCallerSays) {
  TemporaryDirectory directory;
  directory.write("one/lib.py", "N = 1\n");
  directory.write("two/lib.py", "N = 2\n");
  directory.write("two/far.py", "N = 3\n");
  directory.write("one/k.py", storing("import lib, far", "lib.N + far.N"));
  std::string file = directory.path("one/k.py"), two = directory.path("two");
  EXPECT_EQ(result(Module::load(file, {.paths = {two}})), 4);
  EXPECT_THROW(result(Module::load(file)), Error);
  std::string text = storing("import lib", "lib.N");
  EXPECT_EQ(result(Module::fromText(text, "text", {.paths = {two}})), 2);
  EXPECT_EQ(result(Module::fromText(text, "text", {.paths = {two}, .path = file})), 1);
}

TEST(Modules, TakeDefinitionsFromTheCaller) {
  std::string text = storing("import torch, os\n"
                             "N = torch.cuda.device_count()\n"
                             "if torch.cuda.is_available() and os.getenv('FAST', '0') != '1':\n"
                             "    M = 10\nelse:\n    M = 20\n",
                             "N + M");
  auto with = [&](std::vector<NamedArgument> definitions) {
    return result(Module::fromText(text, "text", {.definitions = std::move(definitions)}));
  };
  EXPECT_EQ(with({{"N", 1}, {"M", 2}}), 3);
  EXPECT_EQ(with({{"torch . cuda.device_count( )", 1}, {"torch.cuda.is_available()", false}}), 21);
  EXPECT_EQ(with({{"N", 1}, {"torch.cuda.is_available()", true}, {"FAST", 0}}), 11);
  EXPECT_EQ(with({{"N", 1}, {"torch.cuda.is_available()", true}, {"FAST", "1"}}), 21);
  EXPECT_THROW(with({{"N", 1}}), Error);
  EXPECT_THROW(with({{"N +", 1}}), Error);
}

TEST(Modules, KnowTheLimitsOfTypes) {
  for (auto [expression, value] :
       {std::pair("torch.finfo(torch.float32).min", -3.4028234663852886e38f),
        {"torch.finfo(torch.float16).max", 65504.0f},
        {"torch.finfo(torch.half).eps", 0.0009765625f},
        {"torch.finfo(torch.bfloat16).tiny", 1.1754943508222875e-38f},
        {"torch.finfo(torch.float8_e4m3fn).max", 448.0f},
        {"torch.finfo(torch.float8_e5m2).max", 57344.0f},
        {"torch.iinfo(torch.int8).min", -128.0f},
        {"np.iinfo(np.uint8).max", 255.0f},
        {"torch.iinfo(torch.int).bits", 32.0f}})
    EXPECT_EQ(
        result(Module::fromText(storing("import torch\nimport numpy as np\nN = tl.constexpr(" +
                                            std::string(expression) + ")",
                                        "N"))),
        value)
        << expression;
  EXPECT_THROW(
      result(Module::fromText(storing("import torch\nN = torch.finfo(torch.int8).max", "N"))),
      Error);
}

TEST(Modules, MayBePartsOfTheLanguage) {
  std::string text = storing("import other\nshim = other.choose()\nroot = shim.sqrt", "root(16.0)");
  EXPECT_THROW(result(Module::fromText(text)), Error);
  for (const char *path :
       {"triton.language.extra.libdevice", "triton.language.math", "triton.language"})
    EXPECT_EQ(result(Module::fromText(text, "text", {.definitions = {{"shim", path}}})), 4) << path;
  EXPECT_THROW(
      result(Module::fromText(text, "text", {.definitions = {{"shim", "triton.language.x"}}})),
      Error);
}

TEST(Modules, SeeTheEnvironment) {
  const char *name = "NEREID_TEST_OF_MODULES";
  auto with = [&](const std::string &ask) {
    return result(Module::fromText(storing("import os\nN = int(" + ask + ")\n", "N")));
  };
  unsetenv(name);
  EXPECT_EQ(with("os.environ.get('NEREID_TEST_OF_MODULES', '7')"), 7);
  EXPECT_THROW(with("os.environ['NEREID_TEST_OF_MODULES']"), Error);
  setenv(name, "8", 1);
  EXPECT_EQ(with("os.environ.get('NEREID_TEST_OF_MODULES', '7')"), 8);
  EXPECT_EQ(with("os.environ['NEREID_TEST_OF_MODULES']"), 8);
  EXPECT_EQ(with("os.getenv('NEREID_TEST_OF_MODULES')"), 8);
  unsetenv(name);
}

TEST(Modules, AssignToSeveralNames) {
  for (auto [statements, expression, value] :
       {std::tuple("A, B = 1, 2", "A + 10 * B", 21.0f),
        {"A = B = 3", "A + 10 * B", 33.0f},
        {"A, B = 1, 2; A, B = B, A", "A + 10 * B", 12.0f},
        {"PAIR = 4, (5, 6)\nA, (B, C) = PAIR", "A + 10 * B + 100 * C", 654.0f},
        {"import torch\nA, B = 7, torch.cuda.device_count()", "A", 7.0f},
        {"A = 1\nA += 2\nif A == 3: A *= 5", "A", 15.0f},
        {"[A, B] = C = tl.constexpr(1), 2", "A + B + C[1]", 5.0f},
        {"A, A = 1, 2", "A", 2.0f}})
    EXPECT_EQ(result(Module::fromText(storing(statements, expression))), value) << statements;
}

TEST(Modules, AssignNoneWhereTheirNumberDiffers) {
  for (auto [statements, text] :
       {std::pair("A, B = 1, 2, 3", "cannot unpack 3 values into 2 names"),
        {"P = 1, 2\nC, A, B = P", "cannot unpack 2 values into 3 names"},
        {"A, B = 1", "cannot unpack 1 values into 2 names"},
        {"import torch\nA, B = torch.a()", "module-level 'A' is not a constant"}})
    try {
      result(Module::fromText(storing(statements, "A")));
      ADD_FAILURE() << statements;
    } catch (const Error &error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
}

TEST(Modules, GiveWithAStarWhatTheyExport) {
  TemporaryDirectory directory;
  directory.write("kept/part.py", "P = 40\n");
  const std::string names = "A = 1\nB = 2\n_C = 3\n";
  for (auto [all, expression, value] :
       {std::tuple("", "A + B", 3.0f),
        {"__all__ = ['A', '_C']\n", "A + _C", 4.0f},
        {"__all__ = ('A',)\n__all__ += ('B',)\n", "A + B", 3.0f},
        {"__all__ = ['A']\n__all__ = __all__ + ['B']\n", "A + B", 3.0f},
        {"from . import part\n__all__ = ['part', 'A']\n", "part.P + A", 41.0f},
        {"import torch\n__all__ = torch.names()\n", "A + B", 3.0f}}) {
    directory.write("kept/__init__.py", names + all);
    directory.write("k.py", storing("from kept import *", expression));
    EXPECT_EQ(result(Module::load(directory.path("k.py"))), value) << all;
  }
  for (auto [all, name] :
       {std::pair("", "_C"), {"__all__ = ['A']\n", "B"}, {"__all__ = []\n", "A"}}) {
    directory.write("kept/__init__.py", names + all);
    directory.write("k.py", storing("from kept import *", name));
    EXPECT_THROW(result(Module::load(directory.path("k.py"))), Error) << all;
    directory.write("k.py", storing(std::string("from kept import ") + name, name));
    EXPECT_NO_THROW(result(Module::load(directory.path("k.py")))) << all;
    directory.write("k.py", storing(std::string(name) + " = 9\nfrom kept import *", name));
    EXPECT_EQ(result(Module::load(directory.path("k.py"))), 9) << all;
  }
}

TEST(Modules, CountLinesFromWhereTheTextWasTaken) {
  Module module =
      Module::fromText("@triton.jit\ndef k(p):\n    y = q\n", "part.py", {.firstLine = 41});
  try {
    result(module);
    FAIL();
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("part.py:43:9: error: unknown name 'q'"),
              std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("    y = q\n"), std::string::npos);
  }
}

TEST(Modules, ReportWhatACheckedRunFindsInAnotherFile) {
  TemporaryDirectory directory;
  directory.write("ops.py",
                  std::string(head) + "@triton.jit\ndef f(p):\n    tl.store(p + 7, 1.0)\n");
  directory.write("k.py",
                  std::string(head) + "from ops import f\n@triton.jit\ndef k(p):\n    f(p)\n");
  try {
    result(Module::load(directory.path("k.py")));
    FAIL();
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("ops.py:5:5: error: out-of-bounds write"),
              std::string::npos)
        << error.what();
  }
}

class Key : public testing::Test {
protected:
  std::string key(const driver::ModuleOptions &options = {}) {
    auto source = driver::parseFile(directory.path("k.py"), options);
    driver::KernelRequest request{source, source->tree.function("k"), {}};
    return driver::cacheKey(request, {target::NoTarget()});
  }
  /// Whether the key differs after `change` of a file.
  bool dependsOn(const std::string &file, const std::string &text) {
    std::string before = key();
    directory.write(file, text);
    return key() != before;
  }

  TemporaryDirectory directory;
};

TEST_F(Key, FollowsImports) {
  directory.write("pkg/__init__.py", "from .ops import f\n");
  directory.write("pkg/ops.py", "from .deep import N\n@triton.jit\ndef f():\n  return N\nX = 1\n");
  directory.write("pkg/deep.py", "import math\nN = math.ceil(M)\nM = 1.5\n");
  directory.write("k.py", "import pkg as p\n@triton.jit\ndef k():\n  p.f()\n");
  EXPECT_FALSE(
      dependsOn("pkg/ops.py", "X = 2\nfrom .deep import N\n@triton.jit\ndef f():\n  return N\n"));
  EXPECT_FALSE(dependsOn("pkg/unused.py", "N = 1\n"));
  EXPECT_TRUE(dependsOn("pkg/deep.py", "import math\nN = math.ceil(M)\nM = 2.5\n"));
  EXPECT_TRUE(dependsOn("pkg/ops.py", "from .deep import N\n@triton.jit\ndef f():\n  return -N\n"));
  EXPECT_TRUE(dependsOn("pkg/__init__.py", "from .other import f\n"));
  EXPECT_TRUE(dependsOn("pkg/other.py", "@triton.jit\ndef f():\n  return 1\n"));
}

TEST_F(Key, FollowsWhatAModuleExports) {
  directory.write("one.py", "N = 1\n__all__ = ALL\nALL = ['N']\n");
  directory.write("k.py", "from one import *\n@triton.jit\ndef k():\n  N\n");
  EXPECT_TRUE(dependsOn("one.py", "N = 1\n__all__ = ALL\nALL = ['M']\n"));
}

TEST_F(Key, FollowsModulesThatAnotherImportMakesKnown) {
  directory.write("pkg/__init__.py", "from .part import x\n");
  directory.write("pkg/part.py", "x = 1\nN = 1\n");
  directory.write("k.py", "import pkg\n@triton.jit\ndef k():\n  pkg.part.N\n");
  EXPECT_TRUE(dependsOn("pkg/part.py", "x = 1\nN = 2\n"));
}

TEST_F(Key, FollowsConditions) {
  directory.write("k.py", "if A:\n  N = 1\nelse:\n  N = 2\nA = 1\nB = 1\n"
                          "try:\n  import c\n  M = 1\nexcept E:\n  M = 2\n"
                          "@triton.jit\ndef k():\n  N + M\n");
  auto with = [](const std::string &a, const std::string &b) {
    return "if A:\n  N = 1\nelse:\n  N = 2\nA = " + a + "\nB = " + b +
           "\ntry:\n  import c\n  M = 1\nexcept E:\n  M = 2\n@triton.jit\ndef k():\n  N + M\n";
  };
  EXPECT_FALSE(dependsOn("k.py", with("1", "2")));
  EXPECT_TRUE(dependsOn("k.py", with("2", "2")));
  EXPECT_TRUE(dependsOn("c.py", "x = 1\n"));
  EXPECT_TRUE(
      dependsOn("k.py", "A = 2\nif A:\n  N = 1\n  N = 2\n@triton.jit\ndef k():\n  N + M\n"));
}

TEST_F(Key, HoldsTheEnvironmentThatIsAskedFor) {
  directory.write("k.py",
                  "import os\nN = os.getenv('NEREID_TEST_OF_KEYS')\n@triton.jit\ndef k():\n  N\n");
  auto with = [&](const char *name, const char *value) {
    setenv(name, value, 1);
    std::string found = key();
    unsetenv(name);
    return found;
  };
  EXPECT_NE(key(), with("NEREID_TEST_OF_KEYS", ""));
  EXPECT_NE(with("NEREID_TEST_OF_KEYS", "1"), with("NEREID_TEST_OF_KEYS", "2"));
  EXPECT_EQ(key(), with("NEREID_TEST_OF_OTHER_KEYS", "1"));
}

TEST_F(Key, HoldsTheWholeEnvironmentWhereItIsAskedByNoLiteral) {
  auto dependsOnVariable = [&](const std::string &module) {
    directory.write("k.py", "import os\n" + module + "\n@triton.jit\ndef k():\n  N\n");
    std::string before = key();
    test::Variable set("NEREID_TEST_OF_KEYS", "1");
    return key() != before;
  };
  for (const char *module : {
           "N = os.environ.get('NEREID_TEST_' + 'OF_KEYS', '5')",
           "N = os.environ['NEREID_TEST_' 'OF_KEYS']",
           "N = os.getenv(f'NEREID_TEST_OF_KEYS')",
           "NAME = 'NEREID_TEST_OF_KEYS'\nN = os.getenv(NAME)",
           "from os import getenv as ask\nN = ask('NEREID_TEST_OF_' + 'KEYS')",
           "E = os.environ\nN = E['NEREID_TEST_OF_' + 'KEYS']",
           "if os.getenv('NEREID_TEST_OF_' + 'KEYS') == '1':\n  N = 1\nelse:\n  N = 2",
           "from os import environ\nN = environ . get (\n  \"NEREID_TEST_OF_KEYS\", None)",
       })
    EXPECT_TRUE(dependsOnVariable(module)) << module;
  for (const char *module : {
           "N = os.environ.get('OTHER', '5')",
           "from os import getenv\nN = getenv('OTHER') or os.environ['ANOTHER-ONE']",
           "N = 1\nM = os.environ.get('NEREID_TEST_OF_' + 'KEYS')",
       })
    EXPECT_FALSE(dependsOnVariable(module)) << module;
}

TEST_F(Key, HoldsVariablesWhoseNamesAreNoIdentifiers) {
  directory.write("k.py", "import os\nN = os.getenv('NEREID-TEST')\n@triton.jit\ndef k():\n  N\n");
  std::string before = key();
  test::Variable set("NEREID-TEST", "1");
  EXPECT_NE(key(), before);
}

TEST_F(Key, HoldsTheDefinitionsThatMatter) {
  directory.write("k.py", "import os\nN = os.getenv('A')\n@triton.jit\ndef k():\n  N\n");
  auto with = [](const std::string &name, sema::ConstantValue value) {
    return driver::ModuleOptions{.definitions = {{name, std::move(value)}}};
  };
  EXPECT_NE(key(), key(with("A", sema::Integer(1))));
  EXPECT_NE(key(with("A", sema::Integer(1))), key(with("A", sema::Integer(2))));
  EXPECT_EQ(key(), key(with("OTHER", sema::Integer(1))));
}

} // namespace
} // namespace nereid
