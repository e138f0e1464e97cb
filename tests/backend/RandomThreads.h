// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random kernels of threads: what one is made of, and its two readings, as text of the tile dialect
// and as a program that runs one thread after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace nereid::test::threads {

/// Variables of a thread. The last two are given uniform values alone, where all threads are
/// together.
inline constexpr int differingVariables = 4, variables = 6;
inline constexpr int inputSize = 64, ownSlots = 4, localSlots = 4, bins = 8, uniformSlots = 16;

struct Expression {
  enum Kind { Constant, N, Program, Thread, Variable, Add, Sub, Mul, Xor, And, Shift, Less, Wide };
  Kind kind;
  int32_t value = 0; // of a constant; which variable
  std::shared_ptr<Expression> a, b;
};
using Expr = std::shared_ptr<Expression>;

struct Statement {
  enum Kind {
    Assign,       // variable = e0
    If,           // e0 < e1: body, or else other
    While,        // other; while turn < (e0 & 7) and e1 != e2: body; other
    For,          // variable in range(e0 & 7, (e1 & 15) - 4, e2 & 3): body
    Input,        // variable = in[e0 & 63]
    StoreOwn,     // own[e0 & 3] = e1
    LoadOwn,      // variable = own[e0 & 3]
    ExchangeOwn,  // variable = cas(own[e0 & 3], e1, e2)
    StoreLocal,   // local[e0 & 3] = e1
    LoadLocal,    // variable = local[e0 & 3]
    CountShared,  // shared[e0 & 7] += e1, atomically
    Maximum,      // largest[e0 & 7] = max(.., e1), atomically
    StoreUniform, // uniform[number] = n + number
    HandOver,     // all: cache[t] = e0; variable = cache[(t + (e1 & 7)) % threads]
    Shuffle,      // all: variable = e0 of the lane e1 & 7 away, by the way `number`
    Ballot,       // all: variable = for which lanes e0 < e1
  };
  Kind kind;
  int variable = 0, number = 0;
  Expr e[3];
  std::vector<Statement> body = {}, other = {};

  bool meets() const; // whether threads meet in it
};

/// How a shuffle finds whom it asks. Around the warp, or in a way that a GPU has an instruction
/// for: up, down (the thread itself where that leaves the warp) and by other bits.
enum Way { Around, Up, Down, OtherBits, ways };
/// The way that is taken in a block of so many threads: with a warp that is not whole, down and
/// other bits might ask for lanes that are not there.
Way wayIn(int threads, int number);
inline constexpr int warpSize = 32;

struct ThreadBlock {
  int x, y, z;
  int threads() const { return x * y * z; }
};

struct RandomKernel {
  ThreadBlock block;
  std::vector<Statement> statements;
};

RandomKernel randomKernel(uint32_t seed);

/// What a kernel reads and writes. All of i32; `end` holds each thread's variables.
struct ThreadMemory {
  std::vector<int32_t> in, own, shared, largest, uniform, end;
  int32_t n;
};
ThreadMemory randomMemory(const RandomKernel &kernel, int programs, uint32_t seed);

/// Arguments: the arrays in the order above, and n.
std::string textOf(const RandomKernel &kernel);
void runByThreads(const RandomKernel &kernel, int programs, ThreadMemory &memory);

} // namespace nereid::test::threads
