// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/Scratch.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace nereid::runtime::cpu {
namespace {

struct Free {
  void operator()(void *address) const { std::free(address); }
};

struct Scratch {
  std::unique_ptr<void, Free> memory;
  size_t bytes = 0;

  void grow(size_t wanted) {
    size_t rounded = (wanted + scratchAlignment - 1) / scratchAlignment * scratchAlignment;
    // What was there is never needed again, so it goes first and the peak stays low.
    memory.reset();
    bytes = 0;
    memory.reset(std::aligned_alloc(scratchAlignment, rounded));
    if (!memory)
      throw std::bad_alloc();
    bytes = rounded;
  }
};

thread_local Scratch scratch;

} // namespace

void *threadScratch(size_t bytes) {
  if (!scratch.memory || scratch.bytes < bytes)
    scratch.grow(bytes ? bytes : scratchAlignment);
  std::memset(scratch.memory.get(), 0, scratchAlignment);
  return scratch.memory.get();
}

} // namespace nereid::runtime::cpu
