// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Check.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace nereid {

static thread_local const StageScope *currentStage = nullptr;

StageScope::StageScope(std::string_view stage, std::string_view kernel, std::string_view reproducer)
    : enclosing(currentStage), stage(stage), kernel(kernel), reproducer(reproducer) {
  currentStage = this;
}

StageScope::~StageScope() { currentStage = enclosing; }

static void writeReproducer(std::string_view text) {
  char path[] = "/tmp/nereid-reproducer-XXXXXX";
  int descriptor = mkstemp(path);
  if (descriptor < 0)
    return;
  bool isWritten = write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(descriptor);
  if (isWritten)
    std::fprintf(stderr, "  reproducer: %s\n", path);
}

void checkFailed(const char *condition, const char *file, int line, const std::string &message) {
  std::fprintf(stderr, "nereid: internal error: %s\n  %s:%d: %s\n", message.c_str(), file, line,
               condition);
  if (const StageScope *scope = currentStage) {
    std::fprintf(stderr, "  stage: %.*s\n  kernel: %.*s\n", static_cast<int>(scope->stage.size()),
                 scope->stage.data(), static_cast<int>(scope->kernel.size()), scope->kernel.data());
    writeReproducer(scope->reproducer);
  }
  std::fprintf(stderr, "  This is a bug in Nereid; please report it with the reproducer.\n");
  std::_Exit(2);
}

} // namespace nereid
