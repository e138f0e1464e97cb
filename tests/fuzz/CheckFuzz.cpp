// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds damaged kernels to the checker: each must end as IR that verifies or as one diagnostic with
// a place in the text.
//   fuzz_check --seed N --seconds S [--corpus DIR]
#include "EmitKernel.h"
#include "support/Check.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

namespace nereid {
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

class Mutator {
public:
  explicit Mutator(uint64_t seed) : random(seed) {}

  size_t below(size_t bound) { return std::uniform_int_distribution<size_t>(0, bound - 1)(random); }
  template <size_t count> const char *pick(const char *const (&list)[count]) {
    return list[below(count)];
  }

  std::string damaged(std::string text) {
    for (size_t changes = 1 + below(4); changes > 0 && !text.empty(); --changes)
      damageOnce(text);
    return text;
  }

  test::Signature signature(size_t parameters) {
    test::Signature signature{"*f32", "*f32", "i32", "i32", "=16"};
    signature.resize(parameters, "i32");
    for (std::string &type : signature)
      if (below(4) == 0)
        type = pick(argumentTypes);
    return signature;
  }

private:
  /// A word or one other character, from `position` on.
  static size_t tokenEnd(const std::string &text, size_t position) {
    auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    size_t end = position + 1;
    while (isWord(text[position]) && end < text.size() && isWord(text[end]))
      ++end;
    return end;
  }

  void damageOnce(std::string &text) {
    size_t position = below(text.size()), end = tokenEnd(text, position);
    switch (below(6)) {
    case 0:
    case 1:
      text.replace(position, end - position, pick(words));
      break;
    case 2:
      text.insert(position, std::string(" ") + pick(words) + " ");
      break;
    case 3:
      text.erase(position, end - position);
      break;
    case 4: // another token of the text
      if (size_t other = below(text.size()); true)
        text.replace(position, end - position, text.substr(other, tokenEnd(text, other) - other));
      break;
    default:
      moveLine(text, position);
    }
  }

  /// Doubles the line at `position` somewhere else, perhaps one level deeper.
  void moveLine(std::string &text, size_t position) {
    size_t start = text.rfind('\n', position);
    start = start == std::string::npos ? 0 : start + 1;
    size_t end = std::min(text.find('\n', position), text.size() - 1);
    std::string line = text.substr(start, end + 1 - start);
    size_t target = text.find('\n', below(text.size()));
    if (target != std::string::npos)
      text.insert(target + 1, (below(3) == 0 ? "    " : "") + line);
  }

  std::mt19937_64 random;
};

struct Counts {
  size_t accepted = 0, rejected = 0;
};

void tryOne(Mutator &mutator, const std::string &seed, Counts &counts) {
  std::string text = mutator.damaged(seed);
  StageScope scope("check", "k", [&] { return text; });
  test::Outcome outcome =
      test::tryKernel(text, [&](size_t parameters) { return mutator.signature(parameters); });
  if (outcome.id.empty()) {
    NEREID_CHECK(outcome.isVerified, "accepted kernels verify");
    ++counts.accepted;
    return;
  }
  NEREID_CHECK(outcome.line > 0 && outcome.column > 0, "a mistake has a place");
  ++counts.rejected;
}

std::vector<std::string> corpus(const char *directory) {
  std::vector<std::string> texts(std::begin(seeds), std::end(seeds));
  if (directory)
    for (const auto &entry : std::filesystem::recursive_directory_iterator(directory))
      if (entry.path().extension() == ".py") {
        std::ifstream in(entry.path());
        texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
      }
  return texts;
}

} // namespace
} // namespace nereid

int main(int argc, char **argv) {
  uint64_t seed = 1;
  double seconds = 5;
  const char *directory = nullptr;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!std::strcmp(argv[i], "--seed"))
      seed = std::stoull(argv[i + 1]);
    else if (!std::strcmp(argv[i], "--seconds"))
      seconds = std::stod(argv[i + 1]);
    else if (!std::strcmp(argv[i], "--corpus"))
      directory = argv[i + 1];
  }
  std::vector<std::string> texts = nereid::corpus(directory);
  nereid::Mutator mutator(seed);
  nereid::Counts counts;
  auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end)
    nereid::tryOne(mutator, texts[mutator.below(texts.size())], counts);
  std::printf("fuzz_check: seed %llu, %zu accepted, %zu rejected\n",
              static_cast<unsigned long long>(seed), counts.accepted, counts.rejected);
  return counts.accepted > 0 && counts.rejected > 0 ? 0 : 1;
}
