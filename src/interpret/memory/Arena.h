// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

namespace nereid::interpret {

/// Buffers of the values of one kernel, laid out while it is planned: a buffer that is given back
/// is handed out again for a value that lives later. All stay where they are until the arena dies.
class Arena {
public:
  /// Aligned for vector loads.
  std::byte *take(size_t bytes);
  /// A buffer that nothing has used before.
  std::byte *takeFresh(size_t bytes);
  void giveBack(std::byte *buffer, size_t bytes);

  /// What all buffers hold, to be put back later.
  void save(std::vector<std::byte> &contents) const;
  void restore(const std::vector<std::byte> &contents);

private:
  struct Free {
    void operator()(std::byte *buffer) const;
  };
  struct Buffer {
    std::unique_ptr<std::byte, Free> data;
    size_t bytes;
  };
  std::vector<Buffer> buffers;
  std::map<size_t, std::vector<std::byte *>> unused; // by rounded size
};

} // namespace nereid::interpret
