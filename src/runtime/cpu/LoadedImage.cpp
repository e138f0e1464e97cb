// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/LoadedImage.h"

#include "runtime/cpu/Callable.h"

#include <cerrno>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace nereid::runtime::cpu {

LoadedImage::LoadedImage(const CodeImage &image) : entryOffset(image.entry) {
  auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  if (image.alignment > page)
    throw ArtifactError("wants its code aligned to " + std::to_string(image.alignment) + " bytes");
  std::vector<uint64_t> targets;
  for (const CodeImage::Address &address : image.addresses)
    targets.push_back(address.symbol.empty() ? 0 : addressOfCallable(address.symbol));
  mapped = (image.bytes.size() + page - 1) / page * page;
  void *memory = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw std::bad_alloc();
  begin = static_cast<std::byte *>(memory);
  std::memcpy(begin, image.bytes.data(), image.bytes.size());
  for (size_t i = 0; i < targets.size(); ++i) {
    const CodeImage::Address &address = image.addresses[i];
    uint64_t base = address.symbol.empty() ? reinterpret_cast<uint64_t>(begin) : targets[i];
    uint64_t value = base + address.addend;
    std::memcpy(begin + address.offset, &value, sizeof(value));
  }
  if (mprotect(begin, mapped, PROT_READ | PROT_EXEC) != 0) {
    int error = errno;
    munmap(begin, mapped);
    throw std::system_error(error, std::generic_category(), "mprotect for a kernel's code");
  }
}

LoadedImage::~LoadedImage() { munmap(begin, mapped); }

} // namespace nereid::runtime::cpu
