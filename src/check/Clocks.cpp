// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/Clocks.h"

#include <algorithm>

namespace nereid::check {

Clocks::Id Clocks::add(Clock clock) {
  entries += clock.size();
  clocks.push_back(std::move(clock));
  return Id(clocks.size() - 1);
}

Clocks::Id Clocks::join(Id a, Id b) {
  if (a == b || b == nothing)
    return a;
  if (a == nothing)
    return b;
  auto [entry, isNew] = joins.try_emplace(std::minmax(a, b), nothing);
  if (!isNew)
    return entry->second;
  const Clock &left = clocks[a], &right = clocks[b];
  Clock merged;
  merged.reserve(left.size() + right.size());
  auto i = left.begin(), j = right.begin();
  while (i != left.end() && j != right.end()) {
    if (i->program < j->program)
      merged.push_back(*i++);
    else if (j->program < i->program)
      merged.push_back(*j++);
    else
      merged.push_back({i->program, std::max(i++->time, j++->time)});
  }
  merged.insert(merged.end(), i, left.end());
  merged.insert(merged.end(), j, right.end());
  return entry->second = add(std::move(merged));
}

Clocks::Id Clocks::with(Id known, uint32_t program, uint32_t time) {
  Clock clock = clocks[known];
  auto place = std::lower_bound(clock.begin(), clock.end(), program,
                                [](const Entry &entry, uint32_t p) { return entry.program < p; });
  if (place != clock.end() && place->program == program)
    place->time = std::max(place->time, time);
  else
    clock.insert(place, {program, time});
  return add(std::move(clock));
}

Clocks::Id Clocks::with(Id known, uint32_t first, uint32_t count, uint32_t time) {
  Clock all;
  for (uint32_t i = 0; i < count; ++i)
    all.push_back({first + i, time});
  return join(known, add(std::move(all)));
}

bool Clocks::covers(Id known, uint32_t program, uint32_t time) const {
  const Clock &clock = clocks[known];
  auto place = std::lower_bound(clock.begin(), clock.end(), program,
                                [](const Entry &entry, uint32_t p) { return entry.program < p; });
  return place != clock.end() && place->program == program && place->time >= time;
}

size_t Clocks::bytes() const {
  constexpr size_t ofAllocation = 16;
  return clocks.size() * (sizeof(Clock) + ofAllocation) + entries * sizeof(Entry) +
         joins.getMemorySize();
}

} // namespace nereid::check
