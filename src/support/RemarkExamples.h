// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each remark means, with a kernel that gets it and one that does not (remark_examples.def).
#pragma once

#include "support/Remarks.h"

#include <span>
#include <string>

namespace nereid {

struct RemarkExample {
  RemarkId id;
  const char *meaning;
  /// What `nereid compile` is given, and the kernel without its imports, once with the remark and
  /// once without; null where no text shows it on every machine.
  const char *arguments = nullptr, *remarked = nullptr;
  const char *betterArguments = nullptr, *better = nullptr;

  /// One of the two kernels as a whole file that begins with the command; empty if there is none.
  std::string remarkedFile() const;
  std::string betterFile() const;
};

/// One for each row of remarks.def, in their order.
std::span<const RemarkExample> remarkExamples();

} // namespace nereid
