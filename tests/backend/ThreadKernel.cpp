// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/ThreadKernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

namespace nereid::test::threads {

const char *nameOf(Executor executor) {
  return executor == Executor::Cpu ? "the CPU" : "the interpreter";
}

std::vector<Block> blocks() {
  std::vector<Block> list = {{1, 1, 1}, {64, 1, 1},  {33, 1, 1}, {1, 9, 1},    {1, 1, 4},
                             {7, 5, 3}, {16, 16, 1}, {1, 6, 7},  {1024, 1, 1}, {100, 1, 2}};
  std::mt19937 random(20);
  for (int i = 0; i < 3; ++i) {
    Block block{1 + int(random() % 40), 1 + int(random() % 5), 1 + int(random() % 4)};
    list.push_back(block);
  }
  return list;
}

std::string kernelText(const std::string &parameters, const std::string &body, Block block) {
  auto number = [](int value) { return std::to_string(value); };
  std::string text = "func.func @kernel(" + parameters +
                     ") attributes {tile.kernel, tile.block = array<i64: " + number(block.x) +
                     ", " + number(block.y) + ", " + number(block.z) + ">} {" + R"(
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %x = tile.thread_id 0
  %y = tile.thread_id 1
  %z = tile.thread_id 2
  %bx = arith.constant )" +
                     number(block.x) + " : i32\n  %by = arith.constant " + number(block.y) +
                     " : i32\n  %count = arith.constant $T : i32\n" + R"(
  %row0 = arith.muli %z, %by : i32
  %row = arith.addi %row0, %y : i32
  %t0 = arith.muli %row, %bx : i32
  %t = arith.addi %t0, %x : i32
  %pid = tile.program_id 0
  %g0 = arith.muli %pid, %count : i32
  %g = arith.addi %g0, %t : i32
)" + body + "\n  return\n}\n";
  for (size_t at; (at = text.find("$T")) != std::string::npos;)
    text.replace(at, 2, number(block.threads()));
  return text;
}

std::vector<Executor> executors() {
  if (std::getenv("NEREID_CPU"))
    return {Executor::Cpu};
  return {Executor::Interpreter, Executor::Cpu};
}

std::vector<int32_t> randomInts(size_t count, unsigned seed, int low, int high) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int32_t> uniform(low, high);
  std::vector<int32_t> values(count);
  std::ranges::generate(values, [&] { return uniform(random); });
  return values;
}

void check(const std::string &body, int low, int high, const Expect &expect) {
  for (Block block : blocks()) {
    size_t all = size_t(programs) * block.threads();
    std::vector<int32_t> in = randomInts(all, block.threads(), low, high),
                         out = randomInts(all, 5, -9, 9);
    int n = int(all) - block.threads() / 3;
    std::string text =
        kernelText("%in: !tile.ptr<i32>, %out: !tile.ptr<i32>, %n: i32", body, block);
    std::vector<int32_t> expected = out;
    expect(block, in, n, expected);
    for (Executor executor : executors()) {
      auto result = runTile(
          text, {TestArgument::array(in), TestArgument::array(out), TestArgument::scalar(n)},
          {programs, 1, 1}, executor);
      EXPECT_EQ(result[1].as<int32_t>(), expected)
          << nameOf(executor) << ", " << block.x << " x " << block.y << " x " << block.z << "\n"
          << text;
    }
  }
}

void checkEach(const std::string &body, int low, int high,
               const std::function<int32_t(int g, int t, int n, int32_t in, int32_t old)> &value) {
  check(body, low, high, [&](Block block, auto &in, int n, auto &out) {
    for (int g = 0; g < int(out.size()); ++g)
      out[g] = value(g, g % block.threads(), n, in[g], out[g]);
  });
}

const std::string here = R"(
  %pin = tile.offset %in, %g : !tile.ptr<i32>, i32
  %pout = tile.offset %out, %g : !tile.ptr<i32>, i32
)";
const std::string v = here + "  %v = tile.load %pin : !tile.ptr<i32>\n";

} // namespace nereid::test::threads
