// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CHECK is for our own mistakes: it says where, in what stage, and how to reproduce, and exits.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace nereid {

/// Prints the failed condition with stage and kernel, writes the reproducer to the directory for
/// temporary files, and exits with code 2.
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
