// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/SharedAccess.h"

#include "support/Check.h"

#include <algorithm>
#include <bit>
#include <map>

namespace nereid::layout {
namespace {

constexpr unsigned WordBytes = 4, WavefrontBytes = 128;

unsigned log2(unsigned powerOfTwo) { return unsigned(std::countr_zero(powerOfTwo)); }

/// Offsets in elements of distinct registers, lanes and warps: inverse(shared) . threads.
struct Offsets {
  Offsets(const LinearLayout &threads, const LinearLayout &shared)
      : distinct(distinctRegisters(threads)), places(distinct.layout.then(shared.inverse())),
        registers(places.bases(Register)), lanes(places.bases(Lane)), warps(places.bases(Warp)) {}
  Offsets(const Offsets &) = delete;

  DistinctRegisters distinct;
  LinearLayout places;
  std::span<const Vector> registers, lanes, warps;
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

/// The offsets of steps in ascending order, each with what `add` puts there for each register.
template <typename Key>
std::map<Vector, std::vector<std::pair<Vector, unsigned>>> grouped(const Offsets &offsets,
                                                                   Key key) {
  std::map<Vector, std::vector<std::pair<Vector, unsigned>>> groups;
  for (unsigned i = 0; i < offsets.distinct.kept.size(); ++i) {
    const Vector offset = combine(offsets.registers, i), base = key(offset, i);
    groups[base].push_back({offset ^ base, offsets.distinct.kept[i]});
  }
  for (auto &[base, members] : groups)
    std::sort(members.begin(), members.end());
  return groups;
}

void append(std::vector<unsigned> &registers,
            const std::vector<std::pair<Vector, unsigned>> &members) {
  for (const auto &[offset, number] : members)
    registers.push_back(number);
}

/// Matrices as instructions of up to four. `rows` are the offsets that bits 0 to 2 of a row's
/// number add; `matrices` has the registers of each matrix by its offset, and the offsets are a
/// subspace.
SharedAccess
matrixSteps(SharedInstruction instruction, unsigned elements, unsigned elementBytes,
            std::vector<Vector> rows, std::span<const Vector> warps,
            const std::map<Vector, std::vector<std::pair<Vector, unsigned>>> &matrices) {
  Subspace all;
  for (const auto &[offset, members] : matrices)
    all.insert(offset);
  const unsigned together = std::min(2u, all.dimension());
  const std::vector<Vector> inStep(all.basis().begin(), all.basis().begin() + together);
  SharedAccess access{instruction, elements, 1u << together, {}, {}, 0, 1u << together};
  access.wavefronts = wavefrontsOfGroup(rows, elementBytes, 16) << together;
  access.address.lane = std::move(rows);
  access.address.lane.insert(access.address.lane.end(), inStep.begin(), inStep.end());
  access.address.lane.resize(LaneBits, 0);
  access.address.warp.assign(warps.begin(), warps.end());
  const Subspace stepSpace(inStep);
  for (const auto &[offset, members] : matrices) {
    if (stepSpace.reduce(offset) != offset)
      continue;
    SharedAccess::Step step{unsigned(offset), {}};
    for (unsigned i = 0; i < access.matrices; ++i)
      append(step.registers, matrices.at(offset ^ combine(inStep, i)));
    access.steps.push_back(std::move(step));
  }
  return access;
}

} // namespace

SharedAccess vectorAccess(const LinearLayout &threads, const LinearLayout &shared,
                          unsigned elementBytes) {
  const Offsets offsets(threads, shared);
  const unsigned lanes = unsigned(offsets.lanes.size());
  SharedAccess access{SharedInstruction::Vector, 1, 1, {}, {}, 0, 0};
  access.address.lane.assign(offsets.lanes.begin(), offsets.lanes.end());
  access.address.warp.assign(offsets.warps.begin(), offsets.warps.end());

  // As wide as registers fill the low bits of offsets, and lanes and warps leave them alone; less
  // wide only where that saves conflicts.
  const Subspace ofRegisters(offsets.registers);
  unsigned bits = 0, fewest = 0;
  for (unsigned candidate = 0; elementBytes << candidate <= 16; ++candidate) {
    if (candidate) {
      const Vector last = Vector(1) << (candidate - 1);
      if (!ofRegisters.contains(last) || !allClear(offsets.lanes, last) ||
          !allClear(offsets.warps, last))
        break;
    }
    const unsigned bytes = elementBytes << candidate;
    const unsigned groupBits = std::min(lanes, log2(WavefrontBytes / std::max(bytes, WordBytes)));
    const unsigned ideal = 1u << (lanes - groupBits);
    const unsigned wavefronts =
        ideal * wavefrontsOfGroup(offsets.lanes.first(groupBits), elementBytes, bytes);
    const unsigned total = wavefronts * unsigned(offsets.distinct.kept.size() >> candidate);
    if (candidate && total > fewest)
      continue;
    bits = candidate;
    fewest = total;
    access.idealWavefronts = ideal;
    access.wavefronts = wavefronts;
  }

  access.elements = 1u << bits;
  const Vector low = access.elements - 1;
  for (const auto &[base, members] :
       grouped(offsets, [&](Vector offset, unsigned) { return offset & ~low; })) {
    access.steps.push_back({unsigned(base), {}});
    append(access.steps.back().registers, members);
  }
  return access;
}

std::optional<SharedAccess> matrixAccess(const LinearLayout &threads, const LinearLayout &shared,
                                         unsigned elementBytes, bool transposed) {
  const Offsets offsets(threads, shared);
  if (elementBytes > 4 || (transposed && elementBytes != 2) || offsets.lanes.size() != LaneBits)
    return std::nullopt;
  const unsigned elements = 4 / elementBytes, rowBits = log2(16 / elementBytes);
  const Vector low = (Vector(1) << rowBits) - 1;
  // The three bits of lanes that run along a row of 16 bytes and those that go from row to row. In
  // the transposed form rows are also the two elements of a register.
  const auto along = transposed ? offsets.lanes.subspan(2) : offsets.lanes.first(2);
  const auto down = transposed ? offsets.lanes.first(2) : offsets.lanes.subspan(2);
  const unsigned firstAlong = transposed ? 0 : log2(elements);
  for (unsigned i = 0; i < along.size(); ++i)
    if (along[i] != Vector(1) << (firstAlong + i))
      return std::nullopt;
  if (!allClear(down, low) || !allClear(offsets.warps, low))
    return std::nullopt;

  std::vector<Vector> rows(down.begin(), down.end());
  if (transposed) {
    if (offsets.registers.empty() || !allClear(offsets.registers, low))
      return std::nullopt;
    const Vector pair = offsets.registers[0];
    rows.insert(rows.begin(), pair);
    return matrixSteps(SharedInstruction::MatrixTransposed, elements, elementBytes, rows,
                       offsets.warps, grouped(offsets, [&](Vector offset, unsigned index) {
                         return index & 1 ? offset ^ pair : offset;
                       }));
  }
  const Vector inRegister = elements - 1;
  const Subspace ofRegisters(offsets.registers);
  for (unsigned element = 1; element < elements; element *= 2)
    if (!ofRegisters.contains(element))
      return std::nullopt;
  if (!allClear(offsets.registers, low & ~inRegister))
    return std::nullopt;
  return matrixSteps(
      SharedInstruction::Matrix, elements, elementBytes, rows, offsets.warps,
      grouped(offsets, [&](Vector offset, unsigned) { return offset & ~inRegister; }));
}

SharedAccess cheapestAccess(const LinearLayout &threads, const LinearLayout &shared,
                            unsigned elementBytes, bool allowMatrices) {
  SharedAccess best = vectorAccess(threads, shared, elementBytes);
  const auto cost = [](const SharedAccess &access) {
    return std::pair(access.totalWavefronts(), access.steps.size());
  };
  for (bool transposed : {false, true})
    if (allowMatrices)
      if (auto access = matrixAccess(threads, shared, elementBytes, transposed);
          access && cost(*access) < cost(best))
        best = std::move(*access);
  return best;
}

} // namespace nereid::layout
