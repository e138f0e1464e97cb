// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Kind.h"

#include <cstdint>
#include <string>

namespace nereid::fuzz {

struct BatchResult {
  uint64_t accepted = 0, refused = 0;
  /// The first mutant that was not tried, or the one that has the fault.
  uint64_t next = 0;
  std::string fault;   // "ended the process by signal 11"; empty if there is none
  std::string input;   // of the fault
  std::string printed; // the last of what the child printed before it
  uint64_t slowest = 0;
  double slowestSeconds = 0;
};

/// Mutants of a kind, from `first` on, tried one after the other in a child process until one has a
/// fault, all are tried or the time is over.
class Batch {
public:
  Batch(const KindRow &kind, uint64_t seed, uint64_t first, uint64_t end, double seconds)
      : kind(kind), seed(seed), first(first), end(end), seconds(seconds) {}

  BatchResult run();

  /// What takes longer is a fault.
  static constexpr double mostSeconds = 10;

private:
  struct Shared;
  [[noreturn]] void runChild(Shared &shared, int output);
  bool tryMutant(Kind &kind, uint64_t mutant, Shared &shared);

  const KindRow &kind;
  uint64_t seed, first, end;
  double seconds;
};

} // namespace nereid::fuzz
