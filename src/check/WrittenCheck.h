// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads of elements that neither the host nor a kernel has written.
#pragma once

#include "check/WrittenBytes.h"
#include "interpret/Interpreter.h"
#include "interpret/events/Listener.h"

#include <functional>
#include <memory>

namespace nereid::check {

class WrittenCheck final : public interpret::Listener {
public:
  /// What is known of a block of memory, and where the block begins; null if all of it counts as
  /// written.
  struct Block {
    WrittenBytes *written = nullptr;
    uint64_t address = 0;
  };
  using Find = std::function<Block(uint64_t address)>;

  WrittenCheck(interpret::Observer &observer, Find find)
      : observer(observer), find(std::move(find)) {}

  void begins(const interpret::RunEvent &run) override;
  void accesses(const interpret::AccessEvent &event) override;
  void beginsBlock(uint64_t first, uint64_t count, std::span<const uint64_t> memory) override;
  /// To be called when the launch is over.
  void settle();

private:
  struct View {
    WrittenBytes *written = nullptr; // null: nothing to watch for
    uint64_t offset = 0;
  };
  void reportUnwritten(const interpret::AccessEvent &event, const interpret::AccessRun &run) const;

  interpret::Observer &observer;
  Find find;
  std::vector<View> views; // by the number of the array
  std::vector<std::unique_ptr<WrittenBytes>>
      ofBlocks;                  // what threads of a block have for themselves
  std::vector<uint64_t> extents; // likewise
  bool isRelevant = false;
};

} // namespace nereid::check
