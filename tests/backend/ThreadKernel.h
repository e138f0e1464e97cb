// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of threads as text, run by the interpreter and the CPU in blocks of many shapes.
#pragma once

#include "support/TileProgram.h"

#include <functional>
#include <string>
#include <vector>

namespace nereid::test::threads {

struct Block {
  int x, y, z;
  int threads() const { return x * y * z; }
};

/// Whole registers, less than one, and shapes with sizes of 1 at every place.
std::vector<Block> blocks();

inline constexpr int programs = 3;
/// The interpreter and the CPU; only the CPU where NEREID_CPU asks for another's code, which the
/// interpreter does not have.
std::vector<Executor> executors();
const char *nameOf(Executor executor);

/// A kernel whose text knows its thread as %t in the block and %g in the grid, and the constants
/// %c0, %c1 and %c2; $T stands for the threads of a block.
std::string kernelText(const std::string &parameters, const std::string &body, Block block);

std::vector<int32_t> randomInts(size_t count, unsigned seed, int low, int high);

/// Runs a kernel of `in` and `out`, two pointers to i32, and of an i32 `n`, in blocks of every
/// shape. `expect` gets the number of threads, the input and `n`, and changes the output.
using Expect =
    std::function<void(Block, const std::vector<int32_t> &in, int n, std::vector<int32_t> &out)>;
void check(const std::string &body, int low, int high, const Expect &expect);

/// One that is the same for each thread by itself.
void checkEach(const std::string &body, int low, int high,
               const std::function<int32_t(int g, int t, int n, int32_t in, int32_t old)> &value);

/// The addresses of the thread's elements, %pin and %pout; `v` loads %v besides.
extern const std::string here, v;

} // namespace nereid::test::threads
