// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Explanations.h"

namespace nereid {

namespace {

#define RUN "# nereid run k.py --device check "
#define THREADS "\nfrom numba import cuda, float32\n\n@cuda.jit\n"

constexpr DiagnosticExplanation table[] = {
#define BODY(id, meaning, mistake, mended) {DiagnosticId::id, meaning, mistake, mended, true},
#define MODULE(id, meaning, mistake, mended) {DiagnosticId::id, meaning, mistake, mended, false},
#define PROSE(id, meaning) {DiagnosticId::id, meaning, nullptr, nullptr, false},
#define FOUND(id, meaning, arguments, mistake, mended)                                             \
  {FindingId::id, meaning, RUN arguments "\n@triton.jit\n" mistake,                                \
   RUN arguments "\n@triton.jit\n" mended, false},
#define FOUND_IN_THREADS(id, meaning, arguments, mistake, mended)                                  \
  {FindingId::id, meaning, RUN arguments THREADS mistake, RUN arguments THREADS mended,            \
   false,         true},
#include "support/explanations.def"
};
#undef THREADS
#undef RUN

constexpr const char *imports = "import triton\nimport triton.language as tl\n\n";
constexpr const char *frame = "@triton.jit\ndef k(p, n, u, f, B: tl.constexpr):\n"
                              "    x = tl.load(p + tl.arange(0, B))\n    ";

} // namespace

std::string_view DiagnosticExplanation::name() const {
  return std::visit([](auto id) { return std::string_view(nameOf(id)); }, id);
}

const char *DiagnosticExplanation::format() const {
  return std::visit([](auto id) { return formatOf(id); }, id);
}

std::string DiagnosticExplanation::file(const char *part) const {
  if (!part)
    return {};
  if (isOfThreads)
    return part;
  if (!isBody)
    return std::string(imports) + part;
  std::string text = std::string(imports) + frame;
  for (const char *at = part; *at; ++at)
    text += *at == '\n' ? "\n    " : std::string(1, *at);
  return text + "\n";
}

std::span<const DiagnosticExplanation> diagnosticExplanations() { return table; }

} // namespace nereid
