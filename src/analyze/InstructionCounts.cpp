// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code's loops are the kernel's, but the assembler writes some of them several rounds long, or
// takes their last rounds apart; and instructions leave the loops that their operations stand in.
// So how often a block of code is run is read from where it stands (so many loops deep) and from
// what most of its instructions are of.
#include "analyze/InstructionCounts.h"

#include "analyze/CodeListing.h"
#include "analyze/KernelCosts.h"
#include "analyze/Units.h"
#include "dialect/nv/Nv.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <map>

using namespace mlir;

namespace nereid::analyzer {
namespace {

using backend::nvptx::CodeSite;

bool isLoop(Operation *op) { return llvm::isa<scf::ForOp, scf::WhileOp, nv::ProgramsOp>(op); }

/// What is as many instructions in PTX as in machine code: a copy of a round has them once more.
bool isAnchor(InstructionUnit unit) {
  return unit == InstructionUnit::global || unit == InstructionUnit::tensor ||
         unit == InstructionUnit::special;
}

class InstructionCounter {
public:
  InstructionCounter(const backend::nvptx::EmittedKernel &kernel, const LaunchCounts &counts,
                     uint64_t blocks)
      : kernel(kernel), counts(counts), blocks(double(blocks)),
        programsOfBlock(double(counts.programs) / double(blocks)) {
    auto producers = kernel.function->getAttrOfType<IntegerAttr>(nv::producerWarpsAttr);
    warps = kernel.threads / target::warpSize - (producers ? unsigned(producers.getInt()) : 0);
  }

  InstructionCosts addTo(Analysis &analysis) {
    const bool isMachine = kernel.assembly && !kernel.assembly->listing.empty();
    CodeListing code = isMachine ? readMachineCode(kernel.assembly->listing) : readPtx(kernel.ptx);
    CodeListing ptx = isMachine ? readPtx(kernel.ptx) : CodeListing();
    for (const CodeBlock &block : ptx.blocks)
      ofPtx.push_back(&block);
    findRounds(code);
    double before = blocks;
    mlir::Block *first = &func::FuncOp(kernel.function).front();
    runWith = counts.blocks.contains(first) ? first : nullptr;
    for (auto [number, block] : llvm::enumerate(code.blocks)) {
      if (block.isDead)
        continue;
      before = executionsOf(unsigned(number), code, before);
      for (const Instruction &instruction : block.instructions) {
        const double executions = before * warpsOf(instruction);
        add(instruction, executions);
        ofBlocks[runWith] += executions;
        warpCycles += executions * instruction.cycles;
      }
    }
    analysis.instructionSource = isMachine ? "machine code" : "PTX";
    for (auto &[line, entry] : lines)
      analysis.instructions.push_back(std::move(entry));
    return {std::move(roundsOfWait), std::move(ofBlocks), warpCycles};
  }

private:
  const CodeSite *siteOf(unsigned number) const {
    return number && number <= kernel.sites.size() ? &kernel.sites[number - 1] : nullptr;
  }

  /// Loops around what the site stands for. One of its own rounds is the innermost.
  static unsigned depthOf(const CodeSite &site) {
    unsigned depth = site.times > 1;
    for (Operation *op = site.op->getParentOp(); op; op = op->getParentOp())
      depth += isLoop(op);
    return depth;
  }

  /// The block of operations, so many loops deep, that the site stands in, and how often that is
  /// run for the whole launch.
  struct Spot {
    mlir::Block *block = nullptr;
    double executions = 0;
    bool operator<(const Spot &other) const {
      return std::tie(block, executions) < std::tie(other.block, other.executions);
    }
    bool operator==(const Spot &other) const = default;
  };
  Spot spotAt(const CodeSite &site, unsigned depth) const {
    Operation *op = site.op;
    unsigned at = depthOf(site);
    double times = double(site.times);
    if (at > depth && site.times > 1) {
      times = 1;
      --at;
    }
    for (; at > depth; op = op->getParentOp())
      at -= isLoop(op->getParentOp());
    return {op->getBlock(), executionsOf(op) * times};
  }

  double executionsOf(Operation *op) const {
    // What stands outside of nv.programs is done once by a block.
    const double share = op->getParentOfType<nv::ProgramsOp>() ? 1 : 1 / programsOfBlock;
    for (; op; op = op->getParentOp())
      if (auto found = counts.blocks.find(op->getBlock()); found != counts.blocks.end())
        return found->second * share;
    return blocks;
  }

  /// A warp of its own does what nv.produce holds, all others do the rest; one of them asks the
  /// copy engine.
  double warpsOf(const Instruction &instruction) const {
    const CodeSite *site = siteOf(instruction.site);
    const bool isApart = instruction.unit == InstructionUnit::engine ||
                         (site && site->op->getParentOfType<nv::ProduceOp>());
    return isApart ? 1 : warps;
  }

  /// What most of the instructions are of, if that is known of any.
  std::optional<Spot> spotOfMost(llvm::ArrayRef<const CodeBlock *> list, unsigned depth) const {
    std::map<Spot, unsigned> votes;
    for (const CodeBlock *block : list)
      for (const Instruction &instruction : block->instructions)
        if (const CodeSite *site = siteOf(instruction.site);
            site && !llvm::isa<func::FuncOp>(site->op) && depthOf(*site) >= depth)
          ++votes[spotAt(*site, depth)];
    if (votes.empty())
      return std::nullopt;
    return llvm::max_element(votes,
                             [](const auto &a, const auto &b) { return a.second < b.second; })
        ->first;
  }

  /// By site, how many instructions there are of those that tell copies from one another: anchors,
  /// or all where the kernel's loop has none, but for what counts rounds: the assembler writes that
  /// anew for each piece of a loop. What stands in loops within may be there several times already.
  using SiteCounts = std::map<unsigned, double>;
  SiteCounts countSites(llvm::ArrayRef<const CodeBlock *> list, const Spot &spot, unsigned depth,
                        bool areAnchors) const {
    SiteCounts found;
    for (const CodeBlock *block : list)
      for (const Instruction &instruction : block->instructions)
        if (const CodeSite *site = siteOf(instruction.site);
            site && (areAnchors ? isAnchor(instruction.unit) : !isLoop(site->op)) &&
            depthOf(*site) == depth && spotAt(*site, depth) == spot)
          ++found[instruction.site];
    return found;
  }

  /// How many rounds of the kernel's loop this code is, by what PTX has of the same instructions in
  /// one round.
  double copiesIn(llvm::ArrayRef<const CodeBlock *> list, const Spot &spot, unsigned depth) const {
    for (bool areAnchors : {true, false}) {
      SiteCounts round = countSites(ofPtx, spot, depth, areAnchors),
                 here = countSites(list, spot, depth, areAnchors);
      if (round.empty())
        continue;
      std::vector<double> ratios;
      for (auto [number, count] : round)
        ratios.push_back(here[number] / count);
      llvm::sort(ratios);
      return std::round(ratios[ratios.size() / 2]);
    }
    return 1;
  }

  /// Code that is rounds of a loop of the kernel's.
  struct Copies {
    unsigned number; // of the code's loop, or of a block that is no loop
    bool isLoop;
    double rounds; // of the kernel's loop, that once through it is
    Spot spot, outer;
  };

  /// Which code is rounds of which loop of the kernel, by what a round of it is: an operation that
  /// is emitted as a loop is one of its own in the block that it stands in.
  std::map<Spot, std::vector<Copies>> findCopies(const CodeListing &code) const {
    std::map<Spot, std::vector<Copies>> copies;
    auto add = [&](unsigned number, bool isLoop, llvm::ArrayRef<const CodeBlock *> list,
                   unsigned depth) {
      std::optional<Spot> spot = spotOfMost(list, depth), outer = spotOfMost(list, depth - 1);
      if (!spot || !outer || outer->executions <= 0)
        return;
      const double rounds = copiesIn(list, *spot, depth);
      if (isLoop || rounds >= 1)
        copies[*spot].push_back({number, isLoop, std::max(1.0, rounds), *spot, *outer});
    };
    for (unsigned loop = 0; loop < code.loops.size(); ++loop) {
      std::vector<const CodeBlock *> list;
      for (const CodeBlock &block : code.blocks)
        if (block.loop == int(loop))
          list.push_back(&block);
      add(loop, true, list, code.loops[loop].depth);
    }
    for (auto [number, block] : llvm::enumerate(code.blocks))
      if (!block.isDead)
        add(unsigned(number), false, {&block}, code.depthOf(block.loop) + 1);
    return copies;
  }

  /// Of one pass through them.
  static double waitsOf(const CodeListing &code, const Copies &copies) {
    if (!copies.isLoop)
      return code.blocks[copies.number].waits;
    double waits = 0;
    for (const CodeBlock &block : code.blocks)
      if (block.loop == int(copies.number))
        waits += block.waits;
    return waits;
  }

  /// How often each of them is run: as many whole rounds as fit through the longest, of what is
  /// left at most once through what is no loop, and the rest through the last loop.
  void findRounds(const CodeListing &code) {
    shares.assign(code.loops.size(), 1);
    onces.assign(code.blocks.size(), std::nullopt);
    if (ofPtx.empty())
      return; // PTX's loops are the kernel's
    for (auto &[spot, copies] : findCopies(code)) {
      llvm::sort(copies, [](const Copies &a, const Copies &b) {
        return std::pair(-a.rounds, a.isLoop) < std::pair(-b.rounds, b.isLoop);
      });
      const double all = copies.front().spot.executions;
      // Where few programs have most of the rounds, those are entered seldom and are long.
      const double skew = counts.skewOf(spot.block);
      const double rounds = all / copies.front().outer.executions * skew;
      double left = rounds, passes = 0, waits = 0;
      size_t lastLoop = copies.size();
      for (size_t i = 0; i < copies.size(); ++i)
        if (copies[i].isLoop)
          lastLoop = i;
      for (auto [i, each] : llvm::enumerate(copies)) {
        double times = left / each.rounds;
        if (!each.isLoop)
          times = std::min(1.0, std::floor(times));
        else if (i != lastLoop || each.rounds > 1)
          times = std::floor(times);
        left = std::max(0.0, left - times * each.rounds);
        passes += times;
        waits += times * waitsOf(code, each);
        if (each.isLoop)
          shares[each.number] = all > 0 ? times * each.outer.executions / skew / all : 0;
        else
          onces[each.number] = times * each.outer.executions / skew;
      }
      // What an operation is emitted as loops in the same block, more often.
      const bool isOfBlock = all <= counts.blocks.lookup(spot.block);
      if (isOfBlock && passes > 0)
        roundsOfWait[spot.block] = rounds / (waits > 0 ? waits : passes);
    }
  }

  double executionsOf(unsigned number, const CodeListing &code, double before) {
    const CodeBlock &block = code.blocks[number];
    const unsigned depth = code.depthOf(block.loop);
    std::optional<Spot> spot;
    // What stands fewer loops deep than the code is in a loop of its own, or comes from outside.
    for (unsigned at = depth + 1; at-- > 0 && !spot;)
      spot = spotOfMost({&block}, at);
    if (!spot)
      return before;
    for (mlir::Block *at = spot->block; at; at = at->getParentOp()->getBlock())
      if (counts.blocks.contains(at)) {
        runWith = at;
        break;
      }
    double executions = onces[number].value_or(spot->executions);
    for (int loop = block.loop; loop >= 0; loop = code.loops[loop].outer)
      executions *= shares[loop];
    return executions;
  }

  void add(const Instruction &instruction, double executions) {
    const CodeSite *site = siteOf(instruction.site);
    const Place place = site ? placeOf(site->op) : Place();
    Analysis::Instructions &line = lines[{place.file, place.line}];
    line.place = place;
    uint64_t Analysis::Instructions::*member = nullptr;
    switch (instruction.unit) {
#define UNIT(name, text, meaning)                                                                  \
  case InstructionUnit::name:                                                                      \
    member = &Analysis::Instructions::name;                                                        \
    break;
#include "nereid/units.def"
    }
    line.*member += rounded(executions);
  }

  const backend::nvptx::EmittedKernel &kernel;
  const LaunchCounts &counts;
  double blocks, programsOfBlock;
  unsigned warps;
  std::vector<const CodeBlock *> ofPtx; // where machine code is counted
  /// By the code's loops, which share of the kernel's rounds are rounds of theirs; by its blocks,
  /// how often those are run that are rounds of a loop without being one.
  std::vector<double> shares;
  std::vector<std::optional<double>> onces;
  RoundsOfWait roundsOfWait;
  mlir::Block *runWith = nullptr; // of the code's block that is added
  llvm::DenseMap<mlir::Block *, double> ofBlocks;
  double warpCycles = 0;
  std::map<std::pair<std::string, unsigned>, Analysis::Instructions> lines; // by file and line
};

} // namespace

InstructionCosts countInstructions(const backend::nvptx::EmittedKernel &kernel,
                                   const LaunchCounts &counts, uint64_t blocks,
                                   Analysis &analysis) {
  return InstructionCounter(kernel, counts, blocks).addTo(analysis);
}

Analysis::Instructions sumOf(const std::vector<Analysis::Instructions> &lines) {
  Analysis::Instructions sum;
  for (const Analysis::Instructions &line : lines) {
#define UNIT(member, name, meaning) sum.member += line.member;
#include "nereid/units.def"
  }
  return sum;
}

uint64_t countOf(const Analysis::Instructions &instructions) {
  uint64_t all = 0;
#define UNIT(member, name, meaning) all += instructions.member;
#include "nereid/units.def"
  return all;
}

namespace {

/// Multiply-adds of products by threads.
double independentOf(const Analysis &analysis) {
  double independent = 0;
  for (const Analysis::Product &product : analysis.products)
    if (product.instruction == "fma")
      independent += double(product.count);
  return std::min(independent, double(sumOf(analysis.instructions).fma));
}

} // namespace

double cyclesOfInstruction(const Analysis &analysis, const InstructionCosts &costs) {
  const auto all = double(countOf(sumOf(analysis.instructions)));
  if (costs.warpCycles > 0 && all > 0)
    return costs.warpCycles / all;
  const double independent = independentOf(analysis);
  return all > 0 ? (usualCyclesOfInstruction * (all - independent) + independent) / all
                 : usualCyclesOfInstruction;
}

double cyclesOfWarp(const Analysis &analysis, const InstructionCosts &costs) {
  constexpr double ofProduct = 8; // more, by tensor cores (0070)
  const Analysis::Instructions sum = sumOf(analysis.instructions);
  const double cycles =
      cyclesOfInstruction(analysis, costs) * double(countOf(sum)) + ofProduct * double(sum.tensor);
  return cycles * target::warpSize / (double(analysis.programs) * analysis.threads);
}

} // namespace nereid::analyzer
