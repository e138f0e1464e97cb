// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A random kernel of threads, run thread by thread: the next starts when one has come to a place
// where threads meet, or to the end.
#include "backend/RandomThreads.h"

#include <algorithm>
#include <span>

namespace nereid::test::threads {
namespace {

int32_t wrapped(int64_t value) { return static_cast<int32_t>(static_cast<uint64_t>(value)); }

class Thread {
public:
  Thread(ThreadMemory &memory, std::vector<int32_t> &shared, int program, int thread, int threads)
      : memory(memory), shared(shared), program(program), thread(thread),
        own(&memory.own[static_cast<size_t>(program * threads + thread) * ownSlots]) {
    for (int i = 0; i < variables; ++i)
      values[i] = i < differingVariables ? i : 0;
  }

  int32_t of(const Expr &e) const {
    int64_t a = e->a ? of(e->a) : 0, b = e->b ? of(e->b) : 0;
    switch (e->kind) {
    case Expression::Constant:
      return e->value;
    case Expression::N:
      return memory.n;
    case Expression::Program:
      return program;
    case Expression::Thread:
      return thread;
    case Expression::Variable:
      return values[e->value];
    case Expression::Add:
      return wrapped(a + b);
    case Expression::Sub:
      return wrapped(a - b);
    case Expression::Mul:
      return wrapped(a * b);
    case Expression::Xor:
      return wrapped(a ^ b);
    case Expression::And:
      return wrapped(a & b);
    case Expression::Shift:
      return wrapped(a >> (b & 7));
    case Expression::Less:
      return a < b;
    case Expression::Wide:
      return wrapped((a * b) >> 16);
    }
    return 0;
  }
  bool goesOn(const Statement &s, int turn) const {
    return turn < (of(s.e[0]) & 7) && of(s.e[1]) != of(s.e[2]);
  }

  void run(const std::vector<Statement> &list) {
    for (const Statement &s : list)
      run(s);
  }

  void run(const Statement &s) {
    using enum Statement::Kind;
    int32_t e0 = of(s.e[0]), e1 = of(s.e[1]), e2 = of(s.e[2]);
    int32_t &to = values[s.variable];
    switch (s.kind) {
    case Assign:
      to = e0;
      break;
    case If:
      run(e0 < e1 ? s.body : s.other);
      break;
    case While:
      for (int turn = 0; run(s.other), goesOn(s, turn); ++turn)
        run(s.body);
      break;
    case For:
      for (int i = e0 & 7, end = (e1 & 15) - 4, step = e2 & 3; step > 0 && i < end; i += step) {
        to = i;
        run(s.body);
      }
      break;
    case Input:
      to = memory.in[e0 & (inputSize - 1)];
      break;
    case StoreOwn:
      own[e0 & 3] = e1;
      break;
    case LoadOwn:
      to = own[e0 & 3];
      break;
    case ExchangeOwn: {
      int32_t &slot = own[e0 & 3], old = slot;
      if (old == e1)
        slot = e2;
      to = old;
      break;
    }
    case StoreLocal:
      local[e0 & 3] = e1;
      break;
    case LoadLocal:
      to = local[e0 & 3];
      break;
    case CountShared:
      shared[e0 & 7] = wrapped(int64_t(shared[e0 & 7]) + e1);
      break;
    case Maximum:
      memory.largest[e0 & 7] = std::max(memory.largest[e0 & 7], e1);
      break;
    case StoreUniform:
      memory.uniform[static_cast<size_t>(program * uniformSlots + s.number)] = memory.n + s.number;
      break;
    case HandOver: // of all together
    case Shuffle:
    case Ballot:
      break;
    }
  }

  int32_t values[variables];

private:
  ThreadMemory &memory;
  std::vector<int32_t> &shared;
  int program, thread;
  int32_t *own, local[localSlots] = {};
};

void runTogether(std::vector<Thread> &threads, const std::vector<Statement> &list);

int partnerOf(Way way, int lane, int distance, int lanes) {
  switch (way) {
  case Up:
    return lane >= distance ? lane - distance : lane;
  case Down:
    return lane + distance < warpSize ? lane + distance : lane;
  case OtherBits:
    return lane ^ distance;
  default:
    return (lane + distance) % lanes;
  }
}

void runWarp(std::span<Thread> warp, Way way, const Statement &s) {
  std::vector<int32_t> given;
  uint32_t holds = 0;
  for (size_t lane = 0; lane < warp.size(); ++lane) {
    given.push_back(warp[lane].of(s.e[0]));
    holds |= static_cast<uint32_t>(given[lane] < warp[lane].of(s.e[1])) << lane;
  }
  std::vector<int> asked;
  for (size_t lane = 0; lane < warp.size(); ++lane)
    asked.push_back(partnerOf(way, static_cast<int>(lane), warp[lane].of(s.e[1]) & 7,
                              static_cast<int>(warp.size())));
  for (size_t lane = 0; lane < warp.size(); ++lane)
    warp[lane].values[s.variable] = s.kind == Statement::Kind::Ballot
                                        ? static_cast<int32_t>(holds)
                                        : given[static_cast<size_t>(asked[lane])];
}

void runTogether(std::vector<Thread> &threads, const Statement &s) {
  using enum Statement::Kind;
  const Thread &first = threads[0];
  if (!s.meets()) {
    for (Thread &thread : threads)
      thread.run(s);
  } else if (s.kind == If) {
    bool holds = first.of(s.e[0]) < first.of(s.e[1]);
    runTogether(threads, holds ? s.body : s.other);
  } else if (s.kind == While) {
    for (int turn = 0; runTogether(threads, s.other), first.goesOn(s, turn); ++turn)
      runTogether(threads, s.body);
  } else if (s.kind == For) {
    int i = first.of(s.e[0]) & 7, end = (first.of(s.e[1]) & 15) - 4, step = first.of(s.e[2]) & 3;
    for (; step > 0 && i < end; i += step) {
      for (Thread &thread : threads)
        thread.values[s.variable] = i;
      runTogether(threads, s.body);
    }
  } else if (s.kind == Shuffle || s.kind == Ballot) {
    for (size_t begin = 0; begin < threads.size(); begin += warpSize)
      runWarp(std::span(threads).subspan(begin, std::min<size_t>(warpSize, threads.size() - begin)),
              wayIn(static_cast<int>(threads.size()), s.number), s);
  } else {
    std::vector<int32_t> cache;
    for (Thread &thread : threads)
      cache.push_back(thread.of(s.e[0]));
    for (size_t t = 0; t < threads.size(); ++t)
      threads[t].values[s.variable] =
          cache[(t + static_cast<size_t>(threads[t].of(s.e[1]) & 7)) % threads.size()];
  }
}

void runTogether(std::vector<Thread> &threads, const std::vector<Statement> &list) {
  for (const Statement &s : list)
    runTogether(threads, s);
}

} // namespace

void runByThreads(const RandomKernel &kernel, int programs, ThreadMemory &memory) {
  int count = kernel.block.threads();
  for (int program = 0; program < programs; ++program) {
    std::vector<int32_t> shared(bins, 0);
    std::vector<Thread> threads;
    for (int t = 0; t < count; ++t)
      threads.emplace_back(memory, shared, program, t, count);
    runTogether(threads, kernel.statements);
    for (int t = 0; t < count; ++t)
      for (int i = 0; i < variables; ++i)
        memory.end[static_cast<size_t>((program * count + t) * variables + i)] =
            threads[static_cast<size_t>(t)].values[i];
    for (size_t bin = 0; bin < bins; ++bin)
      memory.shared[bin] = wrapped(int64_t(memory.shared[bin]) + shared[bin]);
  }
}

} // namespace nereid::test::threads
