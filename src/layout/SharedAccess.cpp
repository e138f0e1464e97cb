// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/SharedAccess.h"

#include "layout/SharedBanks.h"
#include "support/Check.h"

#include <algorithm>

namespace nereid::layout {
namespace {

/// Offsets in elements that bits of distinct registers, lanes and warps add: inverse(shared) .
/// threads.
struct Offsets {
  Offsets(const LinearLayout &threads, const LinearLayout &shared) {
    NEREID_CHECK(threads.outputs() == shared.outputs(), "both layouts are of the same tile");
    const LinearLayout offsetOf = shared.inverse();
    Subspace known;
    for (Vector basis : threads.bases(Register))
      if (known.insert(basis))
        registers.push_back(offsetOf(basis));
    for (Vector basis : threads.bases(Lane))
      lanes.push_back(offsetOf(basis));
    for (Vector basis : threads.bases(Warp))
      warps.push_back(offsetOf(basis));
  }

  std::vector<Vector> registers, lanes, warps;
};

bool allClear(std::span<const Vector> vectors, Vector mask) {
  return std::none_of(vectors.begin(), vectors.end(), [&](Vector v) { return v & mask; });
}

/// Wavefronts of a group of lanes with these offsets, each accessing `bytes` at once. The words
/// that are touched are a coset of a subspace, and so are their banks: all banks have equally many.
unsigned wavefrontsOfGroup(std::span<const Vector> lanes, unsigned elementBytes, unsigned bytes) {
  Subspace words, banks;
  const auto touch = [&](Vector word) {
    words.insert(word);
    banks.insert(word % (WavefrontBytes / WordBytes));
  };
  for (unsigned byte = WordBytes; byte < bytes; byte *= 2)
    touch(byte / WordBytes);
  for (Vector lane : lanes)
    touch(lane * elementBytes / WordBytes);
  return 1u << (words.dimension() - banks.dimension());
}

/// An access before its steps are written down.
struct Plan {
  SharedAccess access;
  size_t stepCount = 0;
  std::vector<Vector> inStep; // offsets between the matrices of a step
  Vector inRegister = 0;      // what elements of a row, or of a pair, add to the step's offset

  AccessCost cost() const {
    return {access.wavefronts * stepCount, stepCount, access.wavefronts > access.idealWavefronts};
  }
};

Plan vectorPlan(const Offsets &offsets, unsigned elementBytes) {
  const unsigned lanes = unsigned(offsets.lanes.size());
  Plan best;
  best.access = {SharedInstruction::Vector, 1, 1, {offsets.lanes, offsets.warps}, {}, 0, 0};
  // As wide as registers fill the low bits of offsets, and lanes and warps leave them alone; less
  // wide only where that saves conflicts.
  const Subspace ofRegisters(offsets.registers);
  for (unsigned bits = 0; elementBytes << bits <= 16; ++bits) {
    if (bits) {
      const Vector last = Vector(1) << (bits - 1);
      if (!ofRegisters.contains(last) || !allClear(offsets.lanes, last) ||
          !allClear(offsets.warps, last))
        break;
    }
    const unsigned bytes = elementBytes << bits;
    const unsigned groupBits = std::min(lanes, log2(WavefrontBytes / std::max(bytes, WordBytes)));
    const unsigned ideal = 1u << (lanes - groupBits);
    const unsigned wavefronts =
        ideal * wavefrontsOfGroup(std::span(offsets.lanes).first(groupBits), elementBytes, bytes);
    const size_t stepCount = (size_t(1) << offsets.registers.size()) >> bits;
    if (bits && wavefronts * stepCount > best.access.wavefronts * best.stepCount)
      continue;
    best.stepCount = stepCount;
    best.access.elements = 1u << bits;
    best.access.wavefronts = wavefronts;
    best.access.idealWavefronts = ideal;
  }
  best.inRegister = best.access.elements - 1;
  return best;
}

/// Matrices whose rows lie at sums of `rows`, and which lie at sums of `matrices`; up to four at
/// once: those of neighbouring registers, which instructions that multiply want side by side.
Plan matrixPlan(SharedInstruction instruction, unsigned elementBytes, std::vector<Vector> rows,
                const std::vector<Vector> &warps, std::span<const Vector> matrices) {
  const size_t together = std::min<size_t>(2, matrices.size());
  Plan plan;
  plan.stepCount = size_t(1) << (matrices.size() - together);
  plan.inStep.assign(matrices.begin(), matrices.begin() + together);
  plan.access = {instruction, 4 / elementBytes, 1u << together, {}, {}, 0, 1u << together};
  plan.access.wavefronts = wavefrontsOfGroup(rows, elementBytes, 16) << together;
  ThreadMap &address = plan.access.address;
  address.lane = std::move(rows);
  address.lane.insert(address.lane.end(), plan.inStep.begin(), plan.inStep.end());
  address.lane.resize(LaneBits, 0);
  address.warp = warps;
  return plan;
}

std::optional<Plan> matrixPlan(const Offsets &offsets, unsigned elementBytes, bool transposed) {
  if (elementBytes > 4 || (transposed && elementBytes != 2) || offsets.lanes.size() != LaneBits)
    return std::nullopt;
  const unsigned elements = 4 / elementBytes, rowBits = log2(16 / elementBytes);
  const Vector low = (Vector(1) << rowBits) - 1;
  // The bits of lanes that run along a row of 16 bytes and those that go from row to row. In the
  // transposed form rows are also the two elements of a register.
  const std::span<const Vector> lanes = offsets.lanes, registers = offsets.registers;
  const auto along = transposed ? lanes.subspan(2) : lanes.first(2);
  const auto down = transposed ? lanes.first(2) : lanes.subspan(2);
  const unsigned firstAlong = transposed ? 0 : log2(elements);
  for (unsigned i = 0; i < along.size(); ++i)
    if (along[i] != Vector(1) << (firstAlong + i))
      return std::nullopt;
  if (!allClear(down, low) || !allClear(offsets.warps, low))
    return std::nullopt;

  std::vector<Vector> rows(down.begin(), down.end());
  if (transposed) {
    if (registers.empty() || !allClear(registers, low))
      return std::nullopt;
    rows.insert(rows.begin(), registers[0]);
    Plan plan = matrixPlan(SharedInstruction::MatrixTransposed, elementBytes, std::move(rows),
                           offsets.warps, registers.subspan(1));
    plan.inRegister = registers[0];
    return plan;
  }
  const Vector inRegister = elements - 1;
  const Subspace ofRegisters(registers);
  for (unsigned element = 1; element < elements; element *= 2)
    if (!ofRegisters.contains(element))
      return std::nullopt;
  if (!allClear(registers, low & ~inRegister))
    return std::nullopt;
  Subspace known;
  std::vector<Vector> matrices;
  for (Vector offset : registers)
    if (known.insert(offset & ~inRegister))
      matrices.push_back(offset & ~inRegister);
  Plan plan =
      matrixPlan(SharedInstruction::Matrix, elementBytes, std::move(rows), offsets.warps, matrices);
  plan.inRegister = inRegister;
  return plan;
}

Plan cheapestPlan(const Offsets &offsets, unsigned elementBytes, bool allowMatrices) {
  Plan best = vectorPlan(offsets, elementBytes);
  for (bool transposed : {false, true})
    if (allowMatrices)
      if (auto plan = matrixPlan(offsets, elementBytes, transposed);
          plan && plan->cost() < best.cost())
        best = std::move(*plan);
  return best;
}

/// Writes down which registers each step takes.
SharedAccess withSteps(Plan plan, const Offsets &offsets, const LinearLayout &threads) {
  const std::vector<unsigned> kept = distinctRegisters(threads).kept;
  PartialFunction registerOf;
  for (size_t bit = 0; bit < offsets.registers.size(); ++bit)
    registerOf.define(offsets.registers[bit], Vector(1) << bit);

  // What elements and matrices of a step add, and then what other steps begin with.
  std::vector<Vector> inStep;
  if (plan.access.instruction == SharedInstruction::MatrixTransposed)
    inStep.push_back(plan.inRegister);
  else
    for (Vector element = 1; element <= plan.inRegister; element *= 2)
      inStep.push_back(element);
  inStep.insert(inStep.end(), plan.inStep.begin(), plan.inStep.end());
  Subspace taken(inStep);
  std::vector<Vector> steps;
  for (Vector offset : offsets.registers)
    if (const Vector first = taken.reduce(offset); taken.insert(offset))
      steps.push_back(first);

  for (Vector step = 0; step < plan.stepCount; ++step) {
    const Vector first = combine(steps, step);
    plan.access.steps.push_back({unsigned(first), {}});
    for (Vector i = 0; i < Vector(1) << inStep.size(); ++i)
      plan.access.steps.back().registers.push_back(kept[*registerOf(first ^ combine(inStep, i))]);
  }
  return std::move(plan.access);
}

} // namespace

bool SharedAccess::isImmediate(const Step &step) const {
  return allClear(address.lane, step.offset) && allClear(address.warp, step.offset);
}

unsigned SharedAccess::wordsOutOfOrder(unsigned elementBytes) const {
  const unsigned inWord = std::max(1u, WordBytes / elementBytes);
  unsigned count = 0;
  for (const Step &step : steps)
    for (size_t word = 0; word < step.registers.size(); word += inWord) {
      const std::span<const unsigned> of(step.registers.begin() + word,
                                         std::min<size_t>(inWord, step.registers.size() - word));
      bool isInOrder = of[0] % inWord == 0 || of.size() < inWord;
      for (size_t i = 1; i < of.size(); ++i)
        isInOrder &= of[i] == of[0] + i;
      const bool isBeside = !word || of[0] == step.registers[word - inWord] + inWord;
      count += unsigned(!isInOrder) + unsigned(!isBeside);
    }
  return count;
}

SharedAccess vectorAccess(const LinearLayout &threads, const LinearLayout &shared,
                          unsigned elementBytes) {
  const Offsets offsets(threads, shared);
  return withSteps(vectorPlan(offsets, elementBytes), offsets, threads);
}

std::optional<SharedAccess> matrixAccess(const LinearLayout &threads, const LinearLayout &shared,
                                         unsigned elementBytes, bool transposed) {
  const Offsets offsets(threads, shared);
  auto plan = matrixPlan(offsets, elementBytes, transposed);
  if (!plan)
    return std::nullopt;
  return withSteps(std::move(*plan), offsets, threads);
}

SharedAccess cheapestAccess(const LinearLayout &threads, const LinearLayout &shared,
                            unsigned elementBytes, bool allowMatrices) {
  const Offsets offsets(threads, shared);
  return withSteps(cheapestPlan(offsets, elementBytes, allowMatrices), offsets, threads);
}

AccessCost cheapestCost(const LinearLayout &threads, const LinearLayout &shared,
                        unsigned elementBytes, bool allowMatrices) {
  return cheapestPlan(Offsets(threads, shared), elementBytes, allowMatrices).cost();
}

LinearLayout swapped(const LinearLayout &threads, LaneSwap swap) {
  const auto basesOf = [&](const char *space) {
    return std::vector<Vector>(threads.bases(space).begin(), threads.bases(space).end());
  };
  std::vector<Vector> lanes = basesOf(Lane);
  lanes[swap.laneBit] ^= threads.bases(Register)[swap.registerBit];
  return distributed(shapeOf(threads), basesOf(Register), lanes, basesOf(Warp));
}

std::optional<LaneSwap> helpfulSwap(const LinearLayout &threads, const LinearLayout &shared,
                                    unsigned elementBytes, bool allowMatrices,
                                    uint64_t pieceElements) {
  constexpr size_t schedulers = 4; // of an SM, one of which a select takes; a wavefront takes all
  std::optional<LaneSwap> best;
  if (!threads.isInjective())
    return best;
  const size_t selects = size_t(1) << threads.bases(Register).size();
  AccessCost least = cheapestCost(threads, shared, elementBytes, allowMatrices);
  const size_t most = least.wavefronts - std::min(least.wavefronts, selects / schedulers + 1);
  const LinearLayout offsetOf = shared.inverse();
  for (unsigned laneBit = 0; laneBit < threads.bases(Lane).size(); ++laneBit)
    for (unsigned registerBit = 0; registerBit < threads.bases(Register).size(); ++registerBit) {
      if (offsetOf(threads.bases(Register)[registerBit]) >= pieceElements)
        continue;
      const LaneSwap swap{laneBit, registerBit};
      const AccessCost cost =
          cheapestCost(swapped(threads, swap), shared, elementBytes, allowMatrices);
      if (cost.wavefronts <= most && cost < least) {
        least = cost;
        best = swap;
      }
    }
  return best;
}

} // namespace nereid::layout
