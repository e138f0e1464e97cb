// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GuardedArray.h"

#include "GuardedMemory.h"

#include <algorithm>

namespace nereid::generate {
namespace {

class HostArray final : public GuardedArray {
public:
  HostArray(std::span<const std::byte> contents, size_t alignment) : memory(contents, alignment) {}

  void *data() const override { return memory.data(); }
  Reading read() const override {
    std::span<const std::byte> found = memory.contents();
    return {{found.begin(), found.end()}, memory.damage()};
  }

private:
  GuardedMemory memory;
};

class GpuArray final : public GuardedArray {
public:
  GpuArray(const Device &device, std::span<const std::byte> contents, size_t alignment)
      // Devices align what they allocate to more than any array asks for.
      : start(guardBytes + alignment), size(contents.size()),
        whole(device.empty(DType::UInt8, {int64_t(start + size + guardBytes)})) {
    std::vector<std::byte> bytes(whole.bytes(), guard);
    std::ranges::copy(contents, bytes.begin() + ptrdiff_t(start));
    whole.copyFrom(bytes.data());
  }

  void *data() const override { return static_cast<std::byte *>(whole.data()) + start; }
  Reading read() const override {
    std::vector<std::byte> bytes(whole.bytes());
    whole.copyTo(bytes.data());
    auto first = bytes.begin() + ptrdiff_t(start), end = first + ptrdiff_t(size);
    auto isChanged = [](std::byte byte) { return byte != guard; };
    std::string damage;
    if (auto found = std::find_if(bytes.begin(), first, isChanged); found != first)
      damage = "byte " + std::to_string(first - found) + " before its start was written";
    else if (found = std::find_if(end, bytes.end(), isChanged); found != bytes.end())
      damage = "byte " + std::to_string(found - end) + " behind its end was written";
    return {{first, end}, damage};
  }

private:
  static constexpr size_t guardBytes = 256;
  static constexpr std::byte guard{0xa5};

  size_t start, size;
  Array whole;
};

} // namespace

std::unique_ptr<GuardedArray>
GuardedArray::make(const Device &device, std::span<const std::byte> contents, size_t alignment) {
  if (device.name().starts_with("cuda"))
    return std::make_unique<GpuArray>(device, contents, alignment);
  return std::make_unique<HostArray>(contents, alignment);
}

} // namespace nereid::generate
