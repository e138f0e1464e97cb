// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/Print.h"

#include <cstdio>

namespace nereid::runtime::cpu {

void nereidPrint(const LaunchContext *context, uint32_t index, const uint32_t *programId,
                 const void *const *elements) {
  const PrintSite &site = context->prints[index];
  std::vector<PrintedOperand> operands = site.operands;
  for (size_t i = 0; i < operands.size(); ++i)
    operands[i].elements = elements[i];
  std::string lines;
  printLines(site.format, operands, {programId[0], programId[1], programId[2]},
             [&](const std::string &line) { lines += line + '\n'; });
  // One call: programs on other threads print too.
  std::fwrite(lines.data(), 1, lines.size(), stdout);
}

} // namespace nereid::runtime::cpu
