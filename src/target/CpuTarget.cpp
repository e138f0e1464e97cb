// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/CpuTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <algorithm>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

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

/// The minor version of the C library in this process: "2.36" is 36.
static unsigned glibcMinor() {
#ifdef __GLIBC__
  unsigned minor = 0;
  llvm::StringRef text = llvm::StringRef(gnu_get_libc_version()).split('.').second;
  text.consumeInteger(10, minor);
  return minor;
#else
  return 0;
#endif
}

/// What follows from the features.
static CpuTarget describe(CpuTarget cpu) {
  std::sort(cpu.features.begin(), cpu.features.end());
  bool hasAvx512 =
      cpu.has("avx512f") && cpu.has("avx512vl") && cpu.has("avx512bw") && cpu.has("avx512dq");
  if (hasAvx512) {
    cpu.vectorBytes = 64;
    cpu.vectorRegisters = 32;
  } else if (cpu.has("avx2")) {
    cpu.vectorBytes = 32;
  }
  cpu.hasFma = cpu.has("fma");
  cpu.hasF16c = cpu.has("f16c");
  cpu.maskedLaneBytes = hasAvx512 ? 1 : cpu.has("avx2") ? 4 : 0;
  cpu.libmvec = glibcMinor();
  return cpu;
}

/// Asks the system for this process' use of the tile registers, which otherwise end it by a signal
/// (Linux, Documentation/arch/x86/xstate.rst). Holds for threads that are there and yet to come.
static bool requestTiles() {
#if defined(__linux__) && defined(__x86_64__)
  constexpr long requestPermission = 0x1023, tileData = 18;
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
#else
  return false;
#endif
}

static CpuTarget detectHost() {
  CpuTarget host;
  host.triple = llvm::sys::getProcessTriple();
  host.cpu = llvm::sys::getHostCPUName().str();
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  if (features.lookup("amx-tile") && !requestTiles())
    for (auto &[name, isPresent] : features)
      if (llvm::StringRef(name).starts_with("amx-"))
        isPresent = false;
  for (const auto &[name, isPresent] : features)
    if (isPresent)
      host.features.push_back(name.str());
  host.featureDifferences = featureDifferences(host.cpu, features);
  return describe(std::move(host));
}

const CpuTarget &hostCpu() {
  static const CpuTarget host = detectHost();
  return host;
}

std::optional<CpuTarget> findCpu(llvm::StringRef name) {
  if (name == "host")
    return hostCpu();
  if (llvm::X86::parseArchX86(name, /*Only64Bit=*/true) == llvm::X86::CK_None)
    return std::nullopt;
  CpuTarget cpu;
  cpu.triple = llvm::sys::getProcessTriple();
  cpu.cpu = name.str();
  llvm::SmallVector<llvm::StringRef> features;
  llvm::X86::getFeaturesForCPU(name, features);
  // Of Alder Lake LLVM lists AVX-VNNI, and leaves it to others that this implies AVX2.
  llvm::StringMap<bool> all;
  for (llvm::StringRef feature : features) {
    all[feature] = true;
    llvm::X86::updateImpliedFeatures(feature, /*Enabled=*/true, all);
  }
  for (const auto &[feature, isPresent] : all)
    if (isPresent)
      cpu.features.push_back(feature.str());
  return describe(std::move(cpu));
}

std::vector<std::string> cpuNames() {
  std::vector<std::string> names = {"host"};
  llvm::SmallVector<llvm::StringRef> known;
  llvm::X86::fillValidCPUArchList(known, /*Only64Bit=*/true);
  for (llvm::StringRef name : known)
    names.push_back(name.str());
  return names;
}

/// Extensions that add instructions for arithmetic, by the beginning of their names. LLVM lists
/// others (of the system, of cryptography) that code for kernels never uses.
static constexpr llvm::StringLiteral usedByKernels[] = {
    "adx",   "amx",   "avx",    "bmi", "cx16", "f16c", "fma", "gfni",
    "lzcnt", "movbe", "popcnt", "sse", "ssse", "tbm",  "xop",
};

std::vector<std::string> missingOnHost(const std::vector<std::string> &features) {
  std::vector<std::string> missing;
  for (const std::string &feature : features)
    if (!hostCpu().has(feature) && llvm::any_of(usedByKernels, [&](llvm::StringRef beginning) {
          return llvm::StringRef(feature).starts_with(beginning);
        }))
      missing.push_back(feature);
  return missing;
}

} // namespace nereid::target
