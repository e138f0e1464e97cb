// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What whole modules become: several functions, globals, classes, imports.
#include "Accepted.h"

namespace nereid::test {
namespace {

const Accepted modules[] = {
    {"VectorAdd",
     "@triton.jit\ndef add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):\n"
     "    pid = tl.program_id(axis=0)\n    offsets = pid * BLOCK + tl.arange(0, BLOCK)\n"
     "    mask = offsets < n\n    x = tl.load(x_ptr + offsets, mask=mask)\n"
     "    y = tl.load(y_ptr + offsets, mask=mask)\n    tl.store(out_ptr + offsets, x + y, "
     "mask=mask)\n",
     {"tile.divisibility = 16", "tile.name = \"x_ptr\"", "tile.kernel", "tile.program_id 0",
      "arith.muli", "tile.range 0 to 256 : tensor<256xi32>", "arith.cmpi slt", "tile.load", "mask",
      "arith.addf", "tile.store"},
     {"*f32:16", "*f32", "*f32", "i32:16", "=256"}},
    {"Greyscale",
     "@triton.jit\ndef grey(x_ptr, out_ptr, h, w, b: tl.constexpr):\n    o = tl.arange(0, b)\n"
     "    offs = w * o[:, None] + o[None, :]\n    r = tl.load(x_ptr + 2*h*w+offs)\n"
     "    tl.store(out_ptr + offs, 0.2989*r + 0.5870*r)\n",
     {"arith.uitofp", "arith.mulf", "arith.fptoui", "tile.store"},
     {"*u8", "*u8", "i32", "i32", "=8"}},
    {"KeywordOnlyParameters",
     "import triton.language as tl\n"
     "@triton.jit\ndef f(x, y=2, *, by, add=3):\n    return x * by + add\n"
     "@triton.jit\ndef g(*xs, by):\n    return xs[1] * by\n"
     "@triton.jit\ndef k(p, *, n, B: tl.constexpr):\n"
     "    tl.store(p + tl.arange(0, B), f(n, by=5) + g(1, n, by=7))\n",
     {"arith.muli", "arith.addi", "arith.muli", "tensor<8x"},
     {"*i32", "i32", "=8"}},
    {"ModuleConstants",
     "import triton\nimport triton.language as tl\nfrom triton.language import exp as e\n"
     "import triton.language.math as tm\nN = 4\nM: tl.constexpr = N * 2\nK = tl.constexpr(M + 1)\n"
     "@triton.jit\ndef k(p, n):\n    tl.store(p + tl.arange(0, K), tm.sqrt(e(tl.full((K,), n, "
     "tl.float32))))\n",
     {"tensor<9xf32>", "math.exp", "math.sqrt"},
     {"*f32", "i32"}},
    {"Aliases",
     "import triton.language as tl\nfrom triton.language import *\nexp = tl.exp\n"
     "tl_sqrt = tl.math.sqrt\nMY = tl.int16\n"
     "@triton.jit\ndef f(x):\n    return exp(x)\ng = f\n"
     "@triton.jit\ndef k(p, n):\n    y = g(tl_sqrt(full((8,), n, tl.float32)))\n"
     "    store(p, tl.full((), n, MY))\n",
     {"math.sqrt", "math.exp", "i16"},
     {"*f32", "i32"}},
    {"ConstantsOfOrdinaryFunctions",
     "def last(n, step=2):\n    return n - step if n > step else _first(n)\n"
     "def _first(n):\n    return n\n"
     "@triton.constexpr_function\ndef size(n):\n    return last(n) + last(1, step=1)\n"
     "@triton.jit\ndef k(p):\n    tl.store(p + tl.arange(0, size(8)), 1.0)\n",
     {"tensor<7x"},
     {"*f32"}},
    {"ExternFunctions",
     "import triton.language as tl\nfrom triton.language import core\n"
     "@core.extern\ndef letter(width: core.constexpr, _semantic=None):\n"
     "    if width.value == 32:\n        return core.constexpr('r')\n    else:\n"
     "        tl.static_assert(False, 'unsupported', _semantic=_semantic)\n"
     "@tl.core.extern\ndef exp2(x, _semantic=None):\n"
     "    c: core.constexpr = letter(core.constexpr(32), _semantic=_semantic)\n"
     "    tl.static_assert(c == 'r', _semantic=_semantic)\n"
     "    return core.inline_asm_elementwise('ex2.approx.f32 $0, $1;', '=f,f', [x],\n"
     "        dtype=tl.float32, is_pure=True, pack=1, _semantic=_semantic)\n"
     "@core.builtin\ndef erf(x, _builder=None):\n"
     "    x = x.to(tl.float32, _builder=_builder)\n"
     "    return core.extern_elementwise('libdevice', 'a/path', [x],\n"
     "        {(core.dtype('fp32'),): ('__nv_erff', core.dtype('fp32')),\n"
     "         (core.dtype('fp64'),): ('__nv_erf', core.dtype('fp64'))}, is_pure=True, "
     "_builder=_builder)\n"
     "@triton.jit\ndef k(p):\n    tl.store(p, exp2(tl.load(p)) + erf(tl.load(p + 1)))\n",
     {"math.exp2", "math.erf"},
     {"*f32"}},
    {"PythonsMath",
     "import math\nfrom math import log2 as l, pi\nA = tl.constexpr(math.sqrt(16) + l(8) + "
     "math.ceil(0.5))\nB = tl.constexpr(int(A) + int(pi) + math.gcd(12, 18))\n"
     "@triton.jit\ndef k(p):\n    tl.store(p + tl.arange(0, B), math.inf)\n",
     {"tensor<17xi32>", "0x7F800000"},
     {"*f32"}},
    {"PythonsMathOfConstants",
     "import math\nfrom math import gcd\n@triton.jit\ndef k(p):\n"
     "    tl.store(p + tl.arange(0, gcd(12, 18)), 7 / math.sqrt(2 * 8))\n",
     {"tensor<6x", "1.75"},
     {"*f32"}},
    {"Enumerations",
     "import enum\nfrom enum import Enum, IntEnum, auto\n"
     "class Mode(Enum):\n    'Text.'\n    PLAIN = 3\n    OTHER = f()\n    TEXT = 'text'\n"
     "    @property\n    def twice(self):\n        return {m: 2 for m in Mode}\n"
     "class Width(enum.IntEnum):\n    TWO = 1 + 1\n"
     "class Step(Enum):\n    A = auto()\n    B = enum.auto()\n"
     "class Bits(enum.Flag):\n    X = auto()\n    Y = auto()\n    Z = auto()\n"
     "P = tl.constexpr(Mode.PLAIN.value)\nM = tl.constexpr(Mode.PLAIN)\n"
     "@triton.jit\ndef k(p):\n    tl.store(p, P * 10000 + Width.TWO * 1000 + Step.B.value * 100 "
     "+ Bits.Z.value)\n"
     "    if M == Mode.PLAIN and M != Mode.TEXT and M != 3 and Mode.TEXT.name == 'TEXT':\n"
     "        tl.store(p, 77)\n",
     {"constant 32204", "constant 77"},
     {"*i32"}},
    {"VersionsOfPackages",
     "from packaging import version\nfrom packaging.version import Version as V, parse\n"
     "HERE = version.parse(triton.__version__)\nif HERE >= parse('3'):\n    N = 4\nelse:\n"
     "    N = g()\nM = tl.constexpr(V('3.10') > V('3.9.1') and V('3.6.0') == V('3.6') and not "
     "V('3.6.0') < V('3.6'))\n"
     "@triton.jit\ndef k(p):\n    if M:\n        tl.store(p + tl.arange(0, N), 5)\n",
     {"tensor<4x", "<5>"},
     {"*i32"}},
    {"ConditionsOutsideFunctions",
     "from typing import TYPE_CHECKING\nN = 4\nif N > 3 and not TYPE_CHECKING:\n    @triton.jit\n"
     "    def f(x):\n        return x + N\n    M = 2\nelif g():\n    M = 3\nelse:\n"
     "    @triton.jit\n    def f(x):\n        return x * N\n"
     "@triton.jit\ndef k(p, n):\n    tl.store(p + f(n) - M, 0.0)\n",
     {"constant 4", "addi", "constant -2", "~muli"},
     {"*f32", "i32"}},
    {"AttemptsOutsideFunctions",
     "try:\n    from triton.language.math import nothing_like_it as e\n    N = 5\n"
     "except ImportError:\n    from triton.language import exp as e\n    N = 6\n"
     "try:\n    import triton.language.math as m\n    M = 7\nexcept ImportError:\n    M = 8\n"
     "finally:\n    O = 9\n"
     "@triton.jit\ndef k(p, n):\n    y = m.sqrt(e(tl.full((N, M, O), n, tl.float32)))\n",
     {"math.exp", "math.sqrt", "6x7x9"},
     {"*f32", "i32"}},
    {"AnOpenConditionThatMakesNoDifference",
     "if g():\n    from triton.language import exp as e\n    N = 4\nelse:\n"
     "    e = tl.math.exp\n    N = 2 + 2\nif h():\n    @triton.jit\n    def f(x):\n"
     "        return x\n"
     "@triton.jit\ndef k(p, n):\n    y = f(e(tl.full((N,), n, tl.float32)))\n",
     {"math.exp", "tensor<4xf32>"},
     {"*f32", "i32"}},
    {"LibdeviceIsImportedFromWhereItEverWas",
     "from triton.language.extra import libdevice\n"
     "from triton.language.extra.cuda import libdevice as cuda\n"
     "from triton.language.extra.cuda.libdevice import rsqrt\n"
     "from triton.language.extra.libdevice import log1p\n"
     "from triton.language.math import tanh\nimport triton.language.extra.libdevice as tld\n"
     "from triton.language.random import randint\n"
     "@triton.jit\ndef k(p, f):\n"
     "    y = libdevice.asin(f) + cuda.acos(f) + rsqrt(f) + log1p(f) + tanh(f) + tld.cosh(f)\n"
     "    z = randint(0, 1)\n",
     {"math.asin", "math.acos", "math.rsqrt", "math.log1p", "math.tanh", "math.cosh"},
     {"*f32", "f32"}},
    {"AnArmThatCouldNotHaveRun",
     "if version() > 3:\n    from triton.language.extra.nowhere import e\n    t = tl.nowhere\n"
     "else:\n    from triton.language import exp as e\n    t = tl.sqrt\n"
     "@triton.jit\ndef k(p, n):\n    y = t(e(tl.full((4,), n, tl.float32)))\n",
     {"math.exp", "math.sqrt"},
     {"*f32", "i32"}},
    {"AFunctionThatCannotBeReadConcernsItsCallersOnly",
     "@triton.jit\ndef f(x):\n    raise E\n@triton.jit\ndef k(p, n):\n    tl.store(p, n)\n",
     {"tile.store"},
     {"*f32", "i32"}},
    {"AnnotationsInQuotes",
     "@triton.jit\ndef f(x, n: 'tl.constexpr' = 2 + 6 if True else 1):\n"
     "    return x + tl.arange(0, n)\n"
     "@triton.jit\ndef k(p, n):\n    m: \"tl.constexpr\" = 8\n    tl.store(p + tl.arange(0, m), "
     "f(n))\n",
     {"tile.range 0 to 8"},
     {"*f32", "i32"}},
    {"CallsAndDefaults",
     "@triton.jit\ndef f(a, b=2, *rest):\n    return a * b + len(rest)\n"
     "@triton.jit\ndef k(p, n):\n    tl.store(p, f(n, b=3))\n    tl.store(p, f(n, 4, 5, 6))\n"
     "    t = (n, 7)\n    tl.store(p, f(*t))\n",
     {"constant 3", "muli", "constant 4", "muli", "constant 2", "constant 7"},
     {"*f32", "i32"}},
    {"RecursionThatEnds",
     "@triton.jit\ndef f(a, d: tl.constexpr):\n    if d == 0:\n        return a\n    return f(a + "
     "a, d - 1)\n"
     "@triton.jit\ndef k(p, n):\n    tl.store(p, f(n, 3))\n",
     {"addi", "addi", "addi", "~addi"},
     {"*f32", "i32"}},
    {"ReturnsMergeInACallee",
     "@triton.jit\ndef f(n):\n    if n > 0:\n        return n, 1.0\n    return -n, 2.0\n"
     "@triton.jit\ndef k(p, n):\n    a, b = f(n)\n    tl.store(p + a, b)\n",
     {"scf.if", "-> (i32, f32)", "tile.store"},
     {"*f32", "i32"}},
    {"FunctionsAsArguments",
     "@triton.jit\ndef twice(fn, x):\n    return fn(fn(x))\n@triton.jit\ndef g(x):\n    return x * "
     "x\n"
     "@triton.jit\ndef k(p, n):\n    tl.store(p, twice(g, n))\n",
     {"muli", "muli"},
     {"*f32", "i32"}},
    {"ConstexprStrings",
     "@triton.jit\ndef k(p, n, act: tl.constexpr, none: tl.constexpr, t: tl.constexpr):\n"
     "    if act == 'relu' and none is None:\n        tl.store(p, tl.full((), n, t))\n",
     {"sitofp", "f16", "tile.store"},
     {"*f32", "i32", "='relu'", "=None", "=f16"}},
    {"ArgumentOneStaysAConstant",
     "@triton.jit\ndef k(p, stride):\n    tl.store(p + tl.arange(0, 4) * stride, 1.0)\n",
     {"tile.range 0 to 4", "tile.offset", "tile.store"},
     {"*f32", "=1"}},
    {"NoAliasAndBool",
     "@triton.jit\ndef k(p, b):\n    x = tl.load(p)\n    tl.store(p, x and b)\n    tl.store(p, "
     "3)\n",
     {"!tile.ptr<i1>", "tile.load", "andi", "constant true", "tile.store"},
     {"*i1", "i1"}},
    {"Empty", "@triton.jit\ndef k():\n    pass\n", {"func.func @k()", "return"}, {}},
    {"Locals",
     "@triton.jit\ndef f(x):\n    y = x + 1\n    return y\n@triton.jit\ndef k(p, y):\n    z = "
     "f(y)\n"
     "    tl.store(p + y, z)\n",
     {"addi", "tile.offset %arg0, %arg1"},
     {"*f32", "i32"}},
    {"ConstexprDecorator", // computes while compiling, by either name
     "@tl.constexpr\ndef wider(t):\n    return tl.int64 if t == tl.int32 else t\n"
     "@triton.constexpr_function\ndef half(n):\n    return n // 2\n"
     "@triton.jit\ndef k(p, n, B: tl.constexpr):\n    x = tl.zeros((half(B),), wider(n.dtype))\n"
     "    tl.store(p, tl.sum(x))\n",
     {"tensor<8xi64>"},
     {"*i64", "i32", "=16"}},
    {"TypeAskedByAConstexprFunction",
     "@triton.constexpr_function\ndef wide(x):\n    return tl.int64 if x.dtype == tl.int32 else "
     "x.dtype\n"
     "@triton.jit\ndef k(p, n):\n    tl.store(p, n.to(wide(n)))\n",
     {"arith.extsi"},
     {"*i64", "i32"}},
    {"QuestionInACombineFunction", // what only a question made is no part of the function
     "@triton.jit\ndef is_float(x):\n    return (x + tl.zeros((1,), tl.int1)).dtype.is_floating()\n"
     "@triton.jit\ndef f(a, b):\n    if is_float(a):\n        return a + b\n    return a\n"
     "@triton.jit\ndef k(p):\n    x = tl.load(p + tl.arange(0, 16))\n"
     "    tl.store(p + tl.arange(0, 16), tl.associative_scan(x, 0, f))\n",
     {"tile.scan", "arith.addf", "tile.yield", "~tile.splat"},
     {"*f32"}},
    {"WaitsOfKernels",
     "from triton.language.extra.cuda import gdc_wait\n@triton.jit\ndef k(p):\n    gdc_wait()\n"
     "    tl.extra.cuda.gdc_wait()\n"
     "    tl.store(p, 1.0)\n    tl.extra.cuda.gdc_launch_dependents()\n",
     {"tile.store"},
     {"*f32"}},
    {"MaskedScalarLoopOverPixels", // continue in nested loops, accumulation in a (1, 1) tile
     "@triton.jit\ndef conv(i_ptr, o_ptr, h, w, B: tl.constexpr):\n    h0 = tl.program_id(0) * B\n"
     "    for y in range(B):\n        for x in range(B):\n            if y + h0 >= h or x >= w:\n"
     "                continue\n            acc = tl.zeros((1, 1), dtype=tl.float32)\n"
     "            for f in range(3):\n                if x + f < w:\n"
     "                    acc += tl.load(i_ptr + x + f)\n            tl.store(o_ptr + y * w + x, "
     "acc)\n",
     {"scf.for", "scf.for", "arith.ori", "scf.if", "else", "scf.for", "scf.if", "tile.store"},
     {"*f32", "*f32", "i32", "i32", "=4"}},
};

INSTANTIATE_TEST_SUITE_P(Modules, AcceptModule, testing::ValuesIn(modules), nameOf);

} // namespace
} // namespace nereid::test
