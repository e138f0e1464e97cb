// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who touched an element: sets of accesses. Neighbouring elements have mostly the same ones, so
// each set is kept once and an element holds its number.
#pragma once

#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace nereid::check {

/// One site as one program ran it at one time of its clock.
struct PastAccess {
  uint32_t program, time, site;
  bool isStrong;
};

class AccessSets {
public:
  using Id = uint32_t;
  static constexpr Id empty = 0;

  AccessSets() : nodes(1) {}
  /// The set of that one alone.
  Id single(const PastAccess &access);
  /// The set with one more, of which `one` is the set alone.
  Id add(Id set, Id one);
  /// Those that are not strong.
  Id plainOf(Id set);
  /// How much memory they take, about.
  size_t bytes() const {
    return nodes.size() * sizeof(Node) + sums.getMemorySize() + plains.getMemorySize();
  }
  const PastAccess &newest(Id set) const { return nodes[set].access; }
  /// Whether all of them are strong.
  bool isStrong(Id set) const { return !nodes[set].hasPlain; }
  /// The first, from the newest on, for which `matches` holds; null if there is none.
  template <typename F> const PastAccess *find(Id set, F matches) const {
    for (; set; set = nodes[set].next)
      if (matches(nodes[set].access))
        return &nodes[set].access;
    return nullptr;
  }

private:
  /// Beyond as many, the older ones are forgotten.
  static constexpr uint32_t mostAccesses = 256;
  struct Node {
    PastAccess access = {};
    Id next = empty;
    uint32_t count = 0;
    bool hasPlain = false, hasStrong = false;
  };
  std::vector<Node> nodes;
  llvm::DenseMap<std::pair<Id, Id>, Id> sums;
  llvm::DenseMap<Id, Id> plains; // of sets that have some of each
};

} // namespace nereid::check
