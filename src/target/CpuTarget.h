// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a CPU can do, as the CPU back end needs to know it.
#pragma once

#include "llvm/ADT/StringMap.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid::target {

struct CpuTarget {
  std::string triple;                // "x86_64-unknown-linux-gnu"
  std::string cpu;                   // LLVM's name: "znver3"
  std::vector<std::string> features; // what it has, sorted: "avx2"
  /// Where `features` differs from what `cpu` stands for, in LLVM's form: "-pku".
  std::vector<std::string> featureDifferences;
  unsigned vectorBytes = 16; // widest register that is worth using
  unsigned vectorRegisters = 16;
  bool hasFma = false;
  /// Between float16 and float32 there is an instruction.
  bool hasF16c = false;
  /// Loads and stores under a mask are one instruction for lanes of so many bytes and more; 0: for
  /// none.
  unsigned maskedLaneBytes = 0;

  /// The vector functions of the C library: those of glibc 2.<this>, none if 0.
  unsigned libmvec = 0;

  bool has(const std::string &feature) const;
};

/// `features` (name to presence) less what LLVM assumes of `cpu` anyway, sorted. LLVM reads the
/// list again for every object that it makes for a target: the whole list would cost a tenth of a
/// compilation.
std::vector<std::string> featureDifferences(llvm::StringRef cpu,
                                            const llvm::StringMap<bool> &features);

/// The machine this process runs on; found once.
const CpuTarget &hostCpu();

/// A CPU by LLVM's name for it ("x86-64", "haswell", "skylake-avx512"), with all that LLVM assumes
/// of it; "host" is hostCpu(). Nothing if LLVM has no 64-bit CPU of that name.
std::optional<CpuTarget> findCpu(llvm::StringRef name);
/// The names that findCpu() knows, "host" first.
std::vector<std::string> cpuNames();

/// Which of `features` this machine lacks, of those that kernels can make use of; empty if code
/// that uses them runs here.
std::vector<std::string> missingOnHost(const std::vector<std::string> &features);

} // namespace nereid::target
