// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/WrittenCheck.h"

namespace nereid::check {

using interpret::AccessEvent;
using interpret::AccessKind;
using interpret::AccessRun;

void WrittenCheck::begins(const interpret::RunEvent &run) {
  views.assign(run.memory.count(), {});
  isRelevant = false;
  ofBlocks.clear();
  extents.clear();
  for (uint64_t number = 0; number < run.memory.count(); ++number)
    extents.push_back(run.memory.array(number).extentBytes);
  for (uint64_t number = 1; number < run.memory.count(); ++number) {
    auto address = reinterpret_cast<uint64_t>(run.memory.array(number).base);
    Block block = address ? find(address) : Block();
    if (!block.written || block.written->isComplete())
      continue;
    views[number] = {block.written, address - block.address};
    isRelevant = true;
  }
}

/// What a block before has written there is nothing to this one.
void WrittenCheck::beginsBlock(uint64_t, uint64_t, std::span<const uint64_t> memory) {
  if (!ofBlocks.empty()) {
    for (const auto &written : ofBlocks)
      written->unmarkAll();
    return;
  }
  for (uint64_t number : memory) {
    ofBlocks.push_back(std::make_unique<WrittenBytes>(extents[number]));
    views[number] = {ofBlocks.back().get(), 0};
    isRelevant = true;
  }
}

void WrittenCheck::accesses(const AccessEvent &event) {
  if (!isRelevant)
    return;
  forEachRun(event, [&](const AccessRun &run) {
    const View &view = views[run.array];
    if (!view.written)
      return;
    if (event.site.kind != AccessKind::Write && event.site.reads)
      reportUnwritten(event, run);
    if (event.site.kind != AccessKind::Read)
      view.written->mark(view.offset + run.offset, run.count * event.site.bytes);
  });
}

void WrittenCheck::reportUnwritten(const AccessEvent &event, const AccessRun &run) const {
  const View &view = views[run.array];
  const auto &array = event.memory.array(run.array);
  uint64_t bytes = event.site.bytes, end = view.offset + run.offset + run.count * bytes;
  for (uint64_t at = view.offset + run.offset; at < end;) {
    size_t found = view.written->findUnwritten(at, end - at);
    if (found >= end)
      return;
    int64_t lane = int64_t((found - view.offset - run.offset) / bytes);
    observer.readUnwritten({event.site.location, event.program, run.lane + lane, array.name,
                            array.indexOf(found - view.offset), event.site.kind});
    at = view.offset + run.offset + (lane + 1) * bytes;
  }
}

void WrittenCheck::settle() {
  for (const View &view : views)
    if (view.written)
      view.written->settle();
}

} // namespace nereid::check
