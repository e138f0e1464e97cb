// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an NVIDIA GPU can do, as the NVPTX back end needs to know it.
#pragma once

#include "target/GpuMachine.h"
#include "target/SmShares.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nereid::target {

struct NvidiaTarget : GpuMachine {
  std::string sm;            // LLVM's name: "sm_90a"
  unsigned ptxVersion;       // 8.0 is 80
  bool hasWarpgroupProducts; // wgmma, and registers moved between warpgroups
  bool hasCopyEngine;        // TMA
  bool hasMatrixStores;      // stmatrix
  bool hasFp8Products;
  bool overlapsLaunches; // griddepcontrol

  /// 90 of "sm_90a".
  unsigned version() const;
};

/// By LLVM's name, from the table sm.def.
std::optional<NvidiaTarget> findSm(llvm::StringRef name);
std::vector<std::string> smNames();
/// Bytes that a block may have on some GPU of the table.
unsigned mostSharedPerBlock();
/// Registers that a thread may have on any GPU of the table.
unsigned mostRegistersPerThread();
/// The one whose code runs on a device of this compute capability (9, 0): its own or, of the same
/// major version, the highest below.
std::optional<NvidiaTarget> smFor(unsigned major, unsigned minor);

} // namespace nereid::target
