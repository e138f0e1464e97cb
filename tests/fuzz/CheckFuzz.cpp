// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds damaged kernels to the checker: each must end as IR that verifies or as one diagnostic with
// a place in the text.
#include "Driver.h"
#include "EmitKernel.h"
#include "Mutations.h"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace nereid::fuzz {
namespace {

/// Kernels that between them use most of the language.
const char *const seeds[] = {
    "@triton.jit\ndef f(a, b=2, *rest):\n    if b > 3:\n        return a\n    return a + b\n\n"
    "@triton.jit\ndef k(p, q, n, m, B: tl.constexpr):\n    pid = tl.program_id(0)\n"
    "    offs = pid * B + tl.arange(0, B)\n    x = tl.load(p + offs, mask=offs < n, other=0.0)\n"
    "    y = f(x, 4) + f(n, b=m)\n    acc = tl.zeros((B,), dtype=tl.float32)\n"
    "    for i in range(0, n, B):\n        acc += x * i\n        if i > m:\n            continue\n"
    "        acc = tl.maximum(acc, y)\n    tl.store(q + offs, acc, mask=offs < n)\n",
    "@triton.jit\ndef k(p, q, n, m, B: tl.constexpr):\n    a = tl.arange(0, B)[:, None]\n"
    "    b = tl.arange(0, B)[None, :]\n    c = tl.load(p + a * n + b)\n    d = tl.dot(c, c.T)\n"
    "    e = tl.sum(d, axis=1, keep_dims=True)\n    i = tl.argmax(d, 0)\n"
    "    s = tl.softmax(d, 1)\n    tl.store(q + a * m + b, s - e, mask=a < m)\n"
    "    tl.store(q + i, tl.max(d, 1))\n    tl.atomic_add(q, tl.sum(i))\n",
    "@triton.jit\ndef k(p, q, n, m, B: tl.constexpr):\n"
    "    bp = tl.make_block_ptr(p, (n, m), (m, 1), (0, 0), (B, 4), (1, 0))\n    t = (n, m)\n    i "
    "= 0\n"
    "    while i < n:\n        x = tl.load(bp, boundary_check=(0, 1), padding_option='zero')\n"
    "        bp = bp.advance((0, 4))\n        t = (t[1], t[0] + 1)\n        i += 1\n"
    "        print_if(f'x = {x}', '>0')\n    if n > 3 and m < 2:\n        return\n"
    "    tl.store(q, t[0] if n > m else t[1])\n    assert n <= B, 'n'\n",
    "N = 4\nM: tl.constexpr = N * 2\n@triton.jit\ndef k(p, q, n, m, B: tl.constexpr):\n"
    "    for i in tl.static_range(M):\n        if i % 2 == 0:\n            continue\n"
    "        v: tl.constexpr = i * 3 // 2\n        tl.store(p + v, (n >> i) ^ ~m)\n"
    "    w = [j * 2 for j in (1, 2, 3) if j != 2]\n    z = tl.full(w, n, tl.int16)\n"
    "    z = z.to(tl.float32).reshape(6, 2).trans()\n    r = tl.where(z > 0, z / 3, -z)\n"
    "    tl.static_assert(B > 2, f'B = {B}')\n    tl.device_print('r', tl.exp(r), n)\n"
    "    u = p.to(tl.int64) + tl.cdiv(n, B)\n    tl.store(q, u.to(tl.uint8, bitcast=False))\n"
    "    if (g := tl.min(r)) > 0:\n        g = g + 1\n    else:\n        g = g - 1\n    "
    "tl.store(q, g)\n",
    "@triton.jit\ndef k(p, q, n, m, B: tl.constexpr):\n"
    "    d = tl.make_tensor_descriptor(p, [n, m], [m, 1], [4, B], padding_option='nan')\n"
    "    for i in range(n):\n        x = d.load([i, 0])\n"
    "        a, b = tl.split(x.reshape(2, B, 2))\n        y = tl.cat(a, tl.join(n, m), dim=-1)\n"
    "        d.atomic_add([i, m], tl.interleave(b, a))\n        d.store([n, i], x)\n"
    "        d = tl.make_tensor_descriptor(p + i, d.shape, d.strides, d.block_shape)\n"
    "    while tl.atomic_cas(q, 0, 1, sem='acquire') == 1:\n        pass\n"
    "    z = tl.atomic_max(q + tl.arange(0, B), tl.squeeze(tl.unsqueeze(n, 0), 0), mask=n > m)\n"
    "    tl.atomic_xchg(q, z.item(), scope='cta')\n",
};

const char *const words[] = {"p",
                             "q",
                             "n",
                             "m",
                             "B",
                             "x",
                             "i",
                             "None",
                             "True",
                             "0",
                             "1",
                             "-1",
                             "3",
                             "0.5",
                             "1e300",
                             "'zero'",
                             "float('inf')",
                             "18446744073709551615",
                             "tl.float16",
                             "tl.bfloat16",
                             "tl.int1",
                             "tl.uint8",
                             "tl.int64",
                             "tl.float64",
                             "tl.load",
                             "tl.store",
                             "tl.sum",
                             "tl.max",
                             "tl.arange",
                             "tl.zeros",
                             "tl.full",
                             "tl.where",
                             "tl.dot",
                             "tl.exp",
                             "tl.abs",
                             "tl.trans",
                             "tl.static_range",
                             "range",
                             "tl.range",
                             "tl.reduce",
                             "tl.broadcast_to",
                             "tl.expand_dims",
                             "tl.cdiv",
                             "tl.swizzle2d",
                             "tl.atomic_add",
                             "tl.multiple_of",
                             "tl.assume",
                             "tl.advance",
                             "min",
                             "max",
                             "len",
                             "print",
                             "(",
                             ")",
                             "[",
                             "]",
                             ",",
                             ":",
                             "=",
                             "+",
                             "-",
                             "*",
                             "/",
                             "//",
                             "%",
                             "**",
                             "<<",
                             ">>",
                             "&",
                             "|",
                             "^",
                             "~",
                             "<",
                             "==",
                             "!=",
                             "is",
                             "in",
                             "and",
                             "or",
                             "not",
                             "if",
                             "else",
                             "return",
                             "break",
                             "continue",
                             "pass",
                             "mask=",
                             "axis=",
                             "other=",
                             "dtype=",
                             ".to(tl.int32)",
                             ".T",
                             ".shape",
                             ".dtype",
                             "[:, None]",
                             "[None]",
                             "[0]",
                             "[1:]",
                             "(1, 2)",
                             "(B, 2)",
                             "f'{n}'",
                             "lambda",
                             ":="};

const char *const argumentTypes[] = {"*f32",    "*f16", "*bf16",  "*i32",  "*u8", "*i1",
                                     "*i64:16", "i32",  "i64",    "u32",   "i1",  "i8",
                                     "f32",     "f64",  "bf16",   "=1",    "=16", "=None",
                                     "=0.5",    "=f32", "='abc'", "=True", "=-3", "=0"};

class CheckKind final : public Kind {
public:
  /// The text, a 0, and the types of its arguments with spaces between.
  std::string make(Random &random) override {
    std::string text = random.pick(seeds);
    for (size_t changes = 1 + random.below(4); changes > 0 && !text.empty(); --changes)
      random.oneIn(6) ? moveLine(random, text, random.below(text.size()))
                      : damageWords(random, text, words, 1);
    std::erase(text, '\0');
    std::string types;
    for (const char *usual : {"*f32", "*f32", "i32", "i32", "=16", "i32", "i32"})
      types += std::string(random.oneIn(4) ? random.pick(argumentTypes) : usual) + ' ';
    return text + std::string(1, '\0') + types;
  }

  Outcome attempt(const std::string &input) override {
    size_t end = std::min(input.find('\0'), input.size());
    std::istringstream types(input.substr(std::min(end + 1, input.size())));
    test::Signature signature(std::istream_iterator<std::string>(types), {});
    auto signatureFor = [&](size_t parameters) {
      signature.resize(parameters, "i32");
      return signature;
    };
    test::Outcome outcome = test::tryKernel(input.substr(0, end), signatureFor);
    if (outcome.id.empty()) {
      require(outcome.isVerified, "an accepted kernel does not verify");
      return Outcome::Accepted;
    }
    require(outcome.line > 0 && outcome.column > 0, "a mistake has no place");
    return Outcome::Refused;
  }
};

} // namespace
} // namespace nereid::fuzz

int main(int argc, char **argv) {
  using namespace nereid::fuzz;
  constexpr KindRow kinds[] = {
      {"kernels", "kernels, to the checker",
       []() -> std::unique_ptr<Kind> { return std::make_unique<CheckKind>(); }}};
  return runFuzzer(argc, argv, kinds);
}
