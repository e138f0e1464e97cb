// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/WrittenCheck.h"
#include "runtime/Memory.h"

#include <map>
#include <memory>
#include <mutex>

namespace nereid::jit {

/// The blocks of memory of which the checked device knows what has been written. May be asked from
/// several threads at once.
class WrittenBlocks {
public:
  using Block = check::WrittenCheck::Block;
  void add(uint64_t address, check::WrittenBytes *written, size_t bytes);
  void remove(uint64_t address);
  /// The block that holds the address; without bytes if nothing is known of it.
  Block find(uint64_t address) const;

private:
  struct Entry {
    check::WrittenBytes *written;
    size_t bytes;
  };
  mutable std::mutex mutex;
  std::map<uint64_t, Entry> blocks; // by address
};

/// Host memory, none of which counts as written yet.
std::shared_ptr<runtime::Memory> allocateChecked(size_t bytes,
                                                 std::shared_ptr<WrittenBlocks> blocks);

} // namespace nereid::jit
