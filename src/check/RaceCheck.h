// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two programs touch one element, one of them writes, they do not both do it by atomics or volatile
// loads, and nothing orders them (docs/memory-model.md). Found from what they do, not from when:
// the order in which the programs happened to run plays no part.
//
// Source: the method is that of C. Flanagan and S. Freund, FastTrack: Efficient and Precise Dynamic
// Race Detection, PLDI 2009, with sets where theirs has single accesses.
#pragma once

#include "check/AccessSets.h"
#include "check/Clocks.h"
#include "check/ShadowMemory.h"
#include "interpret/Interpreter.h"

#include <optional>

namespace nereid::check {

class RaceCheck final : public interpret::Listener {
public:
  explicit RaceCheck(interpret::Observer &observer) : observer(observer) {}

  void begins(const interpret::RunEvent &run) override;
  void accesses(const interpret::AccessEvent &event) override;
  void fences(interpret::ProgramId program) override;
  void meets(uint64_t first, uint64_t count) override;
  void meetSome(std::span<const uint64_t> programs) override;
  void beginsBlock(uint64_t first, uint64_t count, std::span<const uint64_t> memory) override;
  void ends(interpret::ProgramId program) override;

private:
  /// Of an element: who wrote it, and who read it since.
  struct State {
    AccessSets::Id writers = AccessSets::empty, readers = AccessSets::empty;
  };
  /// The number of a state, which is what stands beside an element; 0: nobody touched it.
  using StateId = uint32_t;
  struct Program {
    uint32_t number = 0, time = 1;
    Clocks::Id known = Clocks::nothing;
    /// What its relaxed atomics release since a barrier, and what they found before the next one.
    Clocks::Id fenced = Clocks::nothing, found = Clocks::nothing;
    bool isFresh() const {
      return time == 1 && known == Clocks::nothing && found == Clocks::nothing;
    }
  };
  /// What an access makes of an element's state.
  struct Transition {
    StateId before, after;
    std::optional<PastAccess> rival; // none: all is well
  };

  /// Ends the watch where it would need too much memory, so that races are overlooked and none is
  /// invented: a loop that waits by atomics leaves something to remember each round.
  void boundMemory();
  void enter(uint32_t program);
  void advance();
  bool isOrdered(const PastAccess &past, Clocks::Id known) const;
  Clocks::Id knownToAll(uint32_t time);
  AccessSets::Id present(const interpret::AccessSite &site);
  Transition pass(const interpret::AccessSite &site, AccessSets::Id present, Clocks::Id known,
                  StateId before);
  StateId idOf(State state);
  std::optional<PastAccess> findRival(AccessSets::Id set, Clocks::Id known, bool isStrong) const;
  bool isAllKnown(AccessSets::Id set) const;
  Clocks::Id findReleased(const interpret::AccessEvent &event);
  void release(const interpret::AccessEvent &event, Clocks::Id message);
  void forgetReleases(const interpret::AccessEvent &event);
  void report(const interpret::AccessEvent &event, const interpret::AccessRun &run, uint64_t offset,
              const PastAccess &rival) const;
  int64_t laneAt(const interpret::AccessEvent &event, const interpret::AccessRun &run,
                 uint64_t offset) const;
  bool changesNothing(const interpret::AccessEvent &event, const interpret::AccessRun &run,
                      int64_t lane) const;

  /// Of a kernel of threads, the block that runs: what its threads did before they last met is
  /// known to all of them. Their times go on together from there.
  struct Block {
    uint32_t first = 0, count = 0, met = 0, latest = 1;
    /// What any of them knew of other blocks.
    Clocks::Id known = Clocks::nothing;

    bool holds(uint32_t program) const { return program - first < count; }
  };

  interpret::Observer &observer;
  GridExtent grid;
  std::span<const interpret::AccessSite> sites;
  std::optional<ShadowMemory> shadow; // none: nobody can race
  AccessSets sets;
  Clocks clocks;
  Program current;
  Block block;
  llvm::DenseMap<uint32_t, Program> others; // those that know or released something
  std::vector<State> states = {{}};
  llvm::DenseMap<std::pair<AccessSets::Id, AccessSets::Id>, StateId> stateIds;
  std::vector<AccessSets::Id> newest; // of each site
  /// What an element hands over to who acquires there, by address.
  llvm::DenseMap<uint64_t, Clocks::Id> released;
};

} // namespace nereid::check
