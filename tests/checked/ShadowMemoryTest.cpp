// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/ShadowMemory.h"

#include "dialect/tile/Kernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>
#include <random>

namespace nereid::check {

namespace {

/// Arrays of a kernel, where a test wants them.
struct Arrays {
  std::unique_ptr<mlir::MLIRContext> context = tile::createContext();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(
      "func.func @k(%a: !tile.ptr<i32>, %b: !tile.ptr<i32>, %c: !tile.ptr<i32>) { return }",
      context.get());
  std::vector<ArgumentSlot> slots;
  std::optional<interpret::AddressSpace> memory;

  interpret::RunEvent run() {
    memory.emplace(*module->getOps<mlir::func::FuncOp>().begin(), slots);
    return {*memory, {}, {}, ~uint64_t(0)};
  }
};

} // namespace

/// Two arrays overlap in the middle of an element; ranges begin and end anywhere.
TEST(ShadowMemory, KnowsWhatANumberForEachElementKnows) {
  constexpr uint64_t start = 4096, bytes = 4 * 1000, shift = 4 * 300 + 2;
  Arrays arrays;
  arrays.slots = {{start, bytes}, {start + shift, bytes}, {start + 100'000, 4}};
  ShadowMemory shadow(arrays.run());
  std::vector<uint32_t> expected((shift + bytes + 3) / 4, 0);
  std::mt19937 random(11);
  for (uint32_t step = 1; step < 4000; ++step) {
    uint64_t array = 1 + random() % 2, begin = array == 1 ? 0 : shift;
    uint64_t offset = random() % bytes;
    uint64_t length = 1 + random() % std::min<uint64_t>(bytes - offset, step % 2 ? 40 : bytes);
    // Few numbers, so that elements become alike again.
    uint32_t number = random() % 3;
    uint64_t at = (begin + offset) / 4, end = (begin + offset + length - 1) / 4 + 1;
    shadow.replace(array, offset, length,
                   [&](uint32_t before, const ShadowMemory::Elements &elements) {
                     uint64_t first = at * 4 < begin ? 0 : at * 4 - begin;
                     EXPECT_EQ(elements.offset, first);
                     EXPECT_EQ(elements.step, 4u);
                     for (uint64_t i = 0; i < elements.count; ++i)
                       EXPECT_EQ(expected[at + i], before) << step;
                     std::fill_n(expected.begin() + int64_t(at), elements.count, number);
                     at += elements.count;
                     return number;
                   });
    ASSERT_EQ(at, end) << step;
    ASSERT_FALSE(HasFailure());
  }
  shadow.replace(3, 0, 4, [](uint32_t before, const auto &) {
    EXPECT_EQ(before, 0u);
    return before;
  });
}

} // namespace nereid::check
