// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/analyze.h"
#include "target/SmShares.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

namespace nereid {
namespace {

double sumOfAccesses(const Analysis &analysis, std::initializer_list<std::string_view> kinds,
                     uint64_t Analysis::Access::*member) {
  double sum = 0;
  for (const Analysis::Access &access : analysis.accesses)
    if (std::ranges::find(kinds, access.kind) != kinds.end())
      sum += double(access.*member);
  return sum;
}

double executed(const Analysis &analysis,
                std::initializer_list<uint64_t Analysis::Instructions::*> units) {
  double sum = 0;
  for (const Analysis::Instructions &line : analysis.instructions)
    for (auto unit : units)
      sum += double(line.*unit);
  return sum;
}

double sumOfShared(const Analysis &analysis, uint64_t Analysis::Shared::*member) {
  double sum = 0;
  for (const Analysis::Shared &entry : analysis.shared)
    sum += double(entry.*member);
  return sum;
}

/// Each row of gpu_counters.def, of an analysis.
struct Predicted {
  using A = const Analysis &;
  using Access = Analysis::Access;
  using Unit = Analysis::Instructions;
  static double load_requests(A a) { return sumOfAccesses(a, {"load", "copy"}, &Access::requests); }
  static double load_sectors(A a) { return sumOfAccesses(a, {"load", "copy"}, &Access::sectors); }
  static double store_requests(A a) { return sumOfAccesses(a, {"store"}, &Access::requests); }
  static double store_sectors(A a) { return sumOfAccesses(a, {"store"}, &Access::sectors); }
  static double shared_wavefronts(A a) { return sumOfShared(a, &Analysis::Shared::wavefronts); }
  static double shared_requests(A a) { return sumOfShared(a, &Analysis::Shared::requests); }
  static double l2_sectors(A a) { return double(a.l2Bytes) / 32; }
  static double memory_bytes(A a) { return double(a.memoryBytes); }
  static std::optional<double> registers(A a) {
    constexpr unsigned least = 16; // that a GPU gives a thread
    return a.isAssembled ? std::optional<double>(std::max(least, a.registers)) : std::nullopt;
  }
  static double blocks_on_sm(A a) { return a.residentBlocks; }
  static double barriers(A a) { return double(a.barriers) * (a.threads / target::warpSize); }
  static double instructions(A a) {
    return executed(a, {
#define UNIT(member, name, meaning) &Unit::member,
#include "nereid/units.def"
                       });
  }
  static double fma(A a) { return executed(a, {&Unit::fma}); }
  static double alu(A a) { return executed(a, {&Unit::alu}); }
  static double xu(A a) { return executed(a, {&Unit::special, &Unit::conversion}); }
  static double f64(A a) { return executed(a, {&Unit::f64}); }
  /// Each warp reads its threads' numbers once, which ncu counts as well.
  static double lsu(A a) {
    return executed(a, {&Unit::global, &Unit::local, &Unit::shared}) +
           double(a.blocks) * (a.threads / target::warpSize);
  }
  static double tensor(A a) { return executed(a, {&Unit::tensor}); }
  static double uniform(A a) { return executed(a, {&Unit::uniform}); }
  static double microseconds(A a) { return a.seconds * 1e6; }
};

} // namespace

std::vector<HardwareCounter> hardwareCounters(const Analysis &analysis) {
  return {
#define COUNTER(key, name, how, metrics) {#key, name, Predicted::key(analysis)},
#include "nereid/gpu_counters.def"
  };
}

} // namespace nereid
