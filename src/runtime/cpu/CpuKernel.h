// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Native code for a kernel, run by a pool of threads.
#pragma once

#include "runtime/Executable.h"
#include "runtime/cpu/ThreadPool.h"

#include <cstdint>
#include <memory>

namespace nereid::runtime::cpu {

/// What generated code looks like from outside: runs programs [begin, end) of the grid, counted x
/// fastest. `arguments` holds one 8-byte slot each; `scratch` is this thread's own, aligned
/// to scratchAlignment.
using KernelEntry = void (*)(const uint64_t *arguments, const GridExtent *grid, uint64_t begin,
                             uint64_t end, void *scratch);

class CpuKernel final : public Executable {
public:
  /// `code` keeps the memory alive in which `entry` lies.
  CpuKernel(KernelEntry entry, uint64_t scratchBytes, std::shared_ptr<void> code, ThreadPool &pool)
      : entry(entry), scratchBytes(scratchBytes), code(std::move(code)), pool(pool) {}

  void launch(GridExtent grid, std::span<const ArgumentSlot> arguments) override;

private:
  KernelEntry entry;
  uint64_t scratchBytes;
  std::shared_ptr<void> code;
  ThreadPool &pool;
};

} // namespace nereid::runtime::cpu
