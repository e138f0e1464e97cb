// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/devices/CheckMemory.h"

namespace nereid::jit {

void WrittenBlocks::add(uint64_t address, check::WrittenBytes *written, size_t bytes) {
  std::lock_guard lock(mutex);
  blocks[address] = {written, bytes};
}

void WrittenBlocks::remove(uint64_t address) {
  std::lock_guard lock(mutex);
  blocks.erase(address);
}

WrittenBlocks::Block WrittenBlocks::find(uint64_t address) const {
  std::lock_guard lock(mutex);
  auto next = blocks.upper_bound(address);
  if (next == blocks.begin())
    return {};
  auto [start, entry] = *std::prev(next);
  return address - start < entry.bytes ? Block{entry.written, start} : Block();
}

namespace {

class CheckedMemory final : public runtime::Memory {
public:
  CheckedMemory(std::shared_ptr<runtime::Memory> host, std::shared_ptr<WrittenBlocks> blocks)
      : Memory(host->data(), host->bytes()), host(std::move(host)), blocks(std::move(blocks)),
        written(bytes()) {
    this->blocks->add(reinterpret_cast<uint64_t>(data()), &written, bytes());
  }
  ~CheckedMemory() override { blocks->remove(reinterpret_cast<uint64_t>(data())); }

  void copyFromHost(const void *from, size_t count) override {
    host->copyFromHost(from, count);
    written.mark(0, count);
    written.settle();
  }
  void copyToHost(void *to, size_t count) const override { host->copyToHost(to, count); }
  void hostMayWrite() override { written.markAll(); }
  void countAsUnwritten() override { written.unmarkAll(); }

private:
  std::shared_ptr<runtime::Memory> host;
  std::shared_ptr<WrittenBlocks> blocks;
  check::WrittenBytes written;
};

} // namespace

std::shared_ptr<runtime::Memory> allocateChecked(size_t bytes,
                                                 std::shared_ptr<WrittenBlocks> blocks) {
  return std::make_shared<CheckedMemory>(runtime::allocateHost(bytes), std::move(blocks));
}

} // namespace nereid::jit
