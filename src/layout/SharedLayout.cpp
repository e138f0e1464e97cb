// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/SharedLayout.h"

#include "layout/SharedBanks.h"
#include "support/Check.h"

namespace nereid::layout {
namespace {

constexpr unsigned RowBytes = 16;

using Vectors = std::vector<Vector>;

/// Those of `vectors` that are independent of `space` and of one another, at most `count`; they
/// become part of it.
Vectors extend(Subspace &space, std::span<const Vector> vectors, size_t count = 64) {
  Vectors added;
  for (Vector vector : vectors)
    if (added.size() < count && space.insert(vector))
      added.push_back(vector);
  return added;
}

void append(Vectors &to, std::span<const Vector> from) {
  to.insert(to.end(), from.begin(), from.end());
}

Vectors unitVectors(unsigned bits) {
  Vectors units;
  for (unsigned bit = 0; bit < bits; ++bit)
    units.push_back(Vector(1) << bit);
  return units;
}

/// What lies together in a row of up to 16 bytes, and the lanes of both sides that are served
/// together.
struct Wish {
  Vectors row, writers, readers;
};

Vectors bases(const LinearLayout &layout, const char *input) {
  const auto span = layout.bases(input);
  return Vectors(span.begin(), span.end());
}

/// The elements of a row if it holds what both sides have in one thread, and then what `more` has.
Vectors rowOf(const LinearLayout &writer, const LinearLayout &reader, const LinearLayout *more,
              unsigned rowBits) {
  const Subspace written = writer.image(Register), read = reader.image(Register);
  Vectors common;
  for (Vector basis : bases(writer, Register))
    if (read.contains(basis))
      common.push_back(basis);
  append(common, intersection(written, read).basis());
  Subspace space;
  Vectors row = extend(space, common, rowBits);
  if (more)
    append(row, extend(space, more->bases(Register), rowBits - row.size()));
  return row;
}

/// The rows and lanes that ldmatrix or stmatrix would need on this side; nothing if it has no such
/// matrices.
std::optional<std::pair<Vectors, Vectors>> matrixWish(bool allowed, const LinearLayout &threads,
                                                      unsigned elementBytes, bool transposed) {
  const Vectors lanes = bases(threads, Lane), registers = bases(threads, Register);
  const size_t inRegister = elementBytes <= 4 ? log2(4 / elementBytes) : 0;
  if (!allowed || elementBytes > 4 || lanes.size() != LaneBits || registers.size() < inRegister ||
      (transposed && elementBytes != 2))
    return std::nullopt;
  Vectors pair(registers.begin(), registers.begin() + inRegister);
  Vectors low(lanes.begin(), lanes.begin() + 2), high(lanes.begin() + 2, lanes.end());
  append(pair, low);
  if (transposed)
    std::swap(pair, high);
  Subspace space;
  if (extend(space, pair).size() != pair.size())
    return std::nullopt;
  return std::pair(pair, high);
}

} // namespace

Vectors conflictFreeBases(unsigned bits, unsigned elementBytes, std::span<const Vector> row,
                          std::span<const Vector> writers, std::span<const Vector> readers,
                          std::span<const Vector> others) {
  Vectors offsets(row.begin(), row.end());
  const Subspace rowSpace(row);
  NEREID_CHECK(rowSpace.dimension() == row.size(), "a row holds each element once");
  const unsigned rowBytes = elementBytes << row.size();
  const unsigned bankBits = log2(WavefrontBytes / std::max(rowBytes, WordBytes));
  const unsigned inWordBits = rowBytes < WordBytes ? log2(WordBytes / rowBytes) : 0;

  // The lanes of both sides, less what they have in the same row.
  Subspace writerSpace = rowSpace, readerSpace = rowSpace;
  const Vectors writing = extend(writerSpace, writers, bankBits);
  const Vectors reading = extend(readerSpace, readers, bankBits);
  const Vectors shared = [&] {
    Subspace space = rowSpace;
    return extend(space, intersection(Subspace(writing), readerSpace).basis());
  }();
  Subspace writerRest = rowSpace, readerRest = rowSpace;
  extend(writerRest, shared);
  extend(readerRest, shared);
  const Vectors onlyWriting = extend(writerRest, writing),
                onlyReading = extend(readerRest, reading);

  // Banks and segments. Sums of one of each: see the header.
  Vectors banks = shared, segments;
  const size_t paired = std::min(onlyWriting.size(), onlyReading.size());
  append(banks, onlyWriting);
  append(banks, std::span(onlyReading).subspan(paired));
  for (size_t i = 0; i < paired; ++i)
    segments.push_back(onlyWriting[i] ^ onlyReading[i]);
  Subspace all = rowSpace;
  extend(all, writing);
  extend(all, reading);
  append(segments, extend(all, others));
  append(segments, extend(all, unitVectors(bits)));

  // Any part of the segments may serve within words, and as banks that the lanes leave free.
  const size_t inWord = std::min<size_t>(inWordBits, segments.size());
  append(offsets, std::span(segments).first(inWord));
  segments.erase(segments.begin(), segments.begin() + inWord);
  const size_t free = std::min(bankBits - banks.size(), segments.size());
  append(banks, std::span(segments).first(free));
  segments.erase(segments.begin(), segments.begin() + free);
  append(offsets, banks);
  append(offsets, segments);
  return offsets;
}

SharedPath chooseSharedPath(const LinearLayout &writer, const LinearLayout &reader,
                            unsigned elementBytes, MatrixInstructions allowed) {
  NEREID_CHECK(writer.outputs() == reader.outputs(), "both sides have the same tile");
  NEREID_CHECK(elementBytes <= RowBytes && std::has_single_bit(elementBytes),
               "elements of 1 to 16 bytes, a power of two");
  const unsigned rowBits = log2(RowBytes / elementBytes);
  const Vectors writingLanes = bases(writer, Lane), readingLanes = bases(reader, Lane);
  std::vector<Wish> wishes;
  const auto wish = [&](Vectors row, const Vectors &writers, const Vectors &readers) {
    for (const Wish &other : wishes)
      if (other.row == row && other.writers == writers && other.readers == readers)
        return;
    wishes.push_back({std::move(row), writers, readers});
  };
  for (const LinearLayout *more : {(const LinearLayout *)nullptr, &writer, &reader})
    wish(rowOf(writer, reader, more, rowBits), writingLanes, readingLanes);
  for (bool transposed : {false, true}) {
    const auto writing = matrixWish(allowed.store, writer, elementBytes, transposed);
    const auto reading = matrixWish(allowed.load, reader, elementBytes, transposed);
    if (writing)
      wish(writing->first, writing->second, readingLanes);
    if (reading)
      wish(reading->first, writingLanes, reading->second);
    if (writing && reading && writing->first == reading->first)
      wish(writing->first, writing->second, reading->second);
  }

  Vectors others = writingLanes;
  for (const Vectors &more : {readingLanes, bases(writer, Warp), bases(reader, Warp),
                              bases(writer, Register), bases(reader, Register)})
    append(others, more);
  const Spaces &tile = writer.outputs();
  const unsigned bits = writer.outputBits();
  std::optional<LinearLayout> best;
  std::pair<size_t, size_t> bestCost; // wavefronts, then instructions
  bool hasConflicts = false;
  const auto disorderOf = [&](const LinearLayout &shared) {
    auto of = [&](const LinearLayout &threads, bool matrices) {
      return cheapestAccess(threads, shared, elementBytes, matrices).wordsOutOfOrder(elementBytes);
    };
    return of(writer, allowed.store) + of(reader, allowed.load);
  };
  const auto consider = [&](const Wish &wish) {
    LinearLayout layout(
        {{Offset, bits}}, tile,
        conflictFreeBases(bits, elementBytes, wish.row, wish.writers, wish.readers, others));
    const AccessCost write = cheapestCost(writer, layout, elementBytes, allowed.store);
    const AccessCost read = cheapestCost(reader, layout, elementBytes, allowed.load);
    const std::pair cost(write.wavefronts + read.wavefronts, write.steps + read.steps);
    if (best && bestCost <= cost && (bestCost < cost || disorderOf(*best) <= disorderOf(layout)))
      return;
    best = std::move(layout);
    bestCost = cost;
    hasConflicts = write.hasConflicts || read.hasConflicts;
  };
  for (const Wish &wish : wishes)
    consider(wish);
  // Where lanes reach into the rows, accesses are narrower than planned for.
  Wish narrow = wishes.front();
  while (hasConflicts && !narrow.row.empty()) {
    narrow.row.pop_back();
    consider(narrow);
  }
  return {*best, cheapestAccess(writer, *best, elementBytes, allowed.store),
          cheapestAccess(reader, *best, elementBytes, allowed.load)};
}

} // namespace nereid::layout
