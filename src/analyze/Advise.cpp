// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each loss is what the prediction says without it: a kernel that waits for memory gains nothing by
// fewer bank conflicts, and is not told of them.
#include "analyze/Advise.h"

#include "analyze/AdviseUnits.h"
#include "analyze/Units.h"
#include "support/SortStably.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

namespace nereid::analyzer {
namespace {

constexpr double worthSaying = 0.03;

class Adviser {
public:
  Adviser(Analysis &analysis, const Situation &situation)
      : analysis(analysis), situation(situation),
        seconds(secondsOf(situation.demand, situation.card)) {}

  void run() {
    for (Analysis::Access &access : analysis.accesses)
      adviseSectors(access);
    for (Analysis::Access &access : analysis.accesses)
      adviseNarrow(access);
    for (Analysis::Shared &entry : analysis.shared)
      adviseConflicts(entry);
    adviseReuse();
    adviseTail();
    adviseResidence();
    adviseUnits();
    adviseSpills();
    sortStably(analysis.advice, [](const auto &a, const auto &b) { return a.gain > b.gain; });
  }

private:
  double gainOf(const Demand &better) const {
    return std::max(0.0, 1 - secondsOf(better, situation.card) / seconds);
  }

  void say(const Place &place, double gain, std::string cause, std::string accept) {
    if (gain >= worthSaying)
      analysis.advice.push_back({place, std::move(cause), std::move(accept), gain});
  }

  const Analysis::ArrayUse *arrayOf(const Analysis::Access &access) const {
    auto found = llvm::find_if(analysis.arrays,
                               [&](const auto &array) { return array.name == access.array; });
    return found == analysis.arrays.end() ? nullptr : &*found;
  }

  /// Sectors that hold more than was asked for.
  void adviseSectors(Analysis::Access &access) {
    if (access.sectors <= access.leastSectors || !access.requests)
      return;
    const double wasted = double(access.sectors - access.leastSectors);
    Demand better = situation.demand;
    better.l1Cycles -= wasted / situation.card.sectors;
    const Analysis::ArrayUse *array = arrayOf(access);
    if (array) {
      // What L1 keeps between requests is not asked of L2 again.
      better.l2Bytes -= std::max(0.0, double(access.l2Work) - double(access.bytes));
      // The other accesses of the array ask for theirs still.
      uint64_t asked = 0;
      for (const Analysis::Access &each : analysis.accesses)
        if (each.array == access.array)
          asked += each.bytes;
      const double needed = double(std::max(asked, array->memoryBytes / 8));
      better.memoryBytes -= std::max(0.0, double(array->memoryBytes) - needed);
    }
    const double gain = gainOf(better);
    access.lostSeconds = gain * seconds;
    const double ofRequest = double(access.sectors) / double(access.requests),
                 possible = double(access.leastSectors) / double(access.requests);
    std::string why =
        access.isFound ? ": what lanes have loaded says where each of them accesses"
        : access.laneStride > 1 || access.laneStride < 0
            ? llvm::formatv(": neighbouring lanes lie {0} elements apart", access.laneStride)
            : std::string();
    std::string accept =
        access.isFound ? betterFound(access)
        : access.laneStride > 1
            ? "let the innermost index of the tile run along the dimension of stride 1; to turn a "
              "tile over, load it as it lies, tl.trans it and store it as it lies"
            : "begin rows at multiples of 32 bytes, and make the tile's innermost extent a "
              "multiple of 32 bytes";
    say(access.place, gain,
        llvm::formatv("{0} of {1}: {2:f1} sectors for each request where {3:f1} are possible{4}",
                      access.kind, access.array, ofRequest, possible, why),
        std::move(accept));
  }

  /// Where rows begin and how large tiles are changes nothing of what indices say.
  static std::string betterFound(const Analysis::Access &access) {
    if (access.kind == "atomic")
      return "add up in a program what falls together (tl.histogram, or sums of its own), and add "
             "to the array once for each place; or sort the indices, so that neighbouring lanes "
             "add to neighbouring elements";
    return "sort or group the indices, so that neighbouring lanes access neighbouring elements, or "
           "take whole rows by them: of each index the elements of a dimension of stride 1, 32 "
           "bytes or more";
  }

  /// Requests of less than 16 bytes a lane, where threads wait for their number and not for bytes.
  void adviseNarrow(const Analysis::Access &access) {
    if (access.bytesOfLane >= 16 || !access.bytesOfLane || access.laneStride != 1 ||
        access.requests < analysis.programs)
      return;
    Demand better = situation.demand;
    const double requests = double(access.requests);
    better.l1Cycles -= std::max(0.0, requests - requests * access.bytesOfLane / 16) * 0.5;
    say(access.place, gainOf(better),
        llvm::formatv("{0} of {1}: {2} bytes for each lane at once, where 16 are possible",
                      access.kind, access.array, access.bytesOfLane),
        "pass strides and sizes that are multiples of 16 (or say tl.multiple_of), and mask along "
        "the innermost dimension by a multiple of 16");
  }

  void adviseConflicts(Analysis::Shared &entry) {
    if (entry.wavefronts <= entry.leastWavefronts)
      return;
    Demand better = situation.demand;
    better.sharedCycles -= double(entry.wavefronts - entry.leastWavefronts);
    const double gain = gainOf(better);
    entry.lostSeconds = gain * seconds;
    say(entry.place, gain,
        llvm::formatv("bank conflicts: {0:f1} wavefronts for each request of shared memory ({1}) "
                      "where {2:f1} are possible",
                      double(entry.wavefronts) / double(entry.requests), entry.kind,
                      double(entry.leastWavefronts) / double(entry.requests)),
        "another shape of the tile, or elements of 16 bits or more along the rows that are read");
  }

  bool isFound(const std::string &array) const {
    return llvm::any_of(analysis.accesses, [&](const Analysis::Access &access) {
      return access.array == array && access.isFound;
    });
  }

  double wastedBytes(const std::string &array) const {
    double bytes = 0;
    for (const Analysis::Access &access : analysis.accesses)
      if (access.array == array && access.sectors > access.leastSectors)
        bytes += double(access.sectors - access.leastSectors) * sectorBytes;
    return bytes;
  }

  /// Bytes that are asked for again. Tiles twice as large along both axes ask half as often, of all
  /// arrays at once: of L2, of L1, and of shared memory where they pass through it.
  void adviseReuse() {
    Demand better = situation.demand;
    std::string names, times;
    for (const Analysis::ArrayUse &array : analysis.arrays) {
      const double once = double(array.readBytes + array.writtenBytes);
      // What comes along unasked is another matter.
      const double asked = double(array.askedBytes) - wastedBytes(array.name);
      if (asked < 4 * once || once == 0 || isFound(array.name))
        continue;
      better.l2Bytes -= asked / 2;
      better.memoryBytes -= std::max(0.0, double(array.memoryBytes) - once);
      better.l1Cycles -= cyclesOfL1(array.name) / 2;
      names += (names.empty() ? "" : " and ") + array.name;
      times += times.empty() ? "" : " and ";
      times += llvm::formatv("{0:f1}", asked / once).str();
    }
    if (names.empty())
      return;
    if (!analysis.products.empty())
      better.sharedCycles /= 2;
    say({}, gainOf(better), llvm::formatv("each byte of {0} is asked for {1} times", names, times),
        "larger tiles (twice as large along both axes asks half as often), and programs in groups "
        "that share rows and columns, so that L2 has them");
  }

  double cyclesOfL1(const std::string &array) const {
    double cycles = 0;
    for (const Analysis::Access &access : analysis.accesses)
      if (access.array == array && access.bytesOfLane) // boxes pass by L1
        cycles +=
            std::max(double(access.sectors) / situation.card.sectors, double(access.requests));
    return cycles;
  }

  /// Blocks are dealt out to SMs: those that have one more than others are what all wait for.
  void adviseTail() {
    Demand better = situation.demand;
    const unsigned sms = situation.card.multiprocessors;
    if (better.unequal)
      adviseUnequal();
    if (better.blocks < sms)
      return adviseFewBlocks();
    if (better.unequal || better.blocks % sms == 0)
      return;
    const double share = shareAtWork(better, situation.card);
    const uint64_t most = (better.blocks + sms - 1) / sms;
    // As many as fill all SMs alike do the same together. One less on an SM has fewer warps there.
    const uint64_t fewer = std::max<uint64_t>(1, most - 1);
    const uint64_t resident = std::max(1u, better.residentBlocks);
    better.warpsOfSm *= double(std::min(resident, fewer)) / double(std::min(resident, most));
    better.programsOfBlock *= double(better.blocks) / double(fewer * sms);
    better.blocks = fewer * sms;
    say({}, gainOf(better),
        llvm::formatv("{0} blocks for {1} SMs: some have {2} and the others {3}, so that {4:f0} % "
                      "of the card have nothing to do",
                      situation.demand.blocks, sms, most, most - 1, 100 * (1 - share)),
        "as many blocks as SMs, or a multiple of that: tiles of another size, or a loop over the "
        "depth that is shared between programs; many small blocks leave less over");
  }

  /// SMs that have no program left wait for the longest ones.
  void adviseUnequal() {
    Demand better = situation.demand;
    better.unequal.reset();
    const double even = std::max(1.0, wavesOf(better, situation.card)) * better.programsOfBlock;
    // Where the longest alone takes longer than all of it would, another order cannot help.
    const bool isOneTooLong = analysis.longestProgram > 1.5 * even;
    say({}, gainOf(better),
        llvm::formatv(
            "programs do unequally much: ({0}, {1}, {2}) takes {3:f1} times what they take "
            "in the mean, and until the last ends SMs have one {4:f0} % of the time",
            analysis.longestX, analysis.longestY, analysis.longestZ, analysis.longestProgram,
            100 * analysis.timeAtWork),
        isOneTooLong ? "share what the longest programs do between several programs"
                     : "give the longest programs the first numbers, since blocks begin in their "
                       "order; or share what they do between several");
  }

  void adviseFewBlocks() {
    Demand better = situation.demand;
    // What a program waits for, more of them wait for at once; each waits once.
    better.waits = std::min(better.waits, std::max(1.0, better.waits * double(better.blocks) /
                                                            situation.card.multiprocessors));
    better.blocks = situation.card.multiprocessors;
    say({}, gainOf(better),
        llvm::formatv("{0} blocks for {1} SMs: the others have nothing to do",
                      situation.demand.blocks, situation.card.multiprocessors),
        "smaller tiles, or more programs that share the work of one");
  }

  /// Waiting that more blocks would hide.
  void adviseResidence() {
    if (analysis.bounds.empty() || analysis.bounds[0].name != "latency")
      return;
    if (analysis.residenceLimit == "grid")
      return adviseRounds();
    Demand better = situation.demand;
    better.residentBlocks *= 2;
    const std::string accept =
        analysis.residenceLimit == "registers"
            ? "fewer registers for each thread: smaller tiles, more warps, or --maxnreg"
        : analysis.residenceLimit == "shared memory"
            ? "less shared memory: smaller tiles or fewer stages"
            : "more work for each program, so that it has more loads on their way at once";
    say({}, gainOf(better),
        llvm::formatv("programs wait for memory, and {0} of {1} threads run at once ({2})",
                      analysis.residentBlocks * analysis.threads,
                      unsigned(analysis.residentBlocks * analysis.threads /
                               std::max(analysis.occupancy, 1e-9)),
                      "limited by " + analysis.residenceLimit),
        accept);
  }

  /// Waiting of one round after the other, while the card has room for more programs than there
  /// are.
  void adviseRounds() {
    if (situation.demand.waits + situation.demand.barriers < 2)
      return; // in the mean: the longest program has its own advice
    Demand better = situation.demand;
    better.waits = 1 + std::max(0.0, better.waits - 1) / 2;
    better.barriers /= 2;
    say({}, gainOf(better),
        llvm::formatv(
            "each program waits for memory or barriers {0:f0} times, one after the other, "
            "and the grid has no others that run meanwhile",
            situation.demand.waits + situation.demand.barriers),
        "tiles that take two rounds at once (the gain is that of half the rounds), or more "
        "programs "
        "that share the rounds");
  }

  void adviseUnits() {
    if (analysis.bounds.empty())
      return;
    const std::string &bound = analysis.bounds[0].name;
    Demand better = situation.demand;
    if ((bound == "FMA" || bound == "instructions") && situation.isFloat32Product) {
      better.fmaCycles /= 4;
      better.issueCycles /= 4;
      say({}, gainOf(better), "a product of f32 is computed by multiply-adds of threads",
          "tl.dot(..., input_precision='tf32') or factors of 16 bits: tensor cores multiply those");
    } else if (std::optional<UnitAdvice> busy = adviseBusyUnit(analysis, situation)) {
      say(busy->place, gainOf(busy->better), std::move(busy->cause), std::move(busy->accept));
    }
    if (bound == "memory") {
      better.memoryBytes /= 2;
      const bool isWide = llvm::any_of(analysis.accesses, [](const auto &access) {
        return access.bytesOfLane >= 16 || access.bytesOfLane == 0;
      });
      if (isWide && analysis.intensity < 4)
        say({}, gainOf(better),
            llvm::formatv("{0:f2} FLOP for each byte of memory: all else waits for memory",
                          analysis.intensity),
            "put the next operation into this kernel, or take elements of half the size: the gain "
            "is that of half the bytes");
    }
  }

  void adviseSpills() {
    if (analysis.spillStoreBytes + analysis.spillLoadBytes == 0)
      return;
    Demand better = situation.demand;
    better.l1Cycles -= better.spilled.l1Cycles;
    better.ownCycles -= better.spilled.ownCycles;
    better.l2Bytes -= better.spilled.l2Bytes;
    better.memoryBytes -= better.spilled.memoryBytes;
    say({}, std::max(worthSaying, gainOf(better)),
        llvm::formatv("registers are spilled: {0} bytes of each thread are written and {1} read",
                      analysis.spillStoreBytes, analysis.spillLoadBytes),
        "smaller tiles or more warps");
  }

  Analysis &analysis;
  const Situation &situation;
  double seconds;
};

} // namespace

void advise(Analysis &analysis, const Situation &situation) { Adviser(analysis, situation).run(); }

} // namespace nereid::analyzer
