// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Check.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>
#include <utility>

namespace nereid {

static thread_local const StageScope *currentStage = nullptr;

StageScope::StageScope(std::string_view stage, std::string_view kernel, Reproducer reproducer)
    : enclosing(currentStage), stage(stage), kernel(kernel), reproducer(std::move(reproducer)) {
  currentStage = this;
}

StageScope::~StageScope() { currentStage = enclosing; }

/// The file's path; empty if it could not be written.
static std::string writeReproducer(const std::string &text) {
  std::error_code error;
  std::string path = std::filesystem::temp_directory_path(error) / "nereid-reproducer-XXXXXX";
  int descriptor = mkstemp(path.data());
  if (descriptor < 0)
    return {};
  bool isWritten = write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(descriptor);
  return isWritten ? path : "";
}

void checkFailed(const char *condition, const char *file, int line, const std::string &message) {
  std::fprintf(stderr, "nereid: internal error: %s\n  %s:%d: %s\n", message.c_str(), file, line,
               condition);
  std::string reproducer;
  if (const StageScope *scope = std::exchange(currentStage, nullptr)) {
    std::fprintf(stderr, "  stage: %.*s\n  kernel: %.*s\n", static_cast<int>(scope->stage.size()),
                 scope->stage.data(), static_cast<int>(scope->kernel.size()), scope->kernel.data());
    reproducer = writeReproducer(scope->reproducer());
  }
  if (reproducer.empty())
    std::fprintf(stderr, "  This is a bug in Nereid; please report it.\n");
  else
    std::fprintf(stderr, "  This is a bug in Nereid; please report it with the reproducer, %s\n",
                 reproducer.c_str());
  std::_Exit(2);
}

} // namespace nereid
