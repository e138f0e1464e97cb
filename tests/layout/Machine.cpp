// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/Machine.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

namespace nereid::layout::test {
namespace {

constexpr unsigned Lanes = 32;

Block emptyBlock(const LinearLayout &layout) {
  return Block(
      size_t(1) << layout.bases(Warp).size(),
      std::vector(Lanes, std::vector<int64_t>(size_t(1) << layout.bases(Register).size(), -1)));
}

Block execute(const RenameRegisters &plan, const Block &source) {
  Block result = source;
  for (size_t warp = 0; warp < source.size(); ++warp)
    for (unsigned lane = 0; lane < Lanes; ++lane) {
      result[warp][lane].clear();
      for (unsigned number : plan.source)
        result[warp][lane].push_back(source[warp][lane].at(number));
    }
  return result;
}

Block execute(const ShufflePlan &plan, const Block &source) {
  Block result = source;
  for (unsigned warp = 0; warp < source.size(); ++warp) {
    std::vector<std::vector<std::vector<int64_t>>> gathered(Lanes), received(Lanes); // of words
    for (unsigned lane = 0; lane < Lanes; ++lane)
      for (unsigned i = 0; i < plan.words.size(); ++i) {
        gathered[lane].emplace_back();
        for (unsigned number : plan.words.at(i ^ plan.before(lane, warp)))
          gathered[lane].back().push_back(source[warp][lane].at(number));
      }
    for (unsigned lane = 0; lane < Lanes; ++lane) {
      received[lane].resize(plan.received);
      for (const ShufflePlan::Shuffle &shuffle : plan.shuffles)
        received[lane].at(shuffle.to) =
            gathered.at(plan.sourceLane(lane, warp) ^ shuffle.laneXor).at(shuffle.from);
      result[warp][lane].clear();
      for (const auto [word, element] : plan.results)
        result[warp][lane].push_back(received[lane].at(word ^ plan.after(lane, warp)).at(element));
    }
  }
  return result;
}

Block execute(const SharedPlan &plan, const Block &source, const LinearLayout &target) {
  const unsigned elementBytes = unsigned(plan.bytes >> target.outputBits());
  SharedMemory memory(size_t(1) << target.outputBits(), -1);
  write(plan.path.write, elementBytes, source, memory);
  Block loaded = emptyBlock(target), result = loaded;
  read(plan.path.read, elementBytes, memory, loaded);
  for (size_t warp = 0; warp < result.size(); ++warp)
    for (unsigned lane = 0; lane < Lanes; ++lane)
      for (unsigned r = 0; r < plan.results.size(); ++r)
        result[warp][lane][r] = loaded[warp][lane].at(plan.results[r]);
  return result;
}

/// Calls `transfer(warp, lane, register, offset)` for each element of an access.
void forEachElement(const SharedAccess &access, unsigned elementBytes, unsigned warps,
                    const std::function<void(unsigned, unsigned, unsigned, unsigned)> &transfer) {
  const unsigned row = 16 / elementBytes;
  for (unsigned warp = 0; warp < warps; ++warp)
    for (const SharedAccess::Step &step : access.steps) {
      const auto address = [&](unsigned lane) { return access.address(lane, warp) ^ step.offset; };
      ASSERT_EQ(step.registers.size(), access.elements * access.matrices);
      for (unsigned lane = 0; lane < Lanes; ++lane)
        for (unsigned i = 0; i < step.registers.size(); ++i) {
          const unsigned element = i % access.elements, matrix = i / access.elements;
          unsigned offset = 0;
          switch (access.instruction) {
          case SharedInstruction::Vector:
            ASSERT_EQ(address(lane) % access.elements, 0u) << "misaligned";
            offset = address(lane) + element;
            break;
          case SharedInstruction::Matrix: // row lane / 4, bytes from 4 * (lane % 4)
            ASSERT_EQ(address(8 * matrix + lane / 4) % row, 0u) << "misaligned";
            offset = address(8 * matrix + lane / 4) + lane % 4 * access.elements + element;
            break;
          case SharedInstruction::MatrixTransposed: // column lane / 4, row 2 * (lane % 4) + element
            ASSERT_EQ(elementBytes, 2u);
            ASSERT_EQ(address(8 * matrix + 2 * (lane % 4) + element) % row, 0u) << "misaligned";
            offset = address(8 * matrix + 2 * (lane % 4) + element) + lane / 4;
            break;
          }
          transfer(warp, lane, step.registers[i], offset);
        }
    }
}

} // namespace

Block holding(const LinearLayout &layout) {
  Block block = emptyBlock(layout);
  for (unsigned warp = 0; warp < block.size(); ++warp)
    for (unsigned lane = 0; lane < Lanes; ++lane)
      for (unsigned r = 0; r < block[warp][lane].size(); ++r)
        block[warp][lane][r] = int64_t(pack(layout.outputs(), layout(Coordinates{warp, lane, r})));
  return block;
}

Block execute(const ConversionPlan &plan, const Block &source, const LinearLayout &target) {
  if (const auto *shared = std::get_if<SharedPlan>(&plan))
    return execute(*shared, source, target);
  if (const auto *shuffles = std::get_if<ShufflePlan>(&plan))
    return execute(*shuffles, source);
  if (const auto *rename = std::get_if<RenameRegisters>(&plan))
    return execute(*rename, source);
  return source;
}

void write(const SharedAccess &access, unsigned elementBytes, const Block &block,
           SharedMemory &memory) {
  forEachElement(access, elementBytes, unsigned(block.size()),
                 [&](unsigned warp, unsigned lane, unsigned r, unsigned offset) {
                   const int64_t value = block[warp][lane].at(r);
                   ASSERT_TRUE(memory.at(offset) == -1 || memory[offset] == value) << "overwritten";
                   memory[offset] = value;
                 });
}

void read(const SharedAccess &access, unsigned elementBytes, const SharedMemory &memory,
          Block &block) {
  forEachElement(access, elementBytes, unsigned(block.size()),
                 [&](unsigned warp, unsigned lane, unsigned r, unsigned offset) {
                   block[warp][lane].at(r) = memory.at(offset);
                 });
}

unsigned countWavefronts(const SharedAccess &access, unsigned elementBytes, unsigned warps) {
  const bool byMatrices = access.instruction != SharedInstruction::Vector;
  // Requests are served in groups: a matrix, or as many lanes as ask for 128 bytes.
  const unsigned bytes = byMatrices ? 16 : access.elements * elementBytes;
  const unsigned group = bytes <= 4 ? 32 : 128 / bytes;
  const unsigned requests = byMatrices ? 8 * access.matrices : Lanes;
  unsigned most = 0;
  for (unsigned warp = 0; warp < warps; ++warp)
    for (const SharedAccess::Step &step : access.steps) {
      unsigned wavefronts = 0;
      for (unsigned first = 0; first < requests; first += group) {
        std::map<unsigned, std::set<unsigned>> wordsOfBank;
        for (unsigned lane = first; lane < first + group; ++lane) {
          const unsigned address = (access.address(lane, warp) ^ step.offset) * elementBytes;
          for (unsigned byte = address; byte < address + bytes; ++byte)
            wordsOfBank[byte / 4 % 32].insert(byte / 4);
        }
        size_t busiest = 0;
        for (const auto &[bank, words] : wordsOfBank)
          busiest = std::max(busiest, words.size());
        wavefronts += unsigned(busiest);
      }
      most = std::max(most, wavefronts);
    }
  return most;
}

} // namespace nereid::layout::test
