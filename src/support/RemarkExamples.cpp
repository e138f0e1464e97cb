// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/RemarkExamples.h"

namespace nereid {
namespace {

// A product of tiles in a loop, of which examples change a line or two.
#define HEAD                                                                                       \
  "@triton.jit\n"                                                                                  \
  "def k(a, b, c, first, K, lda, ldb, ldc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):" \
  "\n"                                                                                             \
  "    rows = tl.program_id(0) * BM + tl.arange(0, BM)\n"                                          \
  "    columns = tl.program_id(1) * BN + tl.arange(0, BN)\n"                                       \
  "    sums = tl.zeros((BM, BN), tl.float32)\n"
#define ROUNDS                                                                                     \
  "    for k in range(0, K, BK):\n"                                                                \
  "        depth = k + tl.arange(0, BK)\n"
#define LOAD_X "        x = tl.load(a + rows[:, None] * lda + depth[None, :])\n"
#define LOAD_Y "        y = tl.load(b + depth[:, None] * ldb + columns[None, :])\n"
#define ADD_UP "        sums = tl.dot(x, y, sums)\n"
#define TAIL "    tl.store(c + rows[:, None] * ldc + columns[None, :], sums)\n"
#define PRODUCT HEAD ROUNDS LOAD_X LOAD_Y ADD_UP TAIL
#define OF_TYPES(factors)                                                                          \
  "--target sm_90a -s a=*" factors ":16,b=*" factors                                               \
  ":16,c=*f32:16,first=i32:16,K=i32:16,lda=i32:16,ldb=i32:16,ldc=i32:16,"

constexpr RemarkExample examples[] = {
#define EXAMPLE(id, meaning, arguments, remarked, betterArguments, better)                         \
  {RemarkId::id, meaning, arguments, remarked, betterArguments, better},
#define PROSE(id, meaning) {RemarkId::id, meaning},
#include "support/remark_examples.def"
};
#undef HEAD
#undef ROUNDS
#undef LOAD_X
#undef LOAD_Y
#undef ADD_UP
#undef TAIL
#undef PRODUCT
#undef OF_TYPES

std::string wholeFile(const char *arguments, const char *kernel) {
  if (!kernel)
    return {};
  return "# nereid compile k.py --remarks " + std::string(arguments) +
         "\nimport triton\nimport triton.language as tl\n\n" + kernel;
}

} // namespace

std::string RemarkExample::remarkedFile() const { return wholeFile(arguments, remarked); }
std::string RemarkExample::betterFile() const { return wholeFile(betterArguments, better); }

std::span<const RemarkExample> remarkExamples() { return examples; }

} // namespace nereid
