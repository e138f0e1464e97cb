// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/CpuTarget.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

#include <algorithm>

namespace nereid::target {

bool CpuTarget::has(const std::string &feature) const {
  return std::find(features.begin(), features.end(), "+" + feature) != features.end();
}

static CpuTarget detectHost() {
  CpuTarget host;
  host.triple = llvm::sys::getProcessTriple();
  host.cpu = llvm::sys::getHostCPUName().str();
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    host.features.push_back((feature.second ? "+" : "-") + feature.first().str());
  // StringMap's order depends on the hash; the list goes into cache keys and dumps.
  std::sort(host.features.begin(), host.features.end());
  bool hasAvx512 =
      host.has("avx512f") && host.has("avx512vl") && host.has("avx512bw") && host.has("avx512dq");
  if (hasAvx512) {
    host.vectorBytes = 64;
    host.vectorRegisters = 32;
  } else if (host.has("avx2")) {
    host.vectorBytes = 32;
  }
  host.hasFma = host.has("fma");
  host.hasMaskedMove = host.has("avx2");
  host.hasHalfConversion = host.has("f16c");
  return host;
}

const CpuTarget &hostCpu() {
  static const CpuTarget host = detectHost();
  return host;
}

} // namespace nereid::target
