// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/Print.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace nereid::runtime::cpu {

static std::string linesOf(const PrintSite &site, const uint32_t *programId,
                           const void *const *elements) {
  std::vector<PrintedOperand> operands = site.operands;
  for (size_t i = 0; i < operands.size(); ++i)
    operands[i].elements = elements[i];
  std::string lines;
  printLines(site.format, operands, {programId[0], programId[1], programId[2]},
             [&](const std::string &line) { lines += line + '\n'; });
  return lines;
}

static void keepFailure(const LaunchContext &context, const PrintSite &site,
                        const uint32_t *programId) {
  std::lock_guard lock(context.turn);
  PrintedFailure &failed = context.failed;
  auto last = std::reverse_iterator(failed.programId + 3);
  bool isEarlier = std::lexicographical_compare(std::reverse_iterator(programId + 3),
                                                std::reverse_iterator(programId), last, last + 3);
  if (!failed.count++ || isEarlier) {
    failed.text = site.format.texts[0];
    std::copy_n(programId, 3, failed.programId);
  }
}

/// What the sink throws is kept before the next thread has its turn: a sink that threw is not
/// called again.
static void callSink(const LaunchContext &context, std::string_view lines) {
  std::lock_guard lock(context.turn);
  if (context.failure)
    return;
  try {
    (*context.sink)(lines);
  } catch (...) {
    context.failure = std::current_exception();
  }
}

void nereidPrint(const LaunchContext *context, uint32_t site, const uint32_t *programId,
                 const void *const *elements) {
  try {
    if (context->prints[site].isFailure)
      return keepFailure(*context, context->prints[site], programId);
    std::string lines = linesOf(context->prints[site], programId, elements);
    if (!context->sink) { // one call: programs on other threads print too
      std::fwrite(lines.data(), 1, lines.size(), stdout);
      return;
    }
    callSink(*context, lines);
  } catch (...) {
    std::lock_guard lock(context->turn);
    context->failure = std::current_exception();
  }
}

} // namespace nereid::runtime::cpu
