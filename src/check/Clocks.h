// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs know of one another (docs/memory-model.md): vector clocks, of which most programs
// never need one.
#pragma once

#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace nereid::check {

/// Sets of "all that program p did until its time t", kept once each and named by a number. They
/// are never taken back while a launch runs; where they would need too much memory, everything is
/// taken to be known, so that races are overlooked and none is invented.
class Clocks {
public:
  using Id = uint32_t;
  /// Nothing is known.
  static constexpr Id nothing = 0;

  Clocks() : clocks(1) {}
  Id join(Id a, Id b);
  /// What `known` says, and all that `program` did until `time`.
  Id with(Id known, uint32_t program, uint32_t time);
  bool covers(Id known, uint32_t program, uint32_t time) const;

private:
  static constexpr Id everything = ~Id(0);
  /// Entries of all clocks together: 128 MiB.
  static constexpr size_t mostEntries = size_t(16) << 20;
  struct Entry {
    uint32_t program, time;
  };
  using Clock = std::vector<Entry>; // by program
  Id add(Clock clock);

  std::vector<Clock> clocks;
  size_t entries = 0;
  llvm::DenseMap<std::pair<Id, Id>, Id> joins;
};

} // namespace nereid::check
