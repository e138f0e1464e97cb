// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/CpuTarget.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <algorithm>

namespace nereid::target {

bool CpuTarget::has(const std::string &feature) const {
  return std::binary_search(features.begin(), features.end(), feature);
}

std::vector<std::string> featureDifferences(llvm::StringRef cpu,
                                            const llvm::StringMap<bool> &features) {
  llvm::StringSet<> assumed;
#ifdef __x86_64__
  llvm::SmallVector<llvm::StringRef> ofCpu;
  llvm::X86::getFeaturesForCPU(cpu, ofCpu);
  assumed.insert_range(ofCpu);
#endif
  std::vector<std::string> differences;
  for (const auto &[name, isPresent] : features)
    if (isPresent != assumed.contains(name))
      differences.push_back((isPresent ? "+" : "-") + name.str());
  // StringMap's order depends on the hash; the list goes into cache keys and dumps.
  std::sort(differences.begin(), differences.end());
  return differences;
}

static CpuTarget detectHost() {
  CpuTarget host;
  host.triple = llvm::sys::getProcessTriple();
  host.cpu = llvm::sys::getHostCPUName().str();
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  for (const auto &[name, isPresent] : features)
    if (isPresent)
      host.features.push_back(name.str());
  std::sort(host.features.begin(), host.features.end());
  host.featureDifferences = featureDifferences(host.cpu, features);
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
  return host;
}

const CpuTarget &hostCpu() {
  static const CpuTarget host = detectHost();
  return host;
}

} // namespace nereid::target
