// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every plan is executed, and every register of every thread compared with what the target layout
// says it holds.
#include "layout/Conversion.h"
#include "layout/Blocked.h"
#include "layout/Fragment.h"
#include "layout/Gather.h"
#include "layout/Machine.h"
#include "layout/RandomLayout.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nereid::layout::test {
namespace {

constexpr unsigned Nothing = 0, Rename = 1, Shuffles = 2, Shared = 3; // indices of the variant

std::string describe(const LinearLayout &source, const LinearLayout &target,
                     unsigned elementBytes) {
  return toString(source) + "\nto " + toString(target) + "\nof " + std::to_string(elementBytes) +
         " bytes";
}

bool hasUnitBases(const LinearLayout &layout) {
  return std::all_of(layout.bases().begin(), layout.bases().end(),
                     [](Vector basis) { return !(basis & (basis - 1)); });
}

Conversion convert(const LinearLayout &source, const LinearLayout &target, unsigned elementBytes,
                   ConversionOptions options = {}) {
  Conversion conversion = planConversion(source, target, elementBytes, options);
  EXPECT_EQ(execute(conversion.plan, holding(source), target), holding(target))
      << describe(source, target, elementBytes);
  if (const auto *shared = std::get_if<SharedPlan>(&conversion.plan)) {
    const SharedAccess &write = shared->path.write, &read = shared->path.read;
    EXPECT_TRUE(shared->path.layout.isInvertible());
    if (hasUnitBases(source) && hasUnitBases(target) && write.instruction == read.instruction &&
        write.elements == read.elements)
      EXPECT_FALSE(shared->path.hasConflicts()) << describe(source, target, elementBytes);
    for (const SharedAccess *access : {&write, &read})
      EXPECT_EQ(access->wavefronts,
                countWavefronts(*access, elementBytes, 1u << source.bases(Warp).size()))
          << describe(source, target, elementBytes);
  }
  return conversion;
}

Shape randomShape(Random &random, unsigned bits) {
  Shape shape(1 + below(random, 3), 1);
  while (bits-- > 0)
    shape[below(random, unsigned(shape.size()))] *= 2;
  return shape;
}

TEST(Conversion, RandomPairs) {
  Random random(1);
  unsigned counts[4] = {};
  for (unsigned i = 0; i < 1500; ++i) {
    const unsigned warps = below(random, 4), bits = below(random, i % 50 ? 11 : 15);
    const Shape shape = randomShape(random, bits);
    const auto layout = [&] {
      return randomDistributed(random, below(random, 3) ? Mix::Units : Mix::Sums, shape, warps,
                               below(random, 3));
    };
    const LinearLayout source = layout(), target = layout();
    ConversionOptions options;
    options.allowShuffles = below(random, 4) != 0;
    options.matrices = {below(random, 2) != 0, below(random, 2) != 0};
    ++counts[convert(source, target, 1u << below(random, 4), options).plan.index()];
    if (HasFailure())
      return;
  }
  EXPECT_GT(counts[Shared], 100u);
  EXPECT_GT(counts[Shuffles], 10u);
}

/// Pairs that keep each element in its warp: registers and lanes mixed at will.
TEST(Conversion, RandomPairsWithinWarps) {
  Random random(2);
  for (unsigned i = 0; i < 1500; ++i) {
    const unsigned warpBits = below(random, 4), bits = below(random, 10);
    const unsigned inside = std::max(LaneBits, bits) + below(random, 3);
    const Shape shape = {uint64_t(1) << (warpBits + bits)};
    const auto layout = [&] {
      // A surjective map of a warp's places onto the low bits.
      const Mix mix = below(random, 2) ? Mix::Units : Mix::Sums;
      const LinearLayout warp = randomDistributed(random, mix, {uint64_t(1) << bits}, 0,
                                                  inside - std::max(LaneBits, bits));
      std::vector<Vector> warps;
      for (unsigned bit = 0; bit < warpBits; ++bit) {
        const Vector low = mix == Mix::Sums ? random() & ((Vector(1) << bits) - 1) : 0;
        warps.push_back(Vector(1) << (bits + bit) | low);
      }
      return distributed(shape, warp.bases(Register), warp.bases(Lane), warps);
    };
    const LinearLayout source = layout(), target = layout();
    const unsigned elementBytes = 1u << below(random, 4);
    const auto plan = planShuffles(source, target, elementBytes);
    ASSERT_TRUE(plan) << describe(source, target, elementBytes);
    ASSERT_EQ(execute(*plan, holding(source), target), holding(target))
        << describe(source, target, elementBytes);
    convert(source, target, elementBytes);
    if (HasFailure())
      return;
  }
}

TEST(Conversion, CopiesAcrossWarpsNeedMoreTurns) {
  // Both warps hold everything in the source; in the target each holds half of it, and lane bit 0
  // chooses what was a register. So one lane must send two registers to lanes that receive at once.
  const LinearLayout source = distributed(
      {64}, std::vector<Vector>{32}, std::vector<Vector>{1, 2, 4, 8, 16}, std::vector<Vector>{0});
  const LinearLayout target = distributed(
      {64}, std::vector<Vector>{}, std::vector<Vector>{32, 2, 4, 8, 16}, std::vector<Vector>{1});
  const Conversion conversion = convert(source, target, 4);
  ASSERT_EQ(conversion.plan.index(), Shuffles);
  const auto &plan = std::get<ShufflePlan>(conversion.plan);
  EXPECT_EQ(plan.received, 2u);
  EXPECT_EQ(plan.results.size(), 1u);
}

TEST(Conversion, SameLayoutIsNothing) {
  const LinearLayout layout = accessLayout({64, 64}, {1, 0}, 64, 2, 4);
  EXPECT_EQ(convert(layout, layout, 2).plan.index(), Nothing);
}

TEST(Conversion, OrderOfRegistersIsARenaming) {
  const LinearLayout source = blockedLayout({{32, 16}, 4, 1, {1, 0}});
  auto registers = source.bases(Register);
  const LinearLayout target =
      distributed({32, 16}, std::vector<Vector>(registers.rbegin(), registers.rend()),
                  source.bases(Lane), source.bases(Warp));
  EXPECT_EQ(convert(source, target, 4).plan.index(), Rename);
}

TEST(Conversion, RepeatedRegistersAreARenaming) {
  const LinearLayout narrow = blockedLayout({{32, 1}, 1, 1, {0, 1}});
  const LinearLayout wide = broadcast(narrow, 1, 8);
  EXPECT_EQ(convert(expanded(sliced(wide, 1).layout, 1), narrow, 4).plan.index(), Nothing);
}

TEST(Conversion, AccumulatorIsOperandOfTheNextProduct) {
  // D of one product in 16 bits is A of the next (wgmma, and mma.sync with k16).
  EXPECT_EQ(convert(wgmmaAccumulatorLayout({128, 64}, 64, {2, 1}),
                    wgmmaOperandALayout({128, 64}, 16, {2, 1}), 2)
                .plan.index(),
            Nothing);
  EXPECT_EQ(convert(mmaLayout(Operand::D, {64, 32}, 32, 16, {4, 1}),
                    mmaLayout(Operand::A, {64, 32}, 16, 16, {4, 1}), 2)
                .plan.index(),
            Nothing);
  // Not so for 8-bit types: elements change lanes, in groups of four.
  EXPECT_EQ(convert(wgmmaAccumulatorLayout({64, 64}, 64, {1, 1}),
                    wgmmaOperandALayout({64, 64}, 8, {1, 1}), 1)
                .plan.index(),
            Shuffles);
  // But where even columns come first.
  for (const auto &[columns, n] : {std::pair(32u, 32u), {64u, 64u}, {512u, 256u}})
    EXPECT_EQ(convert(withEvenColumnsFirst(wgmmaAccumulatorLayout({128, columns}, n, {2, 1})),
                      wgmmaOperandALayout({128, columns}, 8, {2, 1}), 1)
                  .plan.index(),
              Rename);
}

TEST(Conversion, RowSumsAreSpreadByShuffles) {
  // A reduction's result, held by the lanes that shared a row, to one element per lane.
  const LinearLayout rows = sliced(mmaFragment(Operand::D, 32, 16), 1).layout;
  const LinearLayout flat = blockedLayout({{16}, 1, 1, {0}});
  EXPECT_EQ(convert(rows, flat, 4).plan.index(), Shuffles);
}

TEST(Conversion, TransposeOfRegistersAndLanes) {
  // 32 x 32 with a row, then a column, in each lane.
  const LinearLayout rows = blockedLayout({{32, 32}, 32, 1, {1, 0}});
  const LinearLayout columns = blockedLayout({{32, 32}, 32, 1, {0, 1}});
  const auto plan = planShuffles(rows, columns, 4);
  ASSERT_TRUE(plan);
  EXPECT_EQ(execute(*plan, holding(rows), columns), holding(columns));
  size_t shuffled = 0;
  for (const ShufflePlan::Shuffle &shuffle : plan->shuffles)
    shuffled += plan->staysInLane(shuffle) ? 0 : 1;
  EXPECT_EQ(shuffled, 31u); // the diagonal stays
  for (unsigned bytes : {1u, 2u, 4u, 8u})
    convert(rows, columns, bytes);
}

TEST(Conversion, LoadedTileToFragments) {
  for (unsigned bytes : {1u, 2u, 4u}) {
    for (unsigned dimension : {0u, 1u})
      for (Operand operand : {Operand::A, Operand::B}) {
        const Shape shape = operand == Operand::A ? Shape{64, 64} : Shape{64, 128};
        const LinearLayout loaded = accessLayout(shape, {dimension, 1 - dimension}, 64, bytes, 4);
        const LinearLayout fragment = mmaLayout(operand, shape, 8 * bytes, 32 / bytes, {2, 2});
        const Conversion conversion = convert(loaded, fragment, bytes, {true, {true, true}});
        // No conflicts, and every wavefront carries 128 bytes.
        const auto &path = std::get<SharedPlan>(conversion.plan).path;
        for (const auto &[layout, access] :
             {std::pair(&loaded, &path.write), std::pair(&fragment, &path.read)}) {
          EXPECT_EQ(access->wavefronts, access->idealWavefronts);
          EXPECT_EQ(access->totalWavefronts() * 4, bytes << layout->bases(Register).size());
        }
      }
  }
}

TEST(Conversion, TransposedStoreThroughMemory) {
  // Loaded along columns, stored along rows, 16 bytes at a time on both sides where a thread's
  // elements allow, and then without conflicts.
  const LinearLayout source = blockedLayout({{64, 64}, 8, 4, {1, 0}});
  const LinearLayout target = blockedLayout({{64, 64}, 8, 4, {0, 1}});
  for (unsigned bytes : {1u, 2u, 4u, 8u}) {
    const Conversion conversion = convert(source, target, bytes);
    ASSERT_EQ(conversion.plan.index(), Shared);
    EXPECT_FALSE(std::get<SharedPlan>(conversion.plan).withinWarps);
  }
}

TEST(Conversion, AccumulatorToRows) {
  // The epilogue of a matrix product: stmatrix writes, 16-byte rows are read.
  const LinearLayout d = wgmmaAccumulatorLayout({128, 128}, 128, {2, 1});
  const LinearLayout rows = accessLayout({128, 128}, {1, 0}, 128, 2, 8);
  const Conversion conversion = convert(d, rows, 2, {true, {true, true}});
  const auto &path = std::get<SharedPlan>(conversion.plan).path;
  EXPECT_EQ(path.write.instruction, SharedInstruction::Matrix);
  EXPECT_EQ(path.write.matrices, 4u);
  EXPECT_EQ(path.read.elements, 8u);
  EXPECT_EQ(path.write.wavefronts, path.write.idealWavefronts);
  EXPECT_EQ(path.read.wavefronts, path.read.idealWavefronts);
}

/// Follows the plan for every register of every thread and every index.
void checkGather(const GatherPlan &plan, const LinearLayout &source, const LinearLayout &result,
                 unsigned axis) {
  const uint64_t warps = uint64_t(1) << result.bases(Warp).size();
  for (uint64_t warp = 0; warp < warps; ++warp)
    for (uint64_t lane = 0; lane < 32; ++lane)
      for (uint64_t reg = 0; reg < plan.registers.size(); ++reg)
        for (uint64_t index = 0; index < source.outputs()[axis].size(); ++index) {
          const uint64_t fromLane = plan.lane(unsigned(lane), unsigned(warp)) ^ plan.laneXor[reg] ^
                                    combine(plan.laneOfIndex, index);
          const uint64_t fromRegister = plan.registers[reg] ^ combine(plan.registerOfIndex, index);
          Coordinates wanted = result(Coordinates{warp, lane, reg});
          wanted[axis] = index;
          ASSERT_EQ(source(Coordinates{warp, fromLane, fromRegister}), wanted)
              << toString(source) << "\nat " << toString(result);
        }
}

TEST(Gather, FindsElementsInTheWarp) {
  Random random(9);
  unsigned planned = 0;
  for (unsigned i = 0; i < 600; ++i) {
    const unsigned warps = below(random, 3), axis = below(random, 2);
    Shape shape = {uint64_t(1) << below(random, 5), uint64_t(1) << below(random, 6)}, taken = shape;
    taken[axis] = uint64_t(1) << below(random, 6);
    const Mix mix = i % 3 ? Mix::Units : Mix::Sums;
    const LinearLayout source = randomDistributed(random, mix, shape, warps, below(random, 2)),
                       result = i % 2 ? randomDistributed(random, mix, taken, warps, 0)
                                      : blockedLayout({taken, 1, 1u << warps, {axis, 1 - axis}});
    if (const std::optional<GatherPlan> plan = planGather(source, result, axis)) {
      checkGather(*plan, source, result, axis);
      ++planned;
    }
  }
  EXPECT_GT(planned, 20u);
}

TEST(Gather, RowsOfLanesNeedNoMemory) {
  const LinearLayout rows = blockedLayout({{8, 32}, 1, 4, {1, 0}});
  const std::optional<GatherPlan> plan = planGather(rows, rows, 1);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->registerOfIndex, std::vector<Vector>(5, 0));
  checkGather(*plan, rows, rows, 1);
  // Columns go over warps.
  EXPECT_FALSE(planGather(rows, rows, 0));
}

} // namespace
} // namespace nereid::layout::test
