// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of memory that arrays live in, wherever the device keeps them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace nereid::runtime {

/// One block of a device's memory. Freed by the destructor unless it was borrowed.
class Memory {
public:
  Memory(void *address, size_t bytes) : address(address), bytes_(bytes) {}
  virtual ~Memory() = default;
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// In the device's address space.
  void *data() const { return address; }
  size_t bytes() const { return bytes_; }
  virtual void copyFromHost(const void *host, size_t bytes) = 0;
  virtual void copyToHost(void *host, size_t bytes) const = 0;
  /// For who follows what has been written: from now on the host may write at any time, ...
  virtual void hostMayWrite() {}
  /// ... and: whatever is there, nobody wrote it.
  virtual void countAsUnwritten() {}
  /// Of borrowed memory, as far as can be known: that the owner freed it. Empty if all is well.
  virtual std::string whyGone() const { return {}; }

private:
  void *address;
  size_t bytes_;
};

/// Host memory of at least `bytes`, 64-byte aligned, zeroed. Throws Error(Environment) if there is
/// not enough.
std::shared_ptr<Memory> allocateHost(size_t bytes);
/// Host memory that the caller owns and keeps alive.
std::shared_ptr<Memory> borrowHost(void *address, size_t bytes);
/// Bytes that allocateHost has given out and not got back.
size_t hostBytesInUse();

} // namespace nereid::runtime
