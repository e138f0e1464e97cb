// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/AccessSets.h"

namespace nereid::check {

AccessSets::Id AccessSets::single(const PastAccess &access) {
  nodes.push_back({access, empty, 1, !access.isStrong, access.isStrong});
  return Id(nodes.size() - 1);
}

AccessSets::Id AccessSets::add(Id set, Id one) {
  const PastAccess &access = nodes[one].access;
  // A program's later access says more than its earlier one of the same kind.
  bool replaces = set && nodes[set].access.program == access.program &&
                  nodes[set].access.isStrong == access.isStrong;
  if (replaces)
    set = nodes[set].next;
  if (set == empty || nodes[set].count >= mostAccesses)
    return one;
  auto [entry, isNew] = sums.try_emplace({set, one}, empty);
  if (isNew) {
    nodes.push_back({access, set, nodes[set].count + 1, nodes[set].hasPlain || !access.isStrong,
                     nodes[set].hasStrong || access.isStrong});
    entry->second = Id(nodes.size() - 1);
  }
  return entry->second;
}

AccessSets::Id AccessSets::plainOf(Id set) {
  if (!nodes[set].hasPlain)
    return empty;
  if (!nodes[set].hasStrong)
    return set;
  if (auto known = plains.find(set); known != plains.end())
    return known->second;
  PastAccess access = nodes[set].access;
  Id others = plainOf(nodes[set].next);
  Id plain = access.isStrong ? others : others ? add(others, single(access)) : single(access);
  plains[set] = plain;
  return plain;
}

} // namespace nereid::check
