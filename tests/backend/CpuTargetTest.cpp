// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The short list of features must mean to LLVM what the whole list means.
#include "target/CpuTarget.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace nereid::target {
namespace {

std::unique_ptr<llvm::MCSubtargetInfo> subtarget(llvm::StringRef cpu,
                                                 const std::vector<std::string> &features) {
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  return std::unique_ptr<llvm::MCSubtargetInfo>(
      target->createMCSubtargetInfo(triple, cpu, llvm::join(features, ",")));
}

std::vector<std::string> wholeList(const llvm::StringMap<bool> &features) {
  std::vector<std::string> list;
  // Absent ones first: taking one away takes what builds upon it as well.
  for (bool wanted : {false, true})
    for (const auto &[name, isPresent] : features)
      if (isPresent == wanted)
        list.push_back((isPresent ? "+" : "-") + name.str());
  return list;
}

/// Every feature LLVM knows to some CPU, and whether a machine of this kind reports it.
llvm::StringMap<bool> machine(llvm::StringRef cpu) {
  llvm::StringMap<bool> features;
  llvm::SmallVector<llvm::StringRef> cpus, ofCpu;
  llvm::X86::fillValidCPUArchList(cpus, /*Only64Bit=*/true);
  for (llvm::StringRef other : cpus) {
    ofCpu.clear();
    llvm::X86::getFeaturesForCPU(other, ofCpu);
    for (llvm::StringRef feature : ofCpu)
      features.try_emplace(feature, false);
  }
  ofCpu.clear();
  llvm::X86::getFeaturesForCPU(cpu, ofCpu);
  for (llvm::StringRef feature : ofCpu)
    features[feature] = true;
  // Every machine of 64 bits has these, though LLVM's list does not always say so.
  for (const char *feature : {"cmov", "cx8", "cx16", "fxsr", "mmx", "sse", "sse2", "64bit"})
    features[feature] = true;
  features.erase("x87"); // no host is asked for it
  return features;
}

/// LLVM keeps two tables of what a CPU has, and they differ: what the short list may lose, none of
/// it of use to kernels.
const llvm::StringSet<> &mayBeLost() {
  static const llvm::StringSet<> names = {"ptwrite", "sgx", "kl", "widekl", "invpcid", "mmx"};
  return names;
}

void expectSame(llvm::StringRef cpu, const llvm::StringMap<bool> &features) {
  std::unique_ptr<llvm::MCSubtargetInfo> whole = subtarget(cpu, wholeList(features));
  std::unique_ptr<llvm::MCSubtargetInfo> shortened =
      subtarget(cpu, featureDifferences(cpu, features));
  for (const llvm::SubtargetFeatureKV &feature : whole->getAllProcessorFeatures()) {
    bool isExpected = whole->hasFeature(feature.Value),
         isThere = shortened->hasFeature(feature.Value);
    if (isExpected != isThere && !(isExpected && mayBeLost().contains(feature.Key)))
      ADD_FAILURE() << cpu.str() << (isThere ? " gains " : " loses ") << feature.Key;
  }
}

TEST(CpuTargetTest, DifferencesMeanTheWholeList) {
  llvm::InitializeNativeTarget();
  llvm::SmallVector<llvm::StringRef> cpus;
  llvm::X86::fillValidCPUArchList(cpus, /*Only64Bit=*/true);
  ASSERT_GT(cpus.size(), 50u);
  for (llvm::StringRef cpu : cpus) {
    llvm::StringMap<bool> features = machine(cpu);
    expectSame(cpu, features);
    // A hypervisor hides something; a stepping adds something.
    for (const char *changed : {"avx2", "avx512f", "pku", "rdpru", "shstk"}) {
      llvm::StringMap<bool> other = features;
      bool isPresent = !other[changed];
      other[changed] = isPresent;
      llvm::X86::updateImpliedFeatures(changed, isPresent, other);
      EXPECT_FALSE(featureDifferences(cpu, other).empty());
      expectSame(cpu, other);
    }
  }
}

TEST(CpuTargetTest, HostDifferencesAreFew) {
  EXPECT_LT(hostCpu().featureDifferences.size(), hostCpu().features.size());
}

} // namespace
} // namespace nereid::target
