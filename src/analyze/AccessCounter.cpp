// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/AccessCounter.h"

#include "analyze/Units.h"
#include "support/Check.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace nereid::analyzer {

using interpret::AccessEvent, interpret::AddressSpace;

namespace {

/// Arrays of that many sectors or more (4 GiB) are not followed sector by sector.
constexpr uint64_t mostSectors = uint64_t(1) << 27;

/// Of what a program may access, what a round of a loop takes.
constexpr uint64_t lanesOfRound = 4;

/// Of what lies in no argument's array so many sectors are followed.
constexpr uint64_t mostUnowned = uint64_t(1) << 22;

void addAsked(ArrayTally &tally, Mover mover) {
  if (writes(mover))
    ++tally.sent;
  if (reads(mover))
    ++(mover == Mover::Load ? tally.throughL1 : tally.pastL1);
}

/// The operation, or what it stands in; null outside of loops.
mlir::Operation *loopOf(mlir::Operation *op) {
  while (op && !llvm::isa<mlir::scf::ForOp, mlir::scf::WhileOp>(op))
    op = op->getParentOp();
  return op;
}

/// In bytes from the beginning of the array, which is taken to lie at a multiple of 256: as GPUs'
/// allocators give them.
int64_t offsetOf(const AddressSpace &memory, uint64_t pointer, unsigned array) {
  return int64_t(pointer - memory.array(array).origin);
}

std::vector<int64_t> lanesOf(const AccessEvent &event, const AccessPlan::Warp &lanes,
                             unsigned array) {
  std::vector<int64_t> offsets;
  for (int32_t element : lanes) {
    bool asks = element >= 0 && (!event.mask || event.mask[element]);
    offsets.push_back(asks ? offsetOf(event.memory, event.pointers[element], array) : -1);
  }
  return offsets;
}

/// The sectors of one request, and how much of each is asked for. Few, and mostly in order.
class SectorSet {
public:
  struct Sector {
    int64_t number;
    uint32_t asked; // a bit for each byte: lanes may ask for the same ones

    unsigned bytes() const { return std::popcount(asked); }
  };
  void insert(int64_t first, uint64_t bytes) {
    const int64_t end = first + int64_t(bytes);
    for (int64_t at = first; at < end;) {
      const int64_t number = at >> sectorShift, next = std::min(end, (number + 1) << sectorShift);
      const auto rest = unsigned(at & (sectorBytes - 1));
      add({number, llvm::maskTrailingOnes<uint32_t>(unsigned(next - at)) << rest});
      at = next;
    }
  }
  llvm::ArrayRef<Sector> finish() {
    if (!isSorted) {
      llvm::sort(sectors, [](const Sector &a, const Sector &b) { return a.number < b.number; });
      for (const Sector &sector : std::exchange(sectors, {}))
        add(sector);
    }
    return sectors;
  }

private:
  void add(Sector sector) {
    if (!sectors.empty() && sectors.back().number == sector.number) {
      sectors.back().asked |= sector.asked;
      return;
    }
    isSorted &= sectors.empty() || sectors.back().number < sector.number;
    sectors.push_back(sector);
  }

  llvm::SmallVector<Sector, 64> sectors;
  bool isSorted = true;
};

} // namespace

void AccessCounter::begins(const interpret::RunEvent &event) {
  sites.clear();
  for (const interpret::AccessSite &site : event.sites)
    sites.push_back({slice.accessAt(site.location), slice.blockAt(site.location)});
  timesNow.assign(sites.size(), 0);
}

unsigned AccessCounter::arrayOf(uint64_t pointer) const {
  const uint64_t number = AddressSpace::numberOf(pointer);
  return number <= argumentCount ? unsigned(number) : 0;
}

void AccessCounter::ends(interpret::ProgramId) {
  perProgram.push_back(sectorsNow);
  auto [kind, isNew] = kindNumbers.try_emplace(timesNow, unsigned(kindList.size()));
  if (isNew) {
    BlockTimes &times = kindList.emplace_back();
    for (auto [site, count] : llvm::zip(sites, timesNow))
      if (count)
        times.push_back({site.block, count});
  }
  kindOfPrograms.push_back(kind->second);
  timesNow.assign(sites.size(), 0);
  sectorsNow = lanesOfThis = 0;
  ++turn;
}

void AccessCounter::accesses(const AccessEvent &event) {
  const Site &site = sites[event.site.number];
  if (!site.block && !site.access)
    return; // where in its grid a program is
  lanesOfThis += site.access ? uint64_t(event.lanes) : lanesOfRound;
  if (lanesOfThis > mostLanesOfProgram)
    if (auto *loop = loopOf(site.block ? site.block->getParentOp() : site.access))
      throw EndlessProgram{loop->getLoc(), event.program.x};
  if (site.block) {
    ++blocks[site.block];
    ++timesNow[event.site.number];
  }
  if (!site.access)
    return;
  laneCount += event.lanes;
  const AccessPlan &plan = plans.find(site.access)->second;
  AccessTally &tally = tallies[site.access];
  ++tally.executions;
  if (isOfEngine(plan.mover))
    countBoxes(event, plan, tally);
  else
    countThreads(event, plan, tally);
}

void AccessCounter::noteStride(AccessTally &tally, const AccessEvent &event,
                               const AccessPlan::Warp &lanes) {
  if (!tally.hasOneStride || lanes[0] < 0 || lanes[1] < 0)
    return;
  int64_t stride = int64_t(event.pointers[lanes[1]] - event.pointers[lanes[0]]);
  tally.hasOneStride = !tally.laneStride || *tally.laneStride == stride;
  tally.laneStride = stride;
}

void AccessCounter::countThreads(const AccessEvent &event, const AccessPlan &plan,
                                 AccessTally &tally) {
  const uint64_t bytes = uint64_t(plan.together) * plan.elementBytes;
  for (const AccessPlan::Warp &lanes : plan.requests) {
    // Lanes that hold the same element ask for it together.
    llvm::SmallVector<int32_t, 32> asked;
    for (int32_t element : lanes)
      if (element >= 0 && (!event.mask || event.mask[element]))
        asked.push_back(element);
    if (asked.empty())
      continue; // no thread asks for anything
    llvm::sort(asked);
    asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
    SectorSet set;
    unsigned array = 0;
    for (int32_t element : asked) {
      array = arrayOf(event.pointers[element]);
      set.insert(offsetOf(event.memory, event.pointers[element], array), bytes);
    }
    noteStride(tally, event, lanes);
    if (tally.lanesOfRequest.empty())
      tally.lanesOfRequest = lanesOf(event, lanes, array);
    tally.array = tally.array ? tally.array : array;
    ++tally.requests;
    tally.bytes += asked.size() * bytes;
    uint64_t different = 0; // bytes
    int64_t pair = std::numeric_limits<int64_t>::min();
    for (const SectorSet::Sector &sector : set.finish()) {
      ++tally.sectors;
      ++sectorsNow;
      tally.pairs += sector.number >> 1 != pair;
      pair = sector.number >> 1;
      different += sector.bytes();
      tally.partial += sector.bytes() < sectorBytes;
      tally.outside += !touch(event.memory, array, sector.number, plan.mover);
    }
    tally.leastSectors += (different + sectorBytes - 1) / sectorBytes;
    if (plan.mover == Mover::Copy) {
      const uint64_t more = sectorsOfGroups(event, lanes, bytes) - set.finish().size();
      tally.sectors += more;
      sectorsNow += more;
    }
  }
}

/// cp.async takes 128 bytes of neighbouring lanes at once, and what two such groups ask for counts
/// twice, as ncu has it (H200).
uint64_t AccessCounter::sectorsOfGroups(const AccessEvent &event, const AccessPlan::Warp &lanes,
                                        uint64_t bytes) const {
  constexpr uint64_t together = 128;
  uint64_t sectors = 0;
  for (size_t first = 0; first < lanes.size(); first += together / bytes) {
    SectorSet set;
    for (size_t lane = first; lane < std::min(first + together / bytes, lanes.size()); ++lane)
      if (const int32_t element = lanes[lane];
          element >= 0 && (!event.mask || event.mask[element])) {
        const unsigned array = arrayOf(event.pointers[element]);
        set.insert(offsetOf(event.memory, event.pointers[element], array), bytes);
      }
    sectors += set.finish().size();
  }
  return sectors;
}

void AccessCounter::countBoxes(const AccessEvent &event, const AccessPlan &plan,
                               AccessTally &tally) {
  uint64_t bytes = 0;
  int64_t before = std::numeric_limits<int64_t>::min();
  for (int64_t row = 0; row + 1 < event.lanes; row += 2) {
    if (event.mask && !event.mask[row])
      continue;
    const unsigned array = arrayOf(event.pointers[row]);
    tally.array = tally.array ? tally.array : array;
    const int64_t first = offsetOf(event.memory, event.pointers[row], array),
                  end = offsetOf(event.memory, event.pointers[row + 1], array) + plan.elementBytes;
    bytes += uint64_t(end - first);
    for (int64_t sector = first >> sectorShift; sector <= (end - 1) >> sectorShift; ++sector) {
      if (sector == before)
        continue; // two rows share it
      ++tally.sectors;
      ++sectorsNow;
      tally.pairs += sector >> 1 != before >> 1;
      touch(event.memory, array, sector, plan.mover);
      before = sector;
    }
  }
  tally.requests += plan.boxes;
  tally.bytes += bytes;
  tally.leastSectors += (bytes + sectorBytes - 1) / sectorBytes;
}

bool AccessCounter::touch(const AddressSpace &memory, unsigned array, int64_t sector, Mover mover) {
  if (array == 0) {
    touchUnowned(sector, mover);
    return true;
  }
  ArrayTally &tally = arrays[array];
  const uint64_t count = (memory.array(array).extentBytes + sectorBytes - 1) / sectorBytes;
  if (sector < 0 || uint64_t(sector) >= count)
    return false;
  if (count > mostSectors) {
    addAsked(tally, mover);
    return true;
  }
  Stamps &times = stamps[array];
  if (reads(mover))
    times.read.resize(count);
  if (writes(mover))
    times.written.resize(count);
  if (sectorsOfStep && mover == Mover::Load) {
    times.behind.resize(count);
    const uint64_t before = std::exchange(times.behind[sector], sectorsNow);
    const uint32_t last = times.read[sector];
    const uint64_t apart = std::max(before, sectorsNow) - std::min(before, sectorsNow);
    tally.readInStep += last != 0 && last != turn && apart <= sectorsOfStep;
  }
  uint32_t none = 0;
  const uint64_t other = uint64_t(sector) ^ 1;
  const bool isOtherRead = reads(mover) && other < count && times.read[other] != 0;
  stamp(tally, reads(mover) ? times.read[sector] : none,
        writes(mover) ? times.written[sector] : none, isOtherRead, mover);
  return true;
}

void AccessCounter::touchUnowned(int64_t sector, Mover mover) {
  ArrayTally &tally = arrays[0];
  if (unowned.size() >= mostUnowned) { // the others count as new ones
    Stamp once;
    return stamp(tally, once.read, once.written, false, mover);
  }
  const bool isOtherRead = unowned.lookup(sector ^ 1).read != 0;
  Stamp &times = unowned[sector];
  stamp(tally, times.read, times.written, isOtherRead, mover);
}

void AccessCounter::stamp(ArrayTally &tally, uint32_t &read, uint32_t &written, bool isOtherRead,
                          Mover mover) {
  addAsked(tally, mover);
  if (writes(mover)) {
    tally.written += written == 0;
    written = uint32_t(turn);
  }
  if (!reads(mover))
    return;
  tally.read += read == 0;
  tally.readPairs += read == 0 && !isOtherRead;
  if (read != turn && mover == Mover::Load)
    ++tally.readByPrograms;
  if (read == 0 || (read - 1) / atOnce != (turn - 1) / atOnce)
    ++tally.readByWaves;
  read = uint32_t(turn);
}

} // namespace nereid::analyzer
