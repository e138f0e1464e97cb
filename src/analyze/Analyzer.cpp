// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/Analyzer.h"

#include "analyze/Advise.h"
#include "analyze/DataFlow.h"
#include "analyze/InstructionCounts.h"
#include "analyze/KernelCosts.h"
#include "analyze/LoopLoads.h"
#include "analyze/Notes.h"
#include "analyze/TileExchanges.h"
#include "analyze/Units.h"
#include "analyze/predict/ProgramWorks.h"
#include "analyze/predict/Roofline.h"
#include "analyze/predict/Timeline.h"
#include "backend/nvptx/CompileKernel.h"
#include "backend/nvptx/Configuration.h"
#include "backend/nvptx/rings/ResidentBlocks.h"
#include "backend/nvptx/rings/SpreadRows.h"
#include "dialect/nv/Nv.h"
#include "support/SortStably.h"
#include "target/SmShares.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;

namespace nereid::analyzer {
namespace {

/// What L1 has besides what blocks may take as shared memory: on all of the table's SMs 28 KB.
constexpr double l1BesideShared = 28 << 10;
/// Of L2, what was written last stays in it when the launch ends: 24 of 50 MB on an H200, measured.
constexpr double shareKept = 0.48;
/// L2 is busy for two sectors where it is asked for one, and where the ends of what lanes side by
/// side store are parts of sectors; for one of those that each lane writes a part of, for five: 4.2
/// million of the first and of the last kind took 31 and 68 us on an H200, measured.
constexpr double bytesOfPair = 64, bytesOfPartial = 160;
constexpr double schedulersOfSm = 4; // each gives an instruction of a warp in a cycle
/// Multiprocessors side by side that ask for the same lines are answered together: of what ring
/// loads ask for again L2 saw 1 / 2.2 in products on an H200, measured, where all take their rounds
/// at the pace of tensor cores; nothing of it in attention.
constexpr double joined = 2.2;
/// And where an SM has more programs than that at once, which take turns: 1 / 1.3, measured of
/// three and of eight.
constexpr double mostInStep = 2, joinedOfMany = 1.3;
/// What L1 holds of its size before what is read again is not there any more: of 254 kB of 258
/// nothing was, on an H200.
constexpr double shareOfL1 = 0.9;

/// At once, on an SM that has most of them.
double blocksOnSm(const Analysis &analysis, const target::Card &card) {
  return std::min<double>(analysis.residentBlocks,
                          std::ceil(double(analysis.blocks) / card.multiprocessors));
}

/// Where ptxas is not there to say: what kernels of the gallery take at the median.
constexpr unsigned usualRegisters = 64;

/// Whether a loop multiplies twice and computes functions of what it has multiplied (attention): a
/// warp's tensor cores and its arithmetic wait for each other then, of this round or of the next.
void findChains(func::FuncOp kernel, Demand &demand) {
  bool areAhead = true;
  kernel.walk([&](scf::ForOp loop) {
    unsigned products = 0, ahead = 0;
    bool hasFunctions = false;
    loop.getBody()->walk([&](Operation *op) {
      products += llvm::isa<tile::DotOp, nv::MultiplyOp>(op);
      ahead += llvm::isa<nv::MultiplyOp>(op);
      hasFunctions |=
          llvm::isa<math::ExpOp, math::Exp2Op>(op) && tile::isTile(op->getResult(0).getType());
    });
    if (products > 1 && hasFunctions) {
      demand.hasChainedProducts = true;
      areAhead &= ahead == products;
    }
  });
  demand.areProductsAhead = areAhead;
}

class Report {
public:
  Report(Analysis &analysis, const backend::nvptx::EmittedKernel &kernel, const Request &request)
      : analysis(analysis), kernel(kernel), request(request), card(request.card),
        grid(request.grid) {}

  void fill() {
    if (const unsigned blocks = backend::nvptx::blocksOfProgram(kernel.function); blocks > 1) {
      grid.x *= blocks;
      analysis.notes.push_back(std::to_string(blocks) +
                               " blocks run a program together, each a part "
                               "of its rows: they are counted as programs of their own");
    }
    findChains(kernel.function, demand);
    analysis.threads = kernel.threads;
    analysis.sharedBytes = unsigned(kernel.sharedBytes);
    analysis.multiprocessors = card.multiprocessors;
    addAssembly();
    addResidence();
    const uint64_t atOnce = uint64_t(card.multiprocessors) * analysis.residentBlocks;
    counts = countLaunch(
        kernel, request.arguments, grid,
        {request.programs, atOnce,
         request.mostAccesses ? request.mostAccesses : AccessCounter::usualLanesOfProgram,
         l1Bytes(), card.multiprocessors});
    analysis.programs = counts.programs;
    analysis.programsRun = counts.programsRun;
    analysis.countError = counts.error;
    addWaves();
    KernelCosts costs(kernel, counts, analysis.blocks);
    costs.addTo(analysis);
    addArrays();
    addAccesses();
    addTouches();
    analysis.flow = dataFlow(kernel, counts);
    analysis.exchanges = exchangesOf(kernel, counts);
    instructions = countInstructions(kernel, counts, analysis.blocks, analysis);
    addDemand(costs);
    addNotes(analysis, counts);
    analysis.bounds = boundsOf(demand, card);
    analysis.seconds = secondsOf(demand, card);
    analysis.bound = analysis.bounds.front().name;
    addRoofline(analysis, card, costs);
    analysis.timeline = timelineOf(analysis, card, secondsOfBarrier(card));
    bool isFloat32Product =
        llvm::any_of(analysis.products, [](const auto &p) { return p.instruction == "fma"; });
    advise(analysis, {card, demand, isFloat32Product});
  }

private:
  void addAssembly() {
    if (const auto &report = kernel.assembly) {
      analysis.isAssembled = true;
      analysis.registers = report->registers;
      analysis.spillStoreBytes = report->spillStores;
      analysis.spillLoadBytes = report->spillLoads;
      analysis.stackBytes = report->stackBytes;
    } else {
      analysis.notes.push_back(
          "ptxas is not in PATH: registers and spills are not known, and blocks that run at once "
          "are counted as if each thread had " +
          std::to_string(usualRegisters) + " registers");
    }
  }

  void addResidence() {
    const target::NvidiaTarget &sm = kernel.target;
    const unsigned warps = kernel.threads / target::warpSize;
    const unsigned registers = analysis.isAssembled ? analysis.registers : usualRegisters;
    auto resident = [&](unsigned ofThread, uint64_t shared) {
      return backend::nvptx::residentBlocks(sm, warps, ofThread, shared);
    };
    const unsigned all = std::max(1u, resident(registers, kernel.sharedBytes));
    const unsigned free = resident(1, 0);
    auto limits = [&](unsigned blocks) { return blocks <= all && blocks < free; };
    analysis.residentBlocks = all;
    analysis.residenceLimit = limits(resident(1, kernel.sharedBytes)) ? "shared memory"
                              : limits(resident(registers, 0))        ? "registers"
                              : sm.warpsPerSm / warps <= all          ? "threads"
                                                                      : "blocks";
    analysis.occupancy = double(all) * warps / sm.warpsPerSm;
  }

  void addWaves() {
    const uint64_t places = uint64_t(card.multiprocessors) * analysis.residentBlocks;
    analysis.blocks =
        kernel.loopsOverPrograms ? std::min(analysis.programs, places) : analysis.programs;
    analysis.waves = double(analysis.blocks) / double(places);
    analysis.tail = std::ceil(analysis.waves) - analysis.waves;
    if (analysis.blocks < places && !kernel.loopsOverPrograms)
      analysis.residenceLimit = "grid";
  }

  double l1Bytes() const {
    return kernel.target.sharedPerSm + l1BesideShared -
           analysis.residentBlocks * (double(kernel.sharedBytes) + target::blockOverhead);
  }

  void addArrays() {
    double different = 0, ofSm = 0;
    for (const auto &[number, array] : counts.arrays) {
      different += (array.read + array.written) * sectorBytes;
      ofSm += array.readOnSm * sectorBytes;
    }
    fitsL1 = ofSm <= shareOfL1 * l1Bytes();
    const bool fitsL2 = different <= card.l2Bytes * shareOfL2;
    const bool isShared = llvm::any_of(counts.arrays, [](const auto &entry) {
      return entry.second.readByPrograms + entry.second.pastL1 > 1.5 * entry.second.read;
    });
    if (!fitsL2 && counts.isSample() && isShared)
      analysis.notes.push_back(
          "memory: each byte that is read counts once, though L2 does not hold all that is read");
    for (const auto &[number, array] : counts.arrays) {
      const double asked = (loadedPastL1(array, fitsL1) + pastL1(array) + array.sent) * sectorBytes;
      const double whole = std::ceil(double(array.bytes) / sectorBytes);
      const double pairs = std::min(2 * array.readPairs, std::max(array.read, whole));
      const double read = fitsL2 || counts.isSample() ? pairs : array.readByWaves;
      const double once = (array.read + array.written) * sectorBytes;
      analysis.arrays.push_back({array.name, array.bytes, rounded(array.read * sectorBytes),
                                 rounded(array.written * sectorBytes), rounded(asked),
                                 rounded(read * sectorBytes + array.written * sectorBytes * sent()),
                                 once > 0 ? asked / once : 0});
      analysis.l2Bytes += rounded(asked);
      analysis.memoryBytes += analysis.arrays.back().memoryBytes;
    }
  }

  /// The share of what is written that reaches memory while the launch runs.
  double sent() const {
    double written = 0;
    for (const auto &[number, array] : counts.arrays)
      written += array.written * sectorBytes;
    return written > 0 ? std::max(0.0, 1 - card.l2Bytes * shareKept / written) : 0;
  }

  /// Sectors that loads ask of L2. What programs of one multiprocessor load and L1 holds comes once
  /// for all that run at once, and so does what they load in step; what it holds beside the rest
  /// comes once for each multiprocessor.
  double loadedPastL1(const ArrayCounts &array, bool fitsL1) const {
    const double loaded =
        fitsL1 ? std::min(std::max(array.read, array.readByPrograms * array.shareOnSm),
                          array.throughL1)
               : std::max(array.read, array.throughL1 - array.readByPrograms * array.inStepOnSm);
    const bool stays = array.read * sectorBytes <= l1Bytes() / 2;
    return stays ? std::min(loaded, array.read * card.multiprocessors) : loaded;
  }
  double pastL1(const ArrayCounts &array) const {
    const bool areInStep = array.pastL1 >= 2 * array.read && !demand.hasChainedProducts;
    const double together = blocksOnSm(analysis, card) > mostInStep ? joinedOfMany : joined;
    return areInStep ? std::max(array.read, array.pastL1 / together) : array.pastL1;
  }

  std::string arrayName(unsigned number) const {
    auto found = counts.arrays.find(number);
    return found == counts.arrays.end() ? std::string() : found->second.name;
  }

  /// What it is, without its counts.
  Analysis::Access accessOf(Operation *op, const AccessCounts &access) const {
    const AccessPlan &plan = access.plan;
    Analysis::Access entry;
    entry.place = placeOf(op);
    entry.kind = nameOf(plan.mover);
    entry.array = access.array || access.requests > 0 ? arrayName(access.array) : std::string();
    entry.isFound = access.isFound;
    entry.bytesOfLane = isOfEngine(plan.mover) ? 0 : plan.together * plan.elementBytes;
    return entry;
  }

  static bool isAlike(const Analysis::Access &a, const Analysis::Access &b) {
    return a.place.line == b.place.line && a.place.column == b.place.column &&
           a.place.file == b.place.file && a.kind == b.kind && a.array == b.array &&
           a.bytesOfLane == b.bytesOfLane;
  }

  void addTouches() {
    llvm::DenseMap<Operation *, unsigned> numbers;
    for (const auto &[op, access] : counts.accesses) {
      const Analysis::Access like = accessOf(op, access);
      auto found =
          llvm::find_if(analysis.accesses, [&](const auto &each) { return isAlike(each, like); });
      numbers[op] = unsigned(found - analysis.accesses.begin());
    }
    analysis.touches.patterns = counts.patterns;
    for (auto [number, program] : llvm::zip(counts.shown, counts.touches)) {
      const auto x = int64_t(number % grid.x), rest = int64_t(number / grid.x);
      analysis.touches.programs.push_back({x, rest % grid.y, rest / grid.y, program.isCut, {}});
      for (TouchRecorder::Event &event : program.events) {
        auto found = numbers.find(event.access);
        if (found == numbers.end())
          continue; // no program that was counted has come there
        event.touch.access = found->second;
        analysis.touches.programs.back().events.push_back(std::move(event.touch));
      }
    }
  }

  void addAccesses() {
    for (const auto &[op, access] : counts.accesses) {
      const AccessPlan &plan = access.plan;
      Analysis::Access entry = accessOf(op, access);
      entry.requests = rounded(access.requests);
      entry.sectors = rounded(access.sectors);
      entry.leastSectors = rounded(access.leastSectors);
      entry.bytes = rounded(access.bytes);
      entry.l2Work = rounded(workOf(access));
      entry.laneStride = access.laneStride / int64_t(plan.elementBytes * plan.together);
      if (access.laneStride % int64_t(plan.elementBytes * plan.together))
        entry.laneStride = access.laneStride / int64_t(plan.elementBytes);
      entry.lanesOfRequest = access.lanesOfRequest;
      entry.layout = layoutOfAccess(op);
      addAlike(std::move(entry));
    }
    sortStably(analysis.accesses,
               [](const auto &a, const auto &b) { return a.place.line < b.place.line; });
  }

  /// What L2 is busy for, with what L1 or a neighbour answers left out.
  double workOf(const AccessCounts &access) const {
    auto found = counts.arrays.find(access.array);
    if (found == counts.arrays.end())
      return 0;
    const ArrayCounts &array = found->second;
    if (writes(access.plan.mover)) {
      const bool areEnds = access.partial <= 2 * access.requests;
      return access.partial * (areEnds ? bytesOfPair : bytesOfPartial) +
             (access.sectors - access.partial) * sectorBytes;
    }
    const bool isLoad = access.plan.mover == Mover::Load;
    const double all = isLoad ? array.throughL1 : array.pastL1;
    const double share = (isLoad ? loadedPastL1(array, fitsL1) : pastL1(array)) / all;
    return access.pairs * bytesOfPair * (all > 0 ? std::min(1.0, share) : 0);
  }

  /// Passes copy operations: what stands at one place and asks alike is one entry.
  void addAlike(Analysis::Access entry) {
    for (Analysis::Access &other : analysis.accesses)
      if (isAlike(other, entry)) {
        other.requests += entry.requests;
        other.sectors += entry.sectors;
        other.leastSectors += entry.leastSectors;
        other.bytes += entry.bytes;
        other.l2Work += entry.l2Work;
        other.laneStride = other.laneStride == entry.laneStride ? entry.laneStride : 0;
        return;
      }
    analysis.accesses.push_back(std::move(entry));
  }

  /// What L1 has is there sooner, by so much: 33 cycles of the 1,200 or so of an access to memory
  /// on an H100, and what the instructions around it take; and what L2 has, after some 270 of 480
  /// cycles ("Dissecting the NVIDIA Hopper Architecture", arXiv 2501.12084).
  double waitOf(const AccessCounts &access) const {
    constexpr double ofL1 = 0.06;
    auto found = counts.arrays.find(access.array);
    if (access.plan.mover != Mover::Load || found == counts.arrays.end() ||
        found->second.throughL1 <= 0)
      return 1;
    const ArrayCounts &array = found->second;
    const double loaded = loadedPastL1(array, fitsL1);
    const double past = std::min(1.0, loaded / array.throughL1);
    return past * waitPastL1(array, loaded) + (1 - past) * ofL1;
  }

  static double waitPastL1(const ArrayCounts &array, double loaded) {
    constexpr double ofL2 = 0.4;
    const double ofMemory = loaded > 0 ? std::min(1.0, array.readPairs * 2 / loaded) : 1;
    return ofMemory + (1 - ofMemory) * ofL2;
  }

  /// The same where L1 has nothing of it.
  double waitAheadOf(const AccessCounts &access) const {
    auto found = counts.arrays.find(access.array);
    if (access.plan.mover != Mover::Load || found == counts.arrays.end())
      return waitOf(access);
    return waitPastL1(found->second, found->second.throughL1);
  }

  /// What rounds of loops wait for, each: nothing that a ring has on its way. Rounds that the
  /// assembler writes together wait once, if they do not wait for one another; and one for whose
  /// loads there are too few registers waits several times.
  std::vector<RoundWait> roundWaits() const {
    // Of a program: with no fewer than rounds, each round is taken to have one.
    const double barriers = double(analysis.barriers) / double(analysis.programs);
    std::vector<RoundWait> waits;
    for (const auto &[op, access] : counts.accesses) {
      if (!reads(access.plan.mover) || !op->getParentOfType<scf::ForOp>())
        continue;
      const double rounds = counts.blocks.lookup(op->getBlock()) / double(counts.programs);
      double together = 1;
      const RoundsOfWait &ofWait = instructions.roundsOfWait;
      if (auto found = ofWait.find(op->getBlock()); found != ofWait.end()) {
        const bool areApart = barriers >= rounds || waitsForEarlierRounds(op);
        together = areApart ? std::min(1.0, found->second) : found->second;
      }
      const bool isAhead = access.plan.mover == Mover::Copy || isOfEngine(access.plan.mover);
      const double left = waitLeftOf(op) / together, ofAhead = 0.25 / together;
      waits.push_back({op->getBlock(), isAhead ? ofAhead : waitOf(access) * left,
                       isAhead ? ofAhead : waitAheadOf(access) * left,
                       bool(op->getParentOfType<nv::ProduceOp>())});
    }
    return waits;
  }

  /// Of machine code where it is counted; else as the kernel's operations say, since PTX has moves
  /// and sums that the assembler leaves out.
  void addUnits(const KernelCosts &costs) {
    double fma = costs.fmaLanes, integer = costs.integerLanes, special = costs.specialLanes,
           f64 = costs.doubleLanes;
    if (kernel.assembly && !kernel.assembly->listing.empty()) {
      const Analysis::Instructions sum = sumOf(analysis.instructions);
      demand.issueCycles = double(countOf(sum)) / schedulersOfSm;
      demand.ownCycles = cyclesOfWarp(analysis, instructions);
      demand.cyclesOfInstruction = cyclesOfInstruction(analysis, instructions);
      fma = double(sum.fma) * target::warpSize;
      integer = double(sum.alu) * target::warpSize;
      special = double(sum.special + sum.conversion) * target::warpSize;
      f64 = double(sum.f64) * target::warpSize;
    }
    demand.fmaCycles = fma / card.fmaLanes;
    demand.integerCycles = integer / card.integerLanes;
    demand.specialCycles = special / card.specialLanes;
    demand.doubleCycles = f64 / card.doubleLanes;
  }

  /// How often warps load and store spilled registers and arrays of their own. Counted in machine
  /// code; without it, what ptxas says of a thread is taken to be run once.
  double spillAccesses() const {
    if (kernel.assembly && !kernel.assembly->listing.empty())
      return double(sumOf(analysis.instructions).local);
    const double words = (analysis.spillStoreBytes + analysis.spillLoadBytes) / 4.0;
    return words * double(analysis.programs) * analysis.threads / target::warpSize;
  }

  void addSpilled() {
    demand.spilled = spilledOf(analysis, card, spillAccesses(), l1Bytes());
    demand.l1Cycles += demand.spilled.l1Cycles;
    demand.ownCycles += demand.spilled.ownCycles;
    demand.l2Bytes += demand.spilled.l2Bytes;
    demand.memoryBytes += demand.spilled.memoryBytes;
  }

  void addDemand(const KernelCosts &costs) {
    demand.memoryBytes = double(analysis.memoryBytes);
    demand.l2Asked = double(analysis.l2Bytes);
    if (request.isL2Dirty)
      demand.leavingBytes = std::min(card.l2Bytes * shareKept, demand.memoryBytes);
    for (const auto &[number, array] : counts.arrays)
      demand.keptBytes += array.written * sectorBytes * (1 - sent());
    for (const Analysis::Access &access : analysis.accesses)
      demand.l2Bytes += double(access.l2Work);
    for (const auto &[op, access] : counts.accesses)
      if (!isOfEngine(access.plan.mover))
        demand.l1Cycles += std::max(access.sectors / card.sectors, access.requests);
    demand.sharedCycles = costs.sharedWavefronts;
    demand.tensorCycles = costs.tensorFlops / card.tensorFlops / card.tensorShare;
    addUnits(costs);
    addSpilled();
    demand.blocks = analysis.blocks;
    demand.programsOfBlock = double(analysis.programs) / double(analysis.blocks);
    demand.residentBlocks = analysis.residentBlocks;
    demand.warpsOfSm = blocksOnSm(analysis, card) * analysis.threads / target::warpSize;
    for (const auto &[op, access] : counts.accesses) {
      demand.usesEngine |= access.plan.mover == Mover::Fetch;
      demand.copies |= access.plan.mover == Mover::Copy;
      auto atomic = llvm::dyn_cast<tile::AtomicRmwOp>(op);
      demand.addsFloats |= atomic && atomic.getKind() == tile::AtomicKind::FAdd;
    }
    demand.collisions = collisionsOf(counts);
    const std::vector<RoundWait> waits = roundWaits();
    demand.waits = waitsOf(waits, [&](mlir::Block *block) {
      return counts.blocks.lookup(block) / double(counts.programs);
    });
    demand.barriers = double(analysis.barriers) / double(analysis.programs);
    addInequality(analysis, demand, {kernel, counts, instructions, waits, card});
  }

  Analysis &analysis;
  const backend::nvptx::EmittedKernel &kernel;
  const Request &request;
  const target::Card &card;
  GridExtent grid; // of blocks where several run a program
  LaunchCounts counts;
  InstructionCosts instructions;
  Demand demand;
  /// L1 holds what the programs load that run on one multiprocessor at once.
  bool fitsL1 = false;
};

} // namespace

Analysis analyze(const Request &request) {
  Analysis analysis;
  analysis.kernel = request.kernel.function->name;
  analysis.file = request.kernel.source->file.name();
  analysis.text = request.kernel.source->file.text();
  analysis.firstLine = request.kernel.source->file.position(0).line;
  analysis.target = request.card.sm;
  analysis.card = request.card.name;
  analysis.gridX = request.grid.x;
  analysis.gridY = request.grid.y;
  analysis.gridZ = request.grid.z;
  Dump quiet;
  driver::compileWith(request.kernel, request.options, quiet,
                      [&](tile::Kernel kernel, const backend::CompileOptions &options, Dump &dump) {
                        return backend::nvptx::compileKernel(
                            std::move(kernel), options, dump,
                            [&](const backend::nvptx::EmittedKernel &emitted) {
                              Report(analysis, emitted, request).fill();
                            });
                      });
  return analysis;
}

} // namespace nereid::analyzer
