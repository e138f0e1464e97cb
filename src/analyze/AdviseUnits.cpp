// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/AdviseUnits.h"

#include "analyze/InstructionCounts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace nereid::analyzer {
namespace {

using Counts = Analysis::Instructions;

/// What a unit takes of a line's instructions.
struct BusyUnit {
  llvm::StringLiteral bound; // Analysis::Bound::name
  uint64_t (*of)(const Counts &);
};
constexpr BusyUnit units[] = {
    {"FMA", [](const Counts &counts) { return counts.fma; }},
    {"integers", [](const Counts &counts) { return counts.alu; }},
    {"special functions", [](const Counts &counts) { return counts.special + counts.conversion; }},
    {"f64", [](const Counts &counts) { return counts.f64; }},
    {"instructions", [](const Counts &counts) { return countOf(counts); }},
};

/// By line, what the demand is made of: machine code where it was counted, else the kernel's
/// operations.
std::vector<Counts> linesOf(const Analysis &analysis) {
  if (analysis.instructionSource == "machine code")
    return analysis.instructions;
  std::vector<Counts> lines;
  for (const Analysis::Arithmetic &line : analysis.arithmetic) {
    Counts counts;
    counts.place = line.place;
    counts.fma = line.fma;
    counts.alu = line.integer;
    counts.special = line.special;
    counts.f64 = line.f64;
    lines.push_back(counts);
  }
  return lines;
}

class UnitAdviser {
public:
  UnitAdviser(const Analysis &analysis, const Situation &situation, const BusyUnit &unit)
      : analysis(analysis), situation(situation), unit(unit) {}

  UnitAdvice run() {
    const std::vector<Counts> lines = linesOf(analysis);
    const Counts sum = sumOf(lines);
    Counts heaviest;
    for (const Counts &line : lines)
      if (line.place.line && unit.of(line) > unit.of(heaviest))
        heaviest = line;
    share = unit.of(sum) ? double(unit.of(heaviest)) / double(unit.of(sum)) : 0;
    UnitAdvice advice{heaviest.place, {}, {}, situation.demand};
    if (unit.bound == "f64")
      ofDouble(advice);
    else
      ofOperations(advice);
    return advice;
  }

private:
  /// What the line computes, as the flow of data names its operations.
  bool computes(const Place &place, llvm::ArrayRef<llvm::StringRef> names) const {
    for (const Analysis::Step &step : analysis.flow.steps) {
      if (step.kind != "compute" || step.place.line != place.line)
        continue;
      for (llvm::StringRef name : llvm::split(step.what, ", "))
        if (llvm::is_contained(names, name))
          return true;
    }
    return false;
  }

  void ofDouble(UnitAdvice &advice) const {
    const target::Card &card = situation.card;
    advice.cause = llvm::formatv("f64 takes most of the time: an SM of this card computes {0:f0} "
                                 "of them in a cycle, and {1:f0} of f32",
                                 card.doubleLanes, card.fmaLanes);
    advice.accept = "f32 where it is exact enough, or sums of two f32, of which one holds what the "
                    "other rounds away (the gain is that of f32)";
    const double cycles = advice.better.doubleCycles * share;
    advice.better.doubleCycles -= cycles;
    advice.better.fmaCycles += cycles * card.doubleLanes / card.fmaLanes;
  }

  void ofOperations(UnitAdvice &advice) const {
    halveLine(advice);
    const std::string ofLine =
        llvm::formatv("{0:f0} % of the instructions that bound the launch", 100 * share);
    if (computes(advice.place, {"divsi", "divui", "remsi", "remui"})) {
      advice.cause = "division or remainder of integers, some twenty instructions each: " + ofLine;
      advice.accept = "a divisor that is known (tl.constexpr), best a power of two; one division "
                      "for both, the remainder by a product; indices that count up instead (the "
                      "gain is that of half of the line's instructions)";
    } else if (computes(advice.place, {"sin", "cos", "tan", "powf"})) {
      advice.cause = "a function that has a slow path, taken for large arguments (sin, cos) or "
                     "written out (pow): " +
                     ofLine;
      advice.accept = "arguments within a period and the approximate instructions (sin.approx.f32 "
                      "by tl.inline_asm_elementwise), a table, or exp2 of a product instead of a "
                      "power (the gain is that of half of the line's instructions)";
    } else if (unit.bound == "special functions") {
      advice.cause = "exp, log, sqrt and their like take most of the time";
      advice.accept = "exp2 with the factor log2(e) in the scale, and as few of them as the "
                      "algorithm allows (the gain is that of half of them)";
      advice.better = situation.demand;
      advice.better.specialCycles /= 2;
    } else {
      advice.cause = "the units are busy: " + ofLine;
      advice.accept = "fewer operations (once for what is alike in many elements, elements of 16 "
                      "bits two at a time), or tensor cores (tl.dot) where they are products (the "
                      "gain is that of half of the line's instructions)";
    }
  }

  void halveLine(UnitAdvice &advice) const {
    const double left = 1 - share / 2;
    Demand &better = advice.better;
    for (double *cycles : {&better.fmaCycles, &better.integerCycles, &better.specialCycles,
                           &better.issueCycles, &better.ownCycles})
      *cycles *= left;
  }

  const Analysis &analysis;
  const Situation &situation;
  const BusyUnit &unit;
  double share = 0; // of the unit's instructions, those of the heaviest line
};

} // namespace

std::optional<UnitAdvice> adviseBusyUnit(const Analysis &analysis, const Situation &situation) {
  for (const BusyUnit &unit : units)
    if (!analysis.bounds.empty() && analysis.bounds.front().name == unit.bound)
      return UnitAdviser(analysis, situation, unit).run();
  return std::nullopt;
}

} // namespace nereid::analyzer
