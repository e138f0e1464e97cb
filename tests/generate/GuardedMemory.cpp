// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GuardedMemory.h"

#include "llvm/Support/FormatVariadic.h"

#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace nereid::generate {

constexpr size_t guardBytes = 128;

/// What the guards hold. It differs from byte to byte, so that copied neighbours are seen too.
static std::byte patternAt(size_t index) { return static_cast<std::byte>(0xa5 ^ (index * 29)); }

GuardedMemory::GuardedMemory(std::span<const std::byte> contents, size_t alignment)
    : size(contents.size()) {
  auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  size_t needed = guardBytes + size + alignment;
  accessible = (needed + page - 1) / page * page;
  void *mapped =
      mmap(nullptr, accessible + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    throw std::bad_alloc();
  pages = static_cast<std::byte *>(mapped);
  mprotect(pages + accessible, page, PROT_NONE);
  first = pages + (accessible - size) / alignment * alignment;
  for (size_t i = 0; i < accessible; ++i)
    pages[i] = patternAt(i);
  std::memcpy(first, contents.data(), size);
}

GuardedMemory::~GuardedMemory() {
  munmap(pages, accessible + static_cast<size_t>(sysconf(_SC_PAGESIZE)));
}

std::string GuardedMemory::damage() const {
  auto start = static_cast<size_t>(first - pages);
  for (size_t i = 0; i < accessible; ++i) {
    bool isOurs = i >= start && i < start + size;
    if (isOurs || pages[i] == patternAt(i))
      continue;
    return i < start ? llvm::formatv("byte {0} before its start was written", start - i).str()
                     : llvm::formatv("byte {0} behind its end was written", i - start - size).str();
  }
  return "";
}

} // namespace nereid::generate
