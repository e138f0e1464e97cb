// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PrintsAside.h"

#include <cstdio>
#include <iostream>
#include <unistd.h>

namespace nereid::command {

static void flush() {
  std::cout.flush();
  std::fflush(stdout);
}

PrintsAside::PrintsAside() {
  flush();
  output = dup(STDOUT_FILENO);
  if (output >= 0)
    dup2(STDERR_FILENO, STDOUT_FILENO);
}

PrintsAside::~PrintsAside() {
  flush();
  if (output < 0)
    return;
  dup2(output, STDOUT_FILENO);
  close(output);
}

} // namespace nereid::command
