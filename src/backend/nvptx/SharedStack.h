// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared memory for a moment: tiles on their way from some threads to others.
#pragma once

#include "backend/llvm/LaneBuilder.h"

namespace nereid::backend::nvptx {

/// One piece of dynamic shared memory that all uses share, one after the other, with barriers of
/// the block between them.
class SharedScratch {
public:
  SharedScratch(llvm::Module &module, Builder &builder) : module(module), b(builder) {}

  /// Room for `size` bytes that nobody reads any more; an i32 address in shared memory.
  llvm::Value *beginWriting(uint64_t size);
  /// All that was written is there for everybody.
  void beginReading();
  /// Paths of control flow join: what others may still read is not known.
  void forget() { mayBeRead = true; }
  void barrier();

  llvm::Value *pointer(llvm::Value *address);
  uint64_t bytes() const { return mostBytes; }

private:
  llvm::Module &module;
  Builder &b;
  llvm::GlobalVariable *memory = nullptr;
  uint64_t mostBytes = 0;
  bool mayBeRead = false;
};

} // namespace nereid::backend::nvptx
