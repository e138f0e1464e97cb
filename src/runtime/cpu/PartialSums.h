// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs of which several threads run parts: each adds up some rounds of a loop, and whoever
// comes last goes on with the sums of all.
#pragma once

#include "runtime/Artifact.h"

#include <cstdint>
#include <memory>

namespace nereid::runtime::cpu {

class PartialSums;

/// What generated code that may share a loop (CpuCode::sharedLoop) knows of it, at the beginning of
/// LaunchContext. Its programs [begin, end) are parts then, those of one program side by side.
struct LoopParts {
  /// Of each program. 0: the first program is run up to the loop, to say how many rounds it has.
  uint64_t parts = 1;
  mutable uint64_t rounds = 0;
  PartialSums *sums = nullptr;
  /// Called behind the last round of a part, with the addresses of its sums. Whether these are
  /// those of all parts now: the other parts' programs are left.
  bool (*meet)(const LoopParts *loop, uint64_t part, void *const *sums) = nullptr;
};

/// Into how many parts the programs of a launch are divided. It depends on nothing else, so that
/// results are the same in each launch by as many threads.
uint64_t chooseParts(const SharedLoop &loop, uint64_t programs, uint64_t rounds, unsigned threads);

/// Memory in which parts leave their sums. Neighbours add theirs to one another, then pairs of
/// neighbours, and so on: in the same order whoever comes first, and nobody waits.
class PartialSums {
public:
  PartialSums(const SharedLoop &loop, uint64_t programs, uint64_t parts);
  ~PartialSums();
  PartialSums(const PartialSums &) = delete;
  PartialSums &operator=(const PartialSums &) = delete;

  /// `own` are the sums of a part, counted through all programs. True if this thread is the last of
  /// its program's: then they are the program's.
  bool meet(uint64_t part, void *const *own);

  struct Free {
    void operator()(void *memory) const;
  };
  struct Memory {
    std::unique_ptr<char, Free> bytes;
    uint64_t size = 0;
  };

private:
  struct Place;
  Place *placeOf(uint64_t part) const;
  void leave(void *const *own, char *place) const;
  void add(void *const *own, const char *place) const;

  const SharedLoop &loop;
  uint64_t parts, placeBytes;
  Memory memory;
};

} // namespace nereid::runtime::cpu
