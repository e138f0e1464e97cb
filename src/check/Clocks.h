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
/// are never taken back; who keeps them watches how much they take.
class Clocks {
public:
  using Id = uint32_t;
  /// Nothing is known.
  static constexpr Id nothing = 0;

  Clocks() : clocks(1) {}
  Id join(Id a, Id b);
  /// What `known` says, and all that `program` did until `time`.
  Id with(Id known, uint32_t program, uint32_t time);
  /// The same of `count` programs from `first` on.
  Id with(Id known, uint32_t first, uint32_t count, uint32_t time);
  bool covers(Id known, uint32_t program, uint32_t time) const;
  /// How much memory all of them take, about.
  size_t bytes() const;

private:
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
