// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpret/memory/Arena.h"

#include <cstring>
#include <new>

namespace nereid::interpret {

static constexpr std::align_val_t alignment{64};

static size_t rounded(size_t bytes) {
  size_t unit = size_t(alignment);
  return (bytes + unit) / unit * unit; // never zero, so that every buffer has an address of its own
}

void Arena::Free::operator()(std::byte *buffer) const { ::operator delete(buffer, alignment); }

std::byte *Arena::takeFresh(size_t bytes) {
  size_t size = rounded(bytes);
  auto *data = static_cast<std::byte *>(::operator new(size, alignment));
  std::memset(data, 0, size);
  buffers.push_back({std::unique_ptr<std::byte, Free>(data), size});
  return data;
}

std::byte *Arena::take(size_t bytes) {
  std::vector<std::byte *> &candidates = unused[rounded(bytes)];
  if (candidates.empty())
    return takeFresh(bytes);
  std::byte *buffer = candidates.back();
  candidates.pop_back();
  return buffer;
}

void Arena::save(std::vector<std::byte> &contents) const {
  contents.clear();
  for (const Buffer &buffer : buffers)
    contents.insert(contents.end(), buffer.data.get(), buffer.data.get() + buffer.bytes);
}

void Arena::restore(const std::vector<std::byte> &contents) {
  const std::byte *from = contents.data();
  for (Buffer &buffer : buffers) {
    std::memcpy(buffer.data.get(), from, buffer.bytes);
    from += buffer.bytes;
  }
}

void Arena::giveBack(std::byte *buffer, size_t bytes) { unused[rounded(bytes)].push_back(buffer); }

} // namespace nereid::interpret
