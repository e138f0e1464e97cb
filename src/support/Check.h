// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CHECK is for our own mistakes: it says where, in what stage, and how to reproduce.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace nereid {

/// A failed CHECK on its way to whoever called the library. what() is the whole report.
class InternalError : public std::logic_error {
public:
  InternalError(const std::string &report, std::string reproducer)
      : std::logic_error(report), reproducer(std::move(reproducer)) {}

  /// A file that makes it happen again; empty if none could be written.
  std::string reproducer;
};

/// Throws InternalError with the failed condition, stage and kernel. The reproducer is written to
/// the directory for temporary files. LLVM's frames are unwound without being cleaned up, so what
/// they hold is lost: a leak, and better than the end of the host's process.
[[noreturn]] void checkFailed(const char *condition, const char *file, int line,
                              const std::string &message);

/// Names what this thread is doing, for the report of a failed CHECK. Nests; the destructor
/// restores.
class StageScope {
public:
  /// A text that makes the failure happen again; asked for only when there is one.
  using Reproducer = std::function<std::string()>;
  StageScope(std::string_view stage, std::string_view kernel, Reproducer reproducer);
  ~StageScope();
  StageScope(const StageScope &) = delete;
  StageScope &operator=(const StageScope &) = delete;

private:
  const StageScope *enclosing;
  std::string_view stage, kernel;
  Reproducer reproducer;
  friend void checkFailed(const char *, const char *, int, const std::string &);
};

} // namespace nereid

#define NEREID_CHECK(condition, message)                                                           \
  do {                                                                                             \
    if (!(condition))                                                                              \
      ::nereid::checkFailed(#condition, __FILE__, __LINE__, message);                              \
  } while (false)

#define NEREID_UNREACHABLE(message)                                                                \
  ::nereid::checkFailed("unreachable", __FILE__, __LINE__, message)
