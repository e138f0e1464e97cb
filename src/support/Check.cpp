// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Check.h"

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
  std::string report = "internal error: " + message + "\n  " + file + ":" + std::to_string(line) +
                       ": " + condition + "\n";
  std::string reproducer;
  // While the reproducer is written there is no stage: it may fail as well.
  if (const StageScope *scope = std::exchange(currentStage, nullptr)) {
    report += "  stage: " + std::string(scope->stage) + "\n";
    report += "  kernel: " + std::string(scope->kernel) + "\n";
    reproducer = writeReproducer(scope->reproducer());
    currentStage = scope;
  }
  report += "  This is a bug in Nereid; please report it";
  report += reproducer.empty() ? "." : " with the reproducer, " + reproducer;
  throw InternalError(report, std::move(reproducer));
}

} // namespace nereid
