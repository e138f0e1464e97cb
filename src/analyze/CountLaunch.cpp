// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/CountLaunch.h"

#include "analyze/KernelCosts.h"
#include "analyze/ProgramSample.h"
#include "analyze/Units.h"
#include "backend/nvptx/Configuration.h"
#include "dialect/nv/Nv.h"
#include "interpret/Interpreter.h"
#include "nereid/error.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;

namespace nereid::analyzer {
namespace {

/// Lanes of accesses that are run: about a second's work; and those that are written down.
constexpr uint64_t mostLanes = uint64_t(24) << 20, mostShownLanes = uint64_t(4) << 20;
constexpr uint64_t fewestPrograms = 64, mostPrograms = uint64_t(1) << 16;

/// What the executor itself finds never to end: loops in which nothing changes, and programs that
/// wait for others, which it drops there.
class EndlessLoops final : public interpret::Observer {
public:
  explicit EndlessLoops(GridExtent grid) : isAlone(grid.programs() == 1) {}

  std::optional<EndlessProgram> waiting; // the first
  void waitNeverEnds(Location loop, interpret::ProgramId program) override {
    if (isAlone) // there is none to wait for
      loopNeverEnds(loop, program);
    if (!waiting)
      waiting = EndlessProgram{loop, program.x};
  }
  void loopNeverEnds(Location loop, interpret::ProgramId program) override {
    throw EndlessProgram{loop, program.x};
  }

private:
  bool isAlone;
};

bool isAllAlike(const ArgumentSlot &slot) {
  // Elements are of 1, 2, 4 or 8 bytes.
  constexpr uint64_t period = 8, most = uint64_t(1) << 20;
  const auto *bytes = reinterpret_cast<const std::byte *>(slot.bits);
  const uint64_t count = std::min(slot.extentBytes, most);
  return bytes && count >= 2 * period && std::memcmp(bytes, bytes + period, count - period) == 0;
}

class Counting {
public:
  Counting(const backend::nvptx::EmittedKernel &kernel, std::span<const ArgumentSlot> arguments,
           GridExtent grid, const CountOptions &options)
      : slice(kernel.function), arguments(arguments.begin(), arguments.end()), grid(grid),
        options(options) {
    analysis::AxisAnalysis axes(kernel.function);
    unsigned warps = backend::nvptx::configurationOf(kernel.function)->warps;
    func::FuncOp(kernel.function).walk([&](Operation *op) {
      if (isAccess(op))
        plans.insert({op, planAccess(op, axes, warps, kernel.target)});
    });
  }

  LaunchCounts run() {
    LaunchCounts counts;
    counts.programs = grid.programs();
    counts.isGuessed = slice.isGuessed();
    const uint64_t most = this->most();
    counts.kinds = ProgramKinds{{}, ProgramSample(grid, most)};
    if (grid.programs() > most)
      followRounds(*counts.kinds, most);
    double variance = 0;
    for (const ProgramSample::Stratum &stratum : counts.kinds->sample.strata())
      variance += add(counts, stratum);
    double sectors = 0;
    for (auto &[op, access] : counts.accesses) {
      sectors += access.sectors;
      access.decides = slice.decides(op);
      access.isFound = slice.isFound(op);
    }
    counts.error = sectors ? 2 * std::sqrt(variance) / sectors : 0;
    addSharing(counts);
    addTouches(counts);
    counts.dropped = dropped;
    return counts;
  }

private:
  static bool isAccess(Operation *op) {
    return llvm::isa<tile::LoadOp, tile::StoreOp, tile::AtomicRmwOp, tile::AtomicCasOp, nv::CopyOp,
                     nv::FetchOp, nv::SendOp, nv::FetchRowOp, nv::KeepRowOp>(op);
  }

  AccessCounter count(llvm::ArrayRef<uint64_t> programs, uint64_t sectorsOfStep = 0,
                      func::FuncOp function = {}) {
    AccessCounter counter(slice, plans, unsigned(arguments.size()), options.programsAtOnce,
                          options.mostAccesses, sectorsOfStep);
    try {
      runPrograms(programs, counter, function);
    } catch (const EndlessProgram &endless) {
      refuse(endless, programs[endless.number]);
    }
    return counter;
  }

  [[noreturn]] void refuse(const EndlessProgram &endless, uint64_t program) const {
    const Place place = placeOf(endless.loop);
    const interpret::ProgramId id = interpret::programOf(program, grid);
    throw Error(Error::Kind::Usage,
                llvm::formatv("{0}:{1}: this loop does not end in program ({2}, {3}, {4}), which "
                              "was followed for {5} accesses of elements at most; nothing is "
                              "written while programs are counted, so that a loop which waits for "
                              "that goes on for ever; one that is only long is followed with more "
                              "of them (--most-accesses, most_accesses)",
                              place.file, place.line, id.x, id.y, id.z, options.mostAccesses)
                    .str());
  }

  /// Runs what would run at once on one multiprocessor, in the middle of the launch.
  void addSharing(LaunchCounts &counts) {
    constexpr uint64_t mostOfSm = 32;
    const uint64_t sms = options.multiprocessors, all = grid.programs();
    // As many as most multiprocessors have.
    const uint64_t ofSm =
        std::clamp<uint64_t>(llvm::divideNearest(std::min(options.programsAtOnce, all), sms), 1,
                             std::max<uint64_t>(1, mostLanes / lanesOfProgram));
    std::vector<uint64_t> programs;
    const uint64_t first = (all - std::min(all, sms * ofSm)) / 2;
    for (uint64_t i = 0; i < std::min(ofSm, mostOfSm) && first + i * sms < all; ++i)
      programs.push_back(first + i * sms);
    // What they load between two loads of the same has to find room.
    const double step = std::max(0.0, options.l1Bytes) / sectorBytes / double(programs.size());
    AccessCounter counter = count(programs, uint64_t(step));
    for (auto &[number, tally] : counter.arrayTallies()) {
      ArrayCounts &array = counts.arrays[number];
      array.readOnSm = double(std::min(tally.read, tally.readByPrograms));
      if (tally.readByPrograms)
        array.shareOnSm = array.readOnSm / double(tally.readByPrograms);
      if (tally.readByPrograms)
        array.inStepOnSm = double(tally.readInStep) / double(tally.readByPrograms);
    }
  }

  /// As many as are quickly run, and at least one.
  void addTouches(LaunchCounts &counts) {
    counts.shown = programsToShow(grid);
    const uint64_t most = std::max<uint64_t>(1, mostShownLanes / lanesOfProgram);
    if (counts.shown.size() > most)
      counts.shown.resize(most);
    TouchRecorder recorder(slice, plans);
    runPrograms(counts.shown, recorder);
    counts.touches = std::move(recorder.programs);
    counts.patterns = std::move(recorder.patterns);
  }

  /// Says of each program which rounds and branches it takes, where programs differ in that and
  /// there are not too many, and takes a sample that has each amount of them.
  void followRounds(ProgramKinds &kinds, uint64_t most) {
    constexpr uint64_t mostFollowed = uint64_t(1) << 16, mostBegun = uint64_t(1) << 21, first = 64;
    if (!slice.rounds() || grid.programs() > mostFollowed)
      return;
    std::vector<unsigned> ofPrograms;
    uint64_t begun = 0; // blocks of operations
    while (ofPrograms.size() < grid.programs()) {
      const uint64_t done = ofPrograms.size(), mean = done ? begun / done + 1 : 0;
      const uint64_t next = done ? std::max<uint64_t>(1, (mostBegun - begun) / mean) : first;
      std::vector<uint64_t> programs;
      for (uint64_t i = done; i < std::min(grid.programs(), done + std::min(done + first, next));
           ++i)
        programs.push_back(i);
      AccessCounter counter = count(programs, 0, slice.rounds());
      for (auto [block, times] : counter.blockCounts())
        begun += times;
      if (begun >= mostBegun)
        return;
      llvm::append_range(ofPrograms, numbersOf(kinds, counter));
    }
    std::vector<uint64_t> works;
    for (unsigned kind : ofPrograms) {
      uint64_t &work = works.emplace_back(0);
      for (auto [block, times] : kinds.kinds[kind])
        work += times;
    }
    kinds.ofPrograms = std::move(ofPrograms);
    kinds.sample = ProgramSample(grid, most, works);
  }

  /// Runs the programs in order.
  void runPrograms(llvm::ArrayRef<uint64_t> programs, interpret::Listener &listener,
                   func::FuncOp function = {}) {
    std::vector<int32_t> places;
    for (uint64_t program : programs)
      for (uint64_t at : {program % grid.x, program / grid.x % grid.y, program / grid.x / grid.y})
        places.push_back(int32_t(at));
    std::byte probed{};
    std::vector<ArgumentSlot> slots = arguments;
    slots.push_back({reinterpret_cast<uint64_t>(places.data()), places.size() * sizeof(int32_t)});
    slots.push_back({reinterpret_cast<uint64_t>(&probed), 1});
    for (uint32_t extent : {grid.x, grid.y, grid.z})
      slots.push_back({extent, 0});
    EndlessLoops observer(grid);
    interpret::Listener *listeners[] = {&listener};
    interpret::run(function ? function : slice.function(), slots, {uint32_t(programs.size()), 1, 1},
                   observer, {.listeners = listeners});
    if (observer.waiting && !dropped)
      dropped = {placeOf(observer.waiting->loop),
                 interpret::programOf(programs[observer.waiting->number], grid)};
  }

  /// How many programs to run.
  uint64_t most() {
    if (options.mostPrograms)
      return options.mostPrograms;
    const uint64_t middle = grid.programs() / 2;
    lanesOfProgram = std::max<uint64_t>(1, count(middle).lanes());
    return std::clamp(mostLanes / lanesOfProgram, fewestPrograms, mostPrograms);
  }

  /// The stratum's variance of the number of sectors.
  double add(LaunchCounts &counts, const ProgramSample::Stratum &stratum) {
    AccessCounter counter = count(stratum.programs);
    lanesOfProgram = std::max(lanesOfProgram, counter.lanes() / stratum.programs.size());
    const auto run = double(stratum.programs.size());
    const double weight = double(stratum.size) / run;
    counts.programsRun += stratum.programs.size();
    for (auto &[op, tally] : counter.accessTallies())
      addAccess(counts.accesses[op], plans.find(op)->second, tally, weight);
    for (auto [block, count] : counter.blockCounts())
      counts.blocks[block] += double(count) * weight;
    for (auto &[number, tally] : counter.arrayTallies())
      addArray(counts.arrays[number], number, tally, weight);
    counts.kinds->ofStrata.push_back(numbersOf(*counts.kinds, counter));
    for (unsigned kind : counter.kindsOfPrograms())
      for (auto [block, times] : counter.kinds()[kind])
        counts.squares[block] += double(times) * double(times) * weight;
    uint64_t all = 0;
    for (uint64_t sectors : counter.sectorsOfPrograms())
      all += sectors;
    const double mean = double(all) / run; // exact where all are alike
    double squares = 0;
    for (uint64_t sectors : counter.sectorsOfPrograms())
      squares += (double(sectors) - mean) * (double(sectors) - mean);
    if (run < 2 || run >= double(stratum.size))
      return 0;
    const auto size = double(stratum.size);
    return size * size * (squares / (run - 1)) / run * (1 - run / size);
  }

  /// Of each program that was counted, the number of what it does.
  std::vector<unsigned> numbersOf(ProgramKinds &all, const AccessCounter &counter) {
    std::vector<unsigned> numbers;
    for (const BlockTimes &kind : counter.kinds()) {
      auto [found, isNew] = kindNumbers.try_emplace(kind, unsigned(all.kinds.size()));
      if (isNew)
        all.kinds.push_back(kind);
      numbers.push_back(found->second);
    }
    std::vector<unsigned> programs;
    for (unsigned kind : counter.kindsOfPrograms())
      programs.push_back(numbers[kind]);
    return programs;
  }

  void addAccess(AccessCounts &counts, const AccessPlan &plan, const AccessTally &tally,
                 double weight) {
    counts.plan = plan;
    counts.requests += double(tally.requests) * weight;
    counts.sectors += double(tally.sectors) * weight;
    counts.leastSectors += double(tally.leastSectors) * weight;
    counts.bytes += double(tally.bytes) * weight;
    counts.pairs += double(tally.pairs) * weight;
    counts.partial += double(tally.partial) * weight;
    counts.outside += double(tally.outside) * weight;
    if (tally.hasOneStride && tally.laneStride)
      counts.laneStride = *tally.laneStride;
    if (!counts.array)
      counts.array = tally.array;
    if (counts.lanesOfRequest.empty())
      counts.lanesOfRequest = tally.lanesOfRequest;
  }

  void addArray(ArrayCounts &counts, unsigned number, const ArrayTally &tally, double weight) {
    double most = std::numeric_limits<double>::infinity();
    if (number) {
      const ArgumentSlot &slot = arguments[number - 1];
      counts.name = nameOf(number);
      counts.bytes = slot.extentBytes;
      counts.isAllAlike = isAllAlike(slot);
      most = std::ceil(double(counts.bytes) / 32);
    } else {
      counts.name = unownedName;
    }
    // Of a sample it is not known what other programs share with it.
    auto addDifferent = [&](double &sum, uint64_t sectors) {
      sum = std::min(most, sum + double(sectors) * weight);
    };
    addDifferent(counts.read, tally.read);
    addDifferent(counts.readPairs, tally.readPairs);
    addDifferent(counts.written, tally.written);
    counts.readByPrograms += double(tally.readByPrograms) * weight;
    counts.readByWaves += double(tally.readByWaves) * weight;
    counts.throughL1 += double(tally.throughL1) * weight;
    counts.pastL1 += double(tally.pastL1) * weight;
    counts.sent += double(tally.sent) * weight;
  }

  std::string nameOf(unsigned number) {
    auto name = slice.function().getArgAttrOfType<StringAttr>(number - 1, tile::nameAttr);
    return name ? name.str() : std::string();
  }

  AddressSlice slice;
  std::vector<ArgumentSlot> arguments;
  GridExtent grid;
  CountOptions options;
  uint64_t lanesOfProgram = 1;
  std::optional<LaunchCounts::Dropped> dropped;
  llvm::MapVector<Operation *, AccessPlan> plans;
  std::map<BlockTimes, unsigned> kindNumbers;
};

} // namespace

unsigned ProgramKinds::kindOf(uint64_t program) const {
  if (!ofPrograms.empty())
    return ofPrograms[program];
  const unsigned stratum = sample.stratumOf(program);
  llvm::ArrayRef<uint64_t> programs = sample.strata()[stratum].programs;
  const auto after = size_t(llvm::upper_bound(programs, program) - programs.begin());
  return ofStrata[stratum][after ? after - 1 : 0];
}

double LaunchCounts::skewOf(mlir::Block *block) const {
  const double sum = blocks.lookup(block);
  return sum > 0 ? std::max(1.0, squares.lookup(block) * double(programs) / (sum * sum)) : 1;
}

double collisionsOf(const LaunchCounts &counts) {
  std::map<unsigned, double> atomics;
  for (const auto &[op, access] : counts.accesses)
    if (access.plan.mover == Mover::Atomic)
      atomics[access.array] += access.requests;
  double most = 0;
  for (auto [number, requests] : atomics)
    if (auto array = counts.arrays.find(number); array != counts.arrays.end())
      most = std::max(most, requests / std::max(1.0, array->second.written));
  return most;
}

LaunchCounts countLaunch(const backend::nvptx::EmittedKernel &kernel,
                         std::span<const ArgumentSlot> arguments, GridExtent grid,
                         const CountOptions &options) {
  return Counting(kernel, arguments, grid, options).run();
}

} // namespace nereid::analyzer
