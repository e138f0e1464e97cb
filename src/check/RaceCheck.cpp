// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/RaceCheck.h"

#include <cstring>
#include <limits>

namespace nereid::check {

using interpret::AccessEvent;
using interpret::AccessKind;
using interpret::AccessRun;
using interpret::AccessSite;

void RaceCheck::begins(const interpret::RunEvent &run) {
  grid = run.grid;
  sites = run.sites;
  newest.assign(sites.size(), AccessSets::empty);
  bool isRelevant = grid.programs() > 1 && grid.programs() < std::numeric_limits<uint32_t>::max();
  if (isRelevant)
    shadow.emplace(run);
}

void RaceCheck::enter(uint32_t program) {
  if (current.number == program)
    return;
  if (!current.isFresh())
    others[current.number] = current;
  auto found = others.find(program);
  current = found == others.end() ? Program{program} : found->second;
  if (current.time >= block.met || !block.holds(program))
    return;
  current.time = block.met;
  current.known = clocks.join(current.known, block.known);
}

/// What the program does from now on is later than what it has handed on.
void RaceCheck::advance() {
  ++current.time;
  block.latest = std::max(block.latest, current.time);
}

bool RaceCheck::isOrdered(const PastAccess &past, Clocks::Id known) const {
  if (block.holds(past.program) && past.time < block.met)
    return true;
  return clocks.covers(known, past.program, past.time);
}

/// What the program knows, and its own doings; in a kernel of threads those of its block too, as
/// far as they have met.
Clocks::Id RaceCheck::knownToAll(uint32_t time) {
  Clocks::Id known = current.known;
  if (block.met)
    known = clocks.with(known, block.first, block.count, block.met - 1);
  return clocks.with(known, current.number, time);
}

void RaceCheck::beginsBlock(uint64_t first, uint64_t count, std::span<const uint64_t> memory) {
  if (!shadow)
    return;
  enter(uint32_t(first));
  block = {uint32_t(first), uint32_t(count)};
  for (uint64_t number : memory)
    shadow->clear(number);
}

void RaceCheck::meets(uint64_t, uint64_t) {
  if (!shadow)
    return;
  enter(block.first);
  for (uint32_t i = 0; i < block.count; ++i) {
    auto found = others.find(block.first + i);
    Clocks::Id known = i == 0                  ? current.known
                       : found == others.end() ? Clocks::nothing
                                               : found->second.known;
    block.known = clocks.join(block.known, known);
  }
  block.met = ++block.latest;
  current.time = block.met;
  current.known = clocks.join(current.known, block.known);
}

void RaceCheck::meetSome(std::span<const uint64_t> programs) {
  if (!shadow)
    return;
  Clocks::Id known = Clocks::nothing;
  for (uint64_t program : programs) {
    enter(uint32_t(program));
    known = clocks.join(known, clocks.with(current.known, current.number, current.time));
  }
  for (uint64_t program : programs) {
    enter(uint32_t(program));
    current.known = clocks.join(current.known, known);
    advance();
  }
}

void RaceCheck::ends(interpret::ProgramId program) {
  if (!shadow)
    return;
  others.erase(uint32_t(interpret::numberOf(program, grid)));
  if (current.number == interpret::numberOf(program, grid))
    current = {current.number};
}

/// The access that happens now, as a set of its own.
AccessSets::Id RaceCheck::present(const AccessSite &site) {
  AccessSets::Id &last = newest[site.number];
  const PastAccess &access = sets.newest(last);
  bool isSame = last && access.program == current.number && access.time == current.time;
  if (!isSame)
    last = sets.single({current.number, current.time, site.number, site.isStrong});
  return last;
}

/// An access of another program that this one, with what is `known`, is not ordered after.
std::optional<PastAccess> RaceCheck::findRival(AccessSets::Id set, Clocks::Id known,
                                               bool isStrong) const {
  if (isStrong && sets.isStrong(set))
    return std::nullopt;
  const PastAccess *found = sets.find(set, [&](const PastAccess &past) {
    return past.program != current.number && !(isStrong && past.isStrong) &&
           !isOrdered(past, known);
  });
  return found ? std::optional(*found) : std::nullopt;
}

bool RaceCheck::isAllKnown(AccessSets::Id set) const {
  return !sets.find(set, [&](const PastAccess &past) {
    return past.program != current.number && !isOrdered(past, current.known);
  });
}

RaceCheck::StateId RaceCheck::idOf(State state) {
  auto [entry, isNew] =
      stateIds.try_emplace({state.writers, state.readers}, StateId(states.size()));
  if (isNew)
    states.push_back(state);
  return entry->second;
}

RaceCheck::Transition RaceCheck::pass(const AccessSite &site, AccessSets::Id present,
                                      Clocks::Id known, StateId before) {
  State state = states[before];
  std::optional<PastAccess> rival = findRival(state.writers, known, site.isStrong);
  if (site.kind == AccessKind::Read)
    return {before, idOf({state.writers, sets.add(state.readers, present)}), rival};
  if (!rival)
    rival = findRival(state.readers, known, site.isStrong);
  // What happened before this write needs no watching any more: who is ordered after the write is
  // ordered after that, too. After a race everything starts afresh, so that it is told once.
  if (site.kind == AccessKind::Write || rival)
    return {before, idOf({present, AccessSets::empty}), rival};
  // Atomics need no order after this one, but after plain accesses they do.
  if (isAllKnown(state.writers) && isAllKnown(state.readers))
    return {before,
            idOf({sets.add(sets.plainOf(state.writers), present), sets.plainOf(state.readers)}),
            rival};
  return {before, idOf({sets.add(state.writers, present), state.readers}), rival};
}

void RaceCheck::boundMemory() {
  constexpr size_t mostBytes = size_t(256) << 20;
  size_t bytes = sets.bytes() + clocks.bytes() + states.size() * sizeof(State) +
                 stateIds.getMemorySize() + released.getMemorySize() + others.getMemorySize();
  if (bytes <= mostBytes)
    return;
  shadow.reset();
  sets = AccessSets();
  clocks = Clocks();
  states.clear();
  states.shrink_to_fit();
  stateIds = decltype(stateIds)();
  released = decltype(released)();
  others = decltype(others)();
  block = {};
}

void RaceCheck::accesses(const AccessEvent &event) {
  if (shadow)
    boundMemory();
  if (!shadow)
    return;
  enter(uint32_t(interpret::numberOf(event.program, grid)));
  const AccessSite &site = event.site;
  // What an atomic finds out at its elements orders what stands after it. The atomic itself could
  // have come before that.
  Clocks::Id known = current.known;
  if (site.isStrong) {
    Clocks::Id &to = site.acquires ? current.known : current.found;
    to = clocks.join(to, findReleased(event));
  }
  AccessSets::Id now = present(site);
  Transition last{0, 0, std::nullopt};
  bool hasLast = false;
  forEachRun(event, [&](const AccessRun &run) {
    auto pass = [&](StateId before, const ShadowMemory::Elements &elements) {
      if (!hasLast || before != last.before)
        last = this->pass(site, now, known, before);
      hasLast = true;
      for (uint64_t i = 0; last.rival && i < elements.count; ++i)
        report(event, run, elements.offset + i * elements.step, *last.rival);
      return last.after;
    };
    shadow->replace(run.array, run.offset, uint64_t(run.count) * site.bytes, pass);
  });
  if (site.releases) {
    release(event, knownToAll(current.time));
    advance();
  } else if (site.kind == AccessKind::Atomic && current.fenced != Clocks::nothing) {
    release(event, current.fenced);
  } else if (site.kind == AccessKind::Write && !released.empty()) {
    forgetReleases(event);
  }
}

void RaceCheck::fences(interpret::ProgramId program) {
  if (!shadow)
    return;
  enter(uint32_t(interpret::numberOf(program, grid)));
  current.known = clocks.join(current.known, current.found);
  current.found = Clocks::nothing;
  current.fenced = knownToAll(current.time);
  advance();
}

/// Calls `f` with the address of each lane's element.
template <typename F> static void forEachAddress(const AccessEvent &event, F f) {
  forEachRun(event, [&](const AccessRun &run) {
    auto first = reinterpret_cast<uint64_t>(event.memory.array(run.array).base) + run.offset;
    for (int64_t i = 0; i < run.count; ++i)
      f(first + i * event.site.bytes);
  });
}

Clocks::Id RaceCheck::findReleased(const AccessEvent &event) {
  Clocks::Id all = Clocks::nothing;
  if (released.empty())
    return all;
  forEachAddress(event, [&](uint64_t address) {
    if (auto found = released.find(address); found != released.end())
      all = clocks.join(all, found->second);
  });
  return all;
}

/// Atomics that come later at the element hand on what was released there before.
void RaceCheck::release(const AccessEvent &event, Clocks::Id message) {
  forEachAddress(event, [&](uint64_t address) {
    Clocks::Id &left = released[address];
    left = clocks.join(left, message);
  });
}

/// What a plain store put there is nobody's message.
void RaceCheck::forgetReleases(const AccessEvent &event) {
  forEachAddress(event, [&](uint64_t address) { released.erase(address); });
}

int64_t RaceCheck::laneAt(const AccessEvent &event, const AccessRun &run, uint64_t offset) const {
  return run.lane + (offset > run.offset ? int64_t((offset - run.offset) / event.site.bytes) : 0);
}

/// A store of what is there already: whoever comes first, all is the same afterwards.
bool RaceCheck::changesNothing(const AccessEvent &event, const AccessRun &run, int64_t lane) const {
  if (!event.values)
    return false;
  uint64_t bytes = event.site.bytes;
  const std::byte *there =
      event.memory.array(run.array).base + run.offset + uint64_t(lane - run.lane) * bytes;
  return std::memcmp(there, event.values + uint64_t(lane) * bytes, bytes) == 0;
}

void RaceCheck::report(const AccessEvent &event, const AccessRun &run, uint64_t offset,
                       const PastAccess &rival) const {
  const auto &array = event.memory.array(run.array);
  const AccessSite &other = sites[rival.site];
  int64_t lane = laneAt(event, run, offset);
  if (changesNothing(event, run, lane))
    return;
  observer.raced({{event.site.location, event.program, lane, array.name, array.indexOf(offset),
                   event.site.kind},
                  other.location,
                  interpret::programOf(rival.program, grid),
                  other.kind});
}

} // namespace nereid::check
