// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnostics of whole rejectedModules, and of calls between their functions.
#include "Rejection.h"

#include "support/Diagnostics.h"

#include "llvm/Support/FormatVariadic.h"

namespace nereid::test {
namespace {

const Rejection rejectedModules[] = {
    {"not_a_jit_function",
     "def helper(x):\n    return x\n@triton.jit\ndef k(p, n):\n    y = @@helper(n)\n",
     "@triton.jit"},
    {"not_a_jit_function", // which only constants are computed with
     "def helper(x):\n    return x\n@triton.constexpr_function\ndef f(x):\n    return helper(x)\n"
     "@triton.jit\ndef k(p, n):\n    y = f(3) + @@helper(3)\n",
     "@triton.jit"},
    {"argument_not_constexpr",
     "def helper(x):\n    return x\n@triton.constexpr_function\ndef f(x):\n"
     "    return helper(x) + 1\n@triton.jit\ndef k(p, n):\n    y = f(@@n)\n"},
    {"upstream_builder",
     "from triton.language import core\n@core.extern\ndef wait(_semantic=None):\n"
     "    return _semantic.builder.@@create_local_alloc()\n@triton.jit\ndef k(p, n):\n    wait()\n",
     "in this call of 'wait'"},
    {"global_not_constant", "@@N = read_file()\n@triton.jit\ndef k(p, n):\n    y = N + 1\n"},
    {"global_not_constant", "@@N = N + 1\n@triton.jit\ndef k(p, n):\n    y = N + 1\n"},
    {"only_python_knows", "N = 1\nif g():\n    N = 2\n@triton.jit\ndef k(p, n):\n    y = @@N + 1\n",
     "k.py:2:4: note: settled by --define 'g()=True', or False"},
    {"only_python_knows",
     "try:\n    import g\n    N = 1\nexcept E:\n    N = 2\n@triton.jit\ndef k(p, n):\n    y = "
     "@@N\n",
     "k.py:3:5: note: it may be this"},
    {"only_python_knows",
     "import os\nN = @@os.environ['A']\n@triton.jit\ndef k(p, n):\n    y = N\n",
     "settled by --define A=VALUE"},
    {"global_not_constant",
     "N = 1\nfor N in g(): pass\n@triton.jit\ndef k(p, n):\n    y = @@N + 1\n",
     "k.py:2:5: note: bound here"},
    {"global_not_constant", "@@N = g()\n@triton.jit\ndef k(p, n):\n    y = N\n",
     "--define N=VALUE gives it a value"},
    {"global_not_constant",
     "import math\n@@N = math.sqrt(-1)\n@triton.jit\ndef k(p, n):\n    y = N\n"},
    {"unsupported_syntax",
     "@triton.jit\ndef f(x):\n    @@del x\n@triton.jit\ndef k(p, n):\n    y = f(n)\n",
     "k.py:6:9: note: in this call of 'f'"},
    {"global_not_constant", "N, *M = 1, 2\n@triton.jit\ndef k(p, n):\n    y = @@N + 1\n",
     "note: bound here"},
    {"global_not_constant",
     "@triton.jit\ndef f():\n    return 1\n@@f = g(f)\n@triton.jit\ndef k(p, n):\n    y = f()\n"},
    {"foreign_name", "import math\n@triton.jit\ndef k(p, n):\n    y = @@math.exp(n)\n",
     "write tl.exp"},
    {"foreign_name",
     "from enum import Enum\nclass E(Enum):\n    A = f()\n@triton.jit\ndef k(p, n):\n    y = "
     "E.@@A\n",
     "E.A, whose value only a running Python knows"},
    {"unknown_attribute",
     "from enum import IntEnum\nclass E(IntEnum):\n    A = 1\n@triton.jit\ndef k(p, n):\n    y = "
     "E.@@B\n",
     "class E has no attribute 'B'"},
    {"module_not_found", "import lib.part as l\n@triton.jit\ndef k(p, n):\n    y = @@l.f(1.0)\n",
     "no module 'lib.part' in no directory"},
    {"foreign_name", "import torch\n@triton.jit\ndef k(p, n):\n    y = @@torch.zeros(3)\n",
     "write tl.zeros"},
    {"foreign_name", "import numpy as n2\n@triton.jit\ndef k(p, n):\n    y = @@n2.matmul(p, p)\n",
     "a kernel cannot use numpy.matmul"},
    {"foreign_name", "from math import exp\n@triton.jit\ndef k(p, n):\n    y = @@exp(n)\n",
     "write tl.exp"},
    {"module_not_found", "from lib import f\n@triton.jit\ndef k(p, n):\n    y = @@f(1.0)\n",
     "--path DIR adds a directory to look in"},
    {"argument_type", "@triton.jit\ndef k(p, @@n):\n    y = tl.load(n + tl.arange(0, 4))\n",
     "k.py:3:17: note: tl.load needs a pointer here"},
    {"argument_type", "@triton.jit\ndef k(p, @@n):\n    tl.store(n, 1)\n",
     "argument 'n' of the kernel must be an array, not a number"},
    {"recursion_too_deep",
     "@triton.jit\ndef f(n):\n    return @@f(n)\n@triton.jit\ndef k(p, n):\n    f(n)\n",
     "in this call of 'f'"},
    {"missing_argument",
     "@triton.jit\ndef f(a, b):\n    return a\n@triton.jit\ndef k(p, n):\n    y = @@f(n)\n",
     "missing argument 'b' of f"},
    {"unknown_name",
     "@triton.jit\ndef f(a):\n    return a + @@q\n@triton.jit\ndef k(p, n):\n    y = f(n)\n",
     "in this call of 'f'"},
    {"argument_not_constexpr",
     "@triton.jit\ndef f(a: tl.constexpr):\n    return tl.arange(0, @@a)\n@triton.jit\n"
     "def k(p, n):\n    y = f(n)\n",
     "declared as 'n: tl.constexpr' it is one"},
    {"argument_not_constexpr",
     "@triton.constexpr_function\ndef f(a):\n    return a + 1\n@triton.jit\ndef k(p, n):\n"
     "    y = f(@@n)\n",
     "declared as 'n: tl.constexpr' it is one"},
    {"raised",
     "@triton.constexpr_function\ndef f(a):\n    if a > 1:\n        @@raise ValueError('big')\n"
     "    return a\n@triton.jit\ndef k(p, n):\n    y = f(2)\n"},
    {"argument_type", "@triton.jit\ndef k(p: tl.const, n):\n    tl.store(@@p + n, 1.0)\n",
     "declared tl.const"},
    {"argument_type", "@triton.jit\ndef k(p: 'tl.const', n):\n    tl.atomic_add(@@p, 1.0)\n"},
    {"argument_type", "@triton.jit\ndef k(p: 'tl.const', n):\n    tl.atomic_cas(@@p, 0, 1)\n"},
    {"argument_type",
     "@triton.jit\ndef k(p: 'tl.const', n):\n"
     "    d = tl.make_tensor_descriptor(p, [n], [1], [8])\n    @@d.store([0], 1.0)\n",
     "a descriptor to write through"},
    {"branch_types_differ",
     "@triton.jit\ndef f(n):\n    for i in range(n):\n        if i > 3:\n            return i\n"
     "    @@return 1.0\n@triton.jit\ndef k(p, n):\n    y = f(n)\n",
     "the other result is given here"},
    {"result_not_used",
     "@triton.must_use_result('it stores nothing')\n@triton.jit\ndef f(n):\n    return n\n"
     "@triton.jit\ndef k(p, n):\n    y = f(n)\n    @@f(n)\n",
     "'f' is not used: it stores nothing"},
    {"result_not_used", "@triton.jit\n@triton.must_use_result\ndef f(n):\n    return n\n"
                        "@triton.jit\ndef k(p, n):\n    @@f(n)\n"},
    {"argument_type",
     "@triton.jit\ndef f(a, b):\n    return a > b\n@triton.jit\ndef k(p, n):\n"
     "    y = tl.reduce(tl.arange(0, 4), 0, @@f)\n",
     "a function that returns int32"},
    {"combine_function_body",
     "@triton.jit\ndef f(a, b):\n    tl.device_print('a', a)\n    return a + b\n@triton.jit\n"
     "def k(p, n):\n    y = tl.reduce(tl.arange(0, 8), 0, @@f)\n",
     "this one has a print"},
    {"combine_function_body",
     "@triton.jit\ndef f(a, b):\n    while a > b:\n        a -= b\n    return a\n@triton.jit\n"
     "def k(p, n):\n    y = tl.reduce(tl.arange(0, 8), 0, @@f)\n",
     "this one has a run-time loop"},
    {"kernel_returns_value", "@triton.jit\ndef k(p, n):\n    @@return n\n", "tl.store"},
    {"kernel_returns_value",
     "@triton.jit\ndef k(p, n):\n    if n > 1:\n        return\n    @@return n\n"},
    {"branch_types_differ",
     "@triton.jit\ndef f(n):\n    if n > 0:\n        return 1\n    @@return 1.0\n"
     "@triton.jit\ndef k(p, n):\n    y = f(n)\n"},
};

INSTANTIATE_TEST_SUITE_P(Modules, RejectModule, testing::ValuesIn(rejectedModules));

TEST(CallNotes, StopAfterFive) {
  std::string text =
      "@triton.jit\ndef f(n, d: tl.constexpr):\n    if d == 0:\n        return n + q\n"
      "    return f(n, d - 1)\n@triton.jit\ndef k(p, n):\n    y = f(n, 9)\n";
  std::string note = llvm::formatv(formatOf(DiagnosticId::call_failed_here), "f").str();
  std::string message = emitKernel(text, {"*f32", "i32"}).message;
  size_t count = 0;
  for (size_t at = message.find(note); at != std::string::npos; at = message.find(note, at + 1))
    ++count;
  EXPECT_EQ(count, 5u) << message;
}

} // namespace
} // namespace nereid::test
