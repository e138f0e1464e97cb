// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared memory: images of the hardware against its address formulas, computed swizzles against a
// count of banks, ldmatrix and stmatrix lane by lane. Global memory: sectors.
#include "layout/Blocked.h"
#include "layout/Fragment.h"
#include "layout/GlobalAccess.h"
#include "layout/Machine.h"
#include "layout/OperandImage.h"
#include "layout/RandomLayout.h"

#include "support/Check.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace nereid::layout::test {
namespace {

const Swizzle Swizzles[] = {Swizzle::None, Swizzle::Bytes32, Swizzle::Bytes64, Swizzle::Bytes128};

/// Before the XOR.
uint64_t plainAddressOf(uint64_t row, uint64_t column, uint64_t rows, unsigned elementBytes,
                        Swizzle swizzle) {
  const uint64_t s = swizzle == Swizzle::None ? 16 : uint64_t(swizzle);
  const uint64_t byte = column * elementBytes;
  return byte % s + row * s + byte / s * rows * s;
}

/// Where the hardware looks for byte 0 of an element, measured with dense boxes: boxes of S bytes
/// by all rows, and an XOR on bits of the address.
uint64_t addressOf(uint64_t row, uint64_t column, uint64_t rows, unsigned elementBytes,
                   Swizzle swizzle) {
  const uint64_t address = plainAddressOf(row, column, rows, elementBytes, swizzle);
  switch (swizzle) {
  case Swizzle::None:
    return address;
  case Swizzle::Bytes32:
    return address ^ (address >> 7 & 1) << 4;
  case Swizzle::Bytes64:
    return address ^ (address >> 7 & 3) << 4;
  case Swizzle::Bytes128:
    return address ^ (address >> 7 & 7) << 4;
  }
  return 0;
}

TEST(OperandImage, IsWhatTheHardwareReads) {
  for (Swizzle swizzle : Swizzles)
    for (unsigned elementBytes : {1u, 2u, 4u})
      for (unsigned contiguous : {0u, 1u})
        for (uint64_t rows : {8u, 64u}) {
          Shape shape = {rows, rows};
          shape[contiguous] = 256 / elementBytes;
          const OperandImage image = operandImage(shape, contiguous, elementBytes, swizzle);
          const LinearLayout offsetOf = image.layout.inverse();
          for (uint64_t row = 0; row < rows; ++row)
            for (uint64_t column = 0; column < shape[contiguous]; ++column) {
              Coordinates element = {row, column};
              if (contiguous == 0)
                std::swap(element[0], element[1]);
              ASSERT_EQ(offsetOf(element)[0] * elementBytes,
                        addressOf(row, column, rows, elementBytes, swizzle));
            }
          for (uint64_t row = 0; row < rows; ++row)
            for (uint64_t column = 0; column < shape[contiguous]; ++column) {
              Coordinates element = {row, column};
              if (contiguous == 0)
                std::swap(element[0], element[1]);
              EXPECT_EQ(plainOffset(image, element, elementBytes),
                        plainAddressOf(row, column, rows, elementBytes, swizzle));
            }
          // Its layout tells what it is. (A single box looks the same as one without a swizzle
          // whose rows are as wide.)
          const std::optional<OperandImage> found = findImage(image.layout, elementBytes);
          ASSERT_TRUE(found);
          EXPECT_EQ(found->layout, image.layout);
          // The steps of the descriptor.
          const unsigned s = swizzle == Swizzle::None ? 16 : unsigned(swizzle);
          EXPECT_EQ(image.rowGroupBytes, 8 * s);
          EXPECT_EQ(image.boxBytes, rows * s);
        }
  EXPECT_EQ(operandImage({64, 64}, 1, 2, Swizzle::Bytes128).alignment, 1024u);
  EXPECT_EQ(operandImage({64, 64}, 1, 2, Swizzle::Bytes64).alignment, 512u);
  EXPECT_EQ(operandImage({64, 64}, 1, 2, Swizzle::Bytes32).alignment, 256u);
  EXPECT_THROW(operandImage({64, 32}, 1, 2, Swizzle::Bytes128), InternalError);
  EXPECT_EQ(widestImage({64, 256}, 1, 2).swizzle, Swizzle::Bytes128);
  EXPECT_EQ(widestImage({64, 32}, 1, 2).swizzle, Swizzle::Bytes64);
  EXPECT_EQ(widestImage({64, 32}, 0, 4).swizzle, Swizzle::Bytes128);
  EXPECT_EQ(widestImage({64, 16}, 1, 1).swizzle, Swizzle::None);
  EXPECT_FALSE(findImage(LinearLayout::identity({Offset, 6}, "dim0"), 2));
  const Shape square = {16, 16};
  const LinearLayout rowMajor =
      LinearLayout::identity({Offset, 8}, "element").reshapedOutputs(tileSpaces(square));
  EXPECT_FALSE(findImage(rowMajor, 4)) << "rows of 64 bytes without a swizzle are no image";
}

/// Rows in another order are other rows at the same places.
TEST(OperandImage, MayHaveEvenRowsFirst) {
  for (Swizzle swizzle : Swizzles)
    for (unsigned contiguous : {0u, 1u}) {
      constexpr uint64_t rows = 32;
      Shape shape = {rows, rows};
      shape[contiguous] = 256;
      const OperandImage plain = operandImage(shape, contiguous, 1, swizzle),
                         image = operandImage(shape, contiguous, 1, swizzle, RowOrder::EvenFirst);
      const LinearLayout plainOffsets = plain.layout.inverse(), offsets = image.layout.inverse();
      for (uint64_t row = 0; row < rows; ++row)
        for (uint64_t column : {0, 1, 16, 128, 255}) {
          Coordinates element = {column, column}, place = element;
          element[1 - contiguous] = row;
          place[1 - contiguous] = row % 2 ? rows / 2 + row / 2 : row / 2;
          ASSERT_EQ(offsets(element), plainOffsets(place));
          EXPECT_EQ(plainOffset(image, element, 1), plainOffset(plain, place, 1));
        }
      const std::optional<OperandImage> found = findImage(image.layout, 1);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->rows, RowOrder::EvenFirst);
      EXPECT_EQ(found->contiguous, contiguous);
      EXPECT_EQ(findImage(plain.layout, 1)->rows, RowOrder::Plain);
    }
}

/// Reads (or writes and compares) a whole tile by `access`.
void expectMoves(const SharedAccess &access, const LinearLayout &threads,
                 const LinearLayout &shared, unsigned elementBytes) {
  SharedMemory memory,
      written(shared.bases(Offset).empty() ? 1 : size_t(1) << shared.inputBits(), -1);
  for (Vector offset = 0; offset < Vector(1) << shared.inputBits(); ++offset)
    memory.push_back(int64_t(shared(offset)));
  const Block wanted = holding(threads);
  Block loaded = wanted;
  for (auto &warp : loaded)
    for (auto &lane : warp)
      std::fill(lane.begin(), lane.end(), -1);
  read(access, elementBytes, memory, loaded);
  EXPECT_EQ(loaded, wanted);
  write(access, elementBytes, wanted, written);
  EXPECT_EQ(written, memory);
  EXPECT_EQ(access.wavefronts, countWavefronts(access, elementBytes, unsigned(wanted.size())));
}

TEST(MatrixAccess, FragmentsOfOperandImages) {
  for (unsigned elementBytes : {1u, 2u, 4u})
    for (Swizzle swizzle : Swizzles)
      for (Operand operand : {Operand::A, Operand::B})
        for (unsigned contiguous : {0u, 1u}) {
          const unsigned k = 32 / elementBytes;
          const Shape shape = operand == Operand::A ? Shape{128, 128} : Shape{128, 64};
          if (shape[contiguous] * elementBytes < unsigned(swizzle))
            continue;
          const LinearLayout threads = mmaLayout(operand, shape, 8 * elementBytes, k, {2, 2});
          const OperandImage image = operandImage(shape, contiguous, elementBytes, swizzle);
          const bool kMajor = contiguous == (operand == Operand::A ? 1 : 0);
          for (bool transposed : {false, true}) {
            const auto access = matrixAccess(threads, image.layout, elementBytes, transposed);
            const bool possible = kMajor ? !transposed : transposed && elementBytes == 2;
            ASSERT_EQ(access.has_value(), possible)
                << elementBytes << " bytes, contiguous " << contiguous;
            if (!access)
              continue;
            EXPECT_EQ(access->matrices, 4u);
            expectMoves(*access, threads, image.layout, elementBytes);
            // Rows of 16 bytes one after the other do not conflict, nor do rows that are swizzled
            // over 128 bytes; 32 and 64 bytes wide rows neither.
            EXPECT_EQ(access->wavefronts, access->idealWavefronts);
          }
          expectMoves(vectorAccess(threads, image.layout, elementBytes), threads, image.layout,
                      elementBytes);
        }
}

TEST(MatrixAccess, AccumulatorsAreStoredByMatrices) {
  const LinearLayout d = wgmmaAccumulatorLayout({128, 64}, 64, {2, 1});
  const LinearLayout image = operandImage({128, 64}, 1, 2, Swizzle::Bytes128).layout;
  const auto access = matrixAccess(d, image, 2, false);
  ASSERT_TRUE(access);
  EXPECT_EQ(access->matrices, 4u);
  EXPECT_EQ(access->wavefronts, 4u);
  expectMoves(*access, d, image, 2);
  // Without the swizzle eight rows of 128 bytes fall on the same banks.
  const LinearLayout rows =
      LinearLayout::identity({Offset, 13}, "dim0").reshapedOutputs(tileSpaces({128, 64}));
  const auto slow = matrixAccess(d, rows, 2, false);
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->wavefronts, 32u);
  expectMoves(*slow, d, rows, 2);
}

TEST(SharedAccess, ImmediateOffsetsAreAdded) {
  const LinearLayout image = operandImage({64, 64}, 1, 2, Swizzle::Bytes128).layout;
  size_t immediate = 0, steps = 0;
  for (const LinearLayout &threads :
       {blockedLayout({{64, 64}, 8, 4, {1, 0}}), blockedLayout({{64, 64}, 8, 1, {0, 1}}),
        mmaLayout(Operand::A, {64, 64}, 16, 16, {4, 1})}) {
    const SharedAccess access = cheapestAccess(threads, image, 2, true);
    for (const SharedAccess::Step &step : access.steps) {
      bool added = true;
      for (unsigned warp = 0; warp < threads.inputs()[0].size(); ++warp)
        for (unsigned lane = 0; lane < 32; ++lane) {
          const unsigned address = access.address(lane, warp);
          added &= (address ^ step.offset) == address + step.offset;
        }
      EXPECT_EQ(access.isImmediate(step), added);
      immediate += added;
      ++steps;
    }
  }
  EXPECT_GT(immediate, 0u);
  EXPECT_LT(immediate, steps);
}

TEST(MatrixAccess, OtherLayoutsAreRefused) {
  const LinearLayout image = operandImage({64, 64}, 1, 2, Swizzle::Bytes128).layout;
  EXPECT_FALSE(matrixAccess(blockedLayout({{64, 64}, 8, 4, {1, 0}}), image, 2, false));
  EXPECT_FALSE(matrixAccess(mmaLayout(Operand::A, {64, 64}, 16, 16, {4, 1}), image, 8, false));
}

TEST(Swizzle, OfRowsAndLdmatrixIsTheHardwareOne) {
  // Rows of 128 bytes, written 16 bytes a lane and read by ldmatrix: what is computed is the
  // pattern that the hardware has for it.
  const LinearLayout rows = accessLayout({64, 64}, {1, 0}, 64, 2, 4);
  const LinearLayout fragment = mmaLayout(Operand::A, {64, 64}, 16, 16, {4, 1});
  const Vector row[] = {1, 2, 4};
  const Vector lanes[] = {64, 128, 256};
  const std::vector<Vector> others(rows.bases(Lane).begin(), rows.bases(Lane).end());
  EXPECT_EQ(LinearLayout({{Offset, 12}}, tileSpaces({64, 64}),
                         conflictFreeBases(12, 2, row, rows.bases(Lane).first(3), lanes, others)),
            operandImage({64, 64}, 1, 2, Swizzle::Bytes128).layout);
}

TEST(Swizzle, NeitherSideConflicts) {
  // Any rows and any lanes: in each group of lanes, lanes with the same bank have the same word.
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const unsigned bits = below(random, 15), elementBytes = 1u << below(random, 4);
    const auto vectors = [&](unsigned count) {
      std::vector<Vector> result(count);
      for (Vector &vector : result)
        vector = random() & ((Vector(1) << bits) - 1);
      return result;
    };
    Subspace rowSpace;
    std::vector<Vector> row;
    while (elementBytes << row.size() < 16 && below(random, 4))
      if (const Vector vector = vectors(1)[0]; rowSpace.insert(vector))
        row.push_back(vector);
      else
        break;
    const unsigned bytes = elementBytes << row.size();
    const unsigned groupBits = bytes == 16 ? 3 : bytes == 8 ? 4 : 5;
    const auto writers = vectors(groupBits), readers = vectors(groupBits);
    const auto bases = conflictFreeBases(bits, elementBytes, row, writers, readers, vectors(3));
    const LinearLayout layout({{Offset, bits}}, {{"dim0", bits}}, bases);
    ASSERT_TRUE(layout.isInvertible());
    const LinearLayout offsetOf = layout.inverse();
    for (const auto &lanes : {writers, readers}) {
      std::map<uint64_t, std::set<uint64_t>> wordsOfBank;
      for (Vector lane = 0; lane < Vector(1) << groupBits; ++lane)
        for (Vector element = 0; element < Vector(1) << row.size(); ++element) {
          const uint64_t first = offsetOf(combine(lanes, lane) ^ combine(row, element));
          for (uint64_t byte = 0; byte < elementBytes; ++byte) {
            const uint64_t word = (first * elementBytes + byte) / 4;
            wordsOfBank[word % 32].insert(word);
          }
        }
      for (const auto &[bank, words] : wordsOfBank)
        ASSERT_EQ(words.size(), 1u) << bits << " bits, " << bytes << " bytes";
    }
  }
}

/// Sums of warpgroups, 64 x 64 each, side by side: neighbours of a row in a lane, rows of a quarter
/// of a warp in eight lanes.
TEST(SharedAccess, RegistersSwappedWhereLanesMeetInBanks) {
  const std::vector<Coordinates> registers = {{0, 1}, {8, 0}, {0, 8}, {0, 16}, {0, 32}},
                                 lanes = {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}},
                                 warps = {{16, 0}, {32, 0}, {0, 64}};
  const LinearLayout threads({{Register, registers}, {Lane, lanes}, {Warp, warps}},
                             tileSpaces({64, 128}));
  const OperandImage piece = operandImage({64, 32}, 1, 4, Swizzle::Bytes128);
  const LinearLayout room =
      piece.layout * LinearLayout({{Offset, {{0, 1}, {0, 2}}}}, tileSpaces({1, 4}));
  EXPECT_EQ(cheapestAccess(threads, room, 4, false).wavefronts, 4u);
  const auto swap = helpfulSwap(threads, room, 4, false, 64 * 32);
  ASSERT_TRUE(swap);
  const LinearLayout after = swapped(threads, *swap);
  const SharedAccess access = cheapestAccess(after, room, 4, false);
  EXPECT_EQ(access.wavefronts, 2u);
  EXPECT_EQ(access.elements, 2u);
  EXPECT_EQ(access.steps.size(), 16u);
  for (uint64_t lane = 0; lane < 32; ++lane)
    for (uint64_t index = 0; index < 32; ++index) {
      const uint64_t other = index ^ (lane >> swap->laneBit & 1) << swap->registerBit;
      EXPECT_EQ(after(Coordinates{1, lane, index}), threads(Coordinates{1, lane, other}));
    }
  // Where nothing conflicts, and where each piece would have to lie in another, nothing is done.
  EXPECT_FALSE(helpfulSwap(after, room, 4, false, 64 * 32));
  EXPECT_FALSE(helpfulSwap(threads, room, 4, false, 1));
}

TEST(GlobalAccess, SectorsOfKnownPatterns) {
  const auto sectors = [](const LinearLayout &threads, const GlobalTile &tile) {
    const GlobalAccess access = globalAccess(threads, tile);
    const Sectors count = countSectors(threads, tile, access);
    return std::tuple(access.elements, count.requests, count.touched, count.ideal,
                      count.mostInRequest);
  };
  using Figures = std::tuple<unsigned, uint64_t, uint64_t, uint64_t, uint64_t>;
  const LinearLayout vector = accessLayout({1024}, {0}, 1024, 4, 4);
  EXPECT_EQ(sectors(vector, {{1}, 4, 4}), Figures(4, 8, 128, 128, 16));
  EXPECT_EQ(sectors(vector, {{1}, 4, 1}), Figures(1, 32, 512, 128, 16)); // four times each
  EXPECT_EQ(sectors(vector, {{2}, 4, 4}), Figures(1, 32, 1024, 128, 32));
  EXPECT_EQ(sectors(vector, {{0}, 4, 1}), Figures(1, 32, 32, 128, 1));
  EXPECT_EQ(sectors(vector, {{-1}, 4, 1}), Figures(1, 32, 512 + 8, 128, 17));
  // A column of a row-major matrix: each element has a sector of its own.
  const LinearLayout columns = blockedLayout({{32, 8}, 1, 1, {0, 1}});
  EXPECT_EQ(sectors(columns, {{1024, 1}, 4, 1}), Figures(1, 8, 256, 32, 32));
  EXPECT_EQ(sectors(columns, {{1, 1024}, 4, 1}), Figures(1, 8, 32, 32, 4));
  // Copies are loaded once.
  EXPECT_EQ(sectors(blockedLayout({{8}, 1, 1, {0}}), {{1}, 4, 1}), Figures(1, 1, 1, 1, 1));
}

TEST(GlobalAccess, AsCountedByteByByte) {
  Random random(2);
  for (int i = 0; i < 300; ++i) {
    const Shape shape = {uint64_t(1) << below(random, 5), uint64_t(1) << below(random, 6)};
    const LinearLayout threads = randomDistributed(random, i % 3 ? Mix::Units : Mix::Sums, shape,
                                                   below(random, 3), below(random, 2));
    GlobalTile tile{{below(random, 70), 1}, 1u << below(random, 4), 1u << below(random, 4)};
    tile.strides[0] *= tile.contiguity;
    if (below(random, 2))
      tile.strides[1] = 1 + below(random, 3);
    const GlobalAccess access = globalAccess(threads, tile);
    uint64_t sectors = 0, requests = 0;
    std::set<Coordinates> accessed, all;
    for (uint64_t warp = 0; warp < threads.inputs()[0].size(); ++warp)
      for (const auto &step : access.steps) {
        ASSERT_EQ(step.size(), access.elements);
        std::set<int64_t> touched;
        for (uint64_t lane = 0; lane < 32; ++lane) {
          int64_t expected = -1;
          for (unsigned r : step) {
            const Coordinates element = threads(Coordinates{warp, lane, r});
            accessed.insert(element);
            const int64_t index =
                int64_t(element[0]) * tile.strides[0] + int64_t(element[1]) * tile.strides[1];
            // Neighbours in memory, aligned.
            if (expected < 0)
              ASSERT_EQ(index % access.elements, 0);
            else
              ASSERT_EQ(index, expected);
            expected = index + 1;
            for (unsigned byte = 0; byte < tile.elementBytes; ++byte)
              touched.insert((index * tile.elementBytes + byte) / 32);
          }
        }
        sectors += touched.size();
        ++requests;
      }
    for (uint64_t place = 0; place < uint64_t(1) << threads.inputBits(); ++place)
      all.insert(unpack(threads.outputs(), threads(place)));
    EXPECT_EQ(accessed, all);
    const Sectors count = countSectors(threads, tile, access);
    ASSERT_EQ(count.touched, sectors);
    ASSERT_EQ(count.requests, requests);
  }
}

} // namespace
} // namespace nereid::layout::test
