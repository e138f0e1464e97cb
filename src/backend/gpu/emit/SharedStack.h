// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program's shared memory, as a stack: rooms that live for a while, and on top of them scratch
// for tiles on their way from some threads to others.
#pragma once

#include "backend/gpu/Target.h"
#include "backend/gpu/emit/EmittedCosts.h"
#include "layout/SharedAccess.h"

#include "mlir/IR/Operation.h"

#include <functional>

namespace nereid::backend::gpu {

class SharedStack {
public:
  /// `threads` share it: all of the block, or all but the producer's.
  SharedStack(llvm::Module &module, Builder &builder, const Target &target, unsigned threads,
              unsigned lanesPerWarp)
      : module(module), b(builder), target(target), threads(threads), lanesPerWarp(lanesPerWarp) {}

  /// An i32 address in shared memory, which nobody reads any more. The room is there until it is
  /// freed; what was allocated last is freed first. As long as it is there, no more than `reserved`
  /// bytes are believed to be taken in all.
  llvm::Value *allocate(uint64_t size, std::optional<uint64_t> reserved = std::nullopt);
  void free(uint64_t size);
  /// The same, before anything else is allocated, and to the end: a room below all others.
  llvm::Value *keep(uint64_t size);

  /// Scratch of `size` bytes that nobody reads any more; an i32 address. Uses share it one after
  /// the other, with barriers of the block between them; small ones take turns with two places, so
  /// that the barrier before one's readers is that behind the readers of the other.
  llvm::Value *beginWriting(uint64_t size);
  /// Nobody reads any more what was there before: for rooms that are written again.
  void awaitReaders();
  /// All that was written to the scratch is there for everybody; or for the warp that wrote it, if
  /// none reads what another one wrote.
  void beginReading(bool isWithinWarps = false);
  /// A room is read, or paths of control flow join: what others may still read is not known.
  void forget() { mayBeRead = true; }
  void barrier();
  /// Where a predicate is true that all threads have alike; elsewhere they do not wait.
  void barrierWhere(llvm::Value *predicate);
  /// Emitted once, before the next barrier, where a thread has computed what others wait for.
  void beforeNextBarrier(std::function<void()> emit) { delayed.push_back(std::move(emit)); }
  /// Whether there was no barrier since such a thing was asked for.
  bool awaitsBarrier() const { return !delayed.empty(); }

  /// To the byte `offset` behind an address, i32, which instructions take as a constant of theirs.
  llvm::Value *pointer(llvm::Value *address, uint64_t offset = 0);
  /// Writes a number or pointer, i1 as a byte, where the predicate is true; null is true.
  void store(llvm::Value *value, llvm::Value *address, llvm::Value *predicate);
  /// Adds 1 to the i32 there, in one step, where the predicate is true.
  void addOne(llvm::Value *address, llvm::Value *predicate);
  /// All that is ever in use at once.
  uint64_t bytes() const { return mostBytes; }

  /// What is taken from here on is for this operation.
  void takeFor(mlir::Operation *op) { user = op; }
  /// The operation for which most was taken at a time; null if nothing was.
  mlir::Operation *largestUser() const { return largest; }

  /// An operation that took more than had been believed would ever be taken beside a room.
  struct Excess {
    mlir::Operation *user;
    uint64_t taken, reserved; // bytes, of all rooms and scratch
  };
  /// The one that took most beyond.
  const std::optional<Excess> &excess() const { return mostExcess; }

  /// Counts an access by all warps for the operation that takes.
  void countRead(const layout::SharedAccess &access) { countRead(access, access.steps.size()); }
  void countRead(const layout::SharedAccess &access, uint64_t requests);
  void countWrite(const layout::SharedAccess &access) {
    countAccesses(access.steps.size(), access.wavefronts, access.idealWavefronts);
  }
  /// A barrier that was emitted for it elsewhere.
  void countBarrier();
  /// The same of each warp by itself.
  void countWarpBarrier();
  /// So many requests of each warp, of so many wavefronts each.
  void countAccesses(uint64_t requests, uint64_t wavefronts = 1, uint64_t least = 1);
  /// Each operation that did something to shared memory.
  const EmittedCosts &costs() const { return spent; }

private:
  /// Bytes above `top`.
  struct Scratch {
    uint64_t begin = 0, end = 0;
  };
  llvm::Value *at(uint64_t offset);
  uint64_t placeForScratch(uint64_t size) const;
  void count(uint64_t size, uint64_t end);

  llvm::Module &module;
  Builder &b;
  const Target &target;
  unsigned threads, lanesPerWarp;
  llvm::GlobalVariable *memory = nullptr;
  uint64_t bottom = 0, top = 0, mostBytes = 0;
  mlir::Operation *user = nullptr, *largest = nullptr;
  uint64_t largestBytes = 0; // that were taken for it at a time
  /// A room that begins at `begin`.
  struct Reservation {
    uint64_t begin, bytes;
  };
  llvm::SmallVector<Reservation, 4> reservations;
  std::optional<Excess> mostExcess;
  EmittedCosts spent;
  Scratch written, read;  // the last one, and what may be read since the last barrier
  bool mayBeRead = false; // anything else
  llvm::SmallVector<std::function<void()>, 1> delayed;
};

} // namespace nereid::backend::gpu
