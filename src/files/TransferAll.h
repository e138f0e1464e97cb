// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cerrno>
#include <cstddef>
#include <sys/types.h>

namespace nereid::files {

/// Moves bytes by a system call that may move fewer than it is asked to, or be interrupted.
/// `step(done)` is read, write, send or recv of what is left behind the first `done` bytes. False
/// if that failed, or the other side has ended.
template <typename Step> bool transferAll(size_t bytes, Step step) {
  for (size_t done = 0; done < bytes;) {
    ssize_t count = step(done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

} // namespace nereid::files
