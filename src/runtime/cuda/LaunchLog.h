// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/cuda/Abi.h"
#include "support/KernelArguments.h"

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace nereid::runtime::cuda {

/// What messages call a kernel.
struct KernelLabel {
  std::string kernel, source;

  /// "kernel 'add' (add.py)"
  std::string text() const;
};

/// The launches of a context that may still be running: a device reports that a kernel failed at
/// some later call, and does not say which. Remembers the newest, and allocates no memory.
class LaunchLog {
public:
  struct Launch {
    std::shared_ptr<const KernelLabel> label;
    GridExtent grid;
    CUstream stream = nullptr;
    uint64_t number = 0;
  };
  void add(const std::shared_ptr<const KernelLabel> &label, GridExtent grid, CUstream stream);
  /// How many there have been.
  uint64_t count() const;
  /// The first `count` of all launches have ended, as far as they are on this stream.
  void ended(CUstream stream, uint64_t count);
  /// Oldest first.
  std::vector<Launch> running() const;

private:
  mutable std::mutex mutex;
  std::array<Launch, 16> launches; // a ring; where the label is null, nothing runs
  uint64_t count_ = 0;
};

} // namespace nereid::runtime::cuda
