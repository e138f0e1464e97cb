// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/cuda/Driver.h"

#include <array>
#include <string>

namespace nereid::runtime::cuda {

/// What one GPU is and has, as its driver says. Sizes are in bytes, clocks in kHz.
struct DeviceProperties {
  unsigned ordinal = 0;
  int driver = 0;   // the CUDA version of its driver: major * 1000 + minor * 10
  std::string name; // "NVIDIA H200"
  size_t memory = 0;
  int smMajor = 0, smMinor = 0;
  int multiprocessors = 0, clock = 0;
  int memoryClock = 0, memoryBusBits = 0, l2 = 0;
  int threadsPerBlock = 0, registersPerBlock = 0;
  /// Of dynamic and static shared memory together, where a kernel asks for more than the usual.
  int sharedPerBlock = 0;
  int threadsPerMultiprocessor = 0, blocksPerMultiprocessor = 0;
  int registersPerMultiprocessor = 0, sharedPerMultiprocessor = 0;
  std::array<int, 3> grid = {};
  int hasClusters = 0;

  /// 90 for sm_90
  int sm() const { return smMajor * 10 + smMinor; }
  /// "cuda:0"
  std::string deviceName() const { return "cuda:" + std::to_string(ordinal); }
  /// "cuda:0 (NVIDIA H200, sm_90)"
  std::string fullName() const;
};

/// Of the device that the driver counts as number `ordinal`, which it must have.
DeviceProperties readProperties(const Driver &driver, unsigned ordinal);

/// "1.5 GiB", "227 KiB", "12 bytes"
std::string sizeText(uint64_t bytes);

} // namespace nereid::runtime::cuda
