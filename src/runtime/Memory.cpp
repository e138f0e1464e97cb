// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Memory.h"

#include "nereid/error.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace nereid::runtime {
namespace {

constexpr size_t alignment = 64;
/// From here on the kernel's zero pages and huge pages beat the heap.
constexpr size_t mappedFrom = size_t(1) << 20;

std::atomic<size_t> bytesInUse = 0;

[[noreturn]] void failAllocation(const char *call, size_t bytes, const char *reason) {
  throw Error(Error::Kind::Environment,
              std::string(call) + " of " + std::to_string(bytes) + " bytes failed: " + reason);
}

/// Refuses what can never fit, because the operating system hands out more than it has and would
/// kill the process at first use.
void requirePhysicalMemory(size_t bytes) {
  long pages = sysconf(_SC_PHYS_PAGES), pageSize = sysconf(_SC_PAGESIZE);
  if (pages > 0 && pageSize > 0 &&
      bytes / static_cast<size_t>(pageSize) >= static_cast<size_t>(pages))
    failAllocation("allocation", bytes, "it is more than this machine's memory");
}

void *mapZeroed(size_t bytes) {
  void *address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED)
    failAllocation("mmap", bytes, std::strerror(errno));
  // Only advice: without huge pages everything still works.
  madvise(address, bytes, MADV_HUGEPAGE);
  return address;
}

void *allocateZeroed(size_t bytes) {
  if (bytes >= mappedFrom)
    return mapZeroed(bytes);
  size_t rounded = (bytes + alignment) / alignment * alignment;
  void *address = std::aligned_alloc(alignment, rounded);
  if (!address)
    failAllocation("aligned_alloc", rounded, std::strerror(errno));
  return std::memset(address, 0, rounded);
}

class HostMemory : public Memory {
public:
  using Memory::Memory;

  void copyFromHost(const void *host, size_t count) override {
    if (count)
      std::memcpy(data(), host, count);
  }
  void copyToHost(void *host, size_t count) const override {
    if (count)
      std::memcpy(host, data(), count);
  }
};

class OwnedHostMemory final : public HostMemory {
public:
  explicit OwnedHostMemory(size_t bytes) : HostMemory(allocateZeroed(bytes), bytes) {
    bytesInUse.fetch_add(bytes, std::memory_order_relaxed);
  }
  ~OwnedHostMemory() override {
    bytesInUse.fetch_sub(bytes(), std::memory_order_relaxed);
    if (bytes() >= mappedFrom)
      munmap(data(), bytes());
    else
      std::free(data());
  }
};

} // namespace

std::shared_ptr<Memory> allocateHost(size_t bytes) {
  requirePhysicalMemory(bytes);
  return std::make_shared<OwnedHostMemory>(bytes);
}

std::shared_ptr<Memory> borrowHost(void *address, size_t bytes) {
  return std::make_shared<HostMemory>(address, bytes);
}

size_t hostBytesInUse() { return bytesInUse.load(std::memory_order_relaxed); }

} // namespace nereid::runtime
