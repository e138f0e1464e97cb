// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of threads: programs are threads, and so many of them, counted x fastest, are a block.
// The grid of programs is the grid of blocks, longer along x by the threads of a block.
#pragma once

#include "dialect/tile/Tile.h"
#include "interpret/memory/AddressSpace.h"
#include "interpret/operations/Program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <vector>

namespace nereid::interpret {

class BlockSchedule;

/// The grid of threads. Throws Error(Usage) if they are more than the checked device counts.
GridExtent gridOfThreads(GridExtent blocks, tile::BlockShape block);

/// Which thread a program is: its index in its block, and that of the block.
struct ThreadPlace {
  ProgramId thread, block;
};
ThreadPlace placeOf(ProgramId program, tile::BlockShape block);

/// What the threads of a block have: its shape, and memory of their own, which one block after the
/// other gets, or, where all run at once, each for itself.
class ThreadBlock {
public:
  /// Throws Error(Usage) if all run at once and are more than there is room for.
  ThreadBlock(mlir::func::FuncOp kernel, GridExtent blocks, AddressSpace &memory);

  tile::BlockShape shape() const { return extents; }
  uint64_t threads() const { return static_cast<uint64_t>(extents.threads()); }
  ThreadPlace placeOf(ProgramId program) const { return interpret::placeOf(program, extents); }
  bool runsAllAtOnce() const { return isAllAtOnce; }
  /// The number in the address space of an operation's memory, for a thread.
  uint64_t memoryOf(mlir::Operation *op, ProgramId program) const;
  /// All of it.
  const std::vector<uint64_t> &memory() const { return numbers; }

  /// Set while threads can wait for one another.
  BlockSchedule *schedule = nullptr;

private:
  void add(mlir::Operation *op, AddressSpace &memory);
  void addTable(tile::TableOp op, AddressSpace &memory);

  tile::BlockShape extents;
  GridExtent blocks;
  bool isAllAtOnce;
  std::vector<std::unique_ptr<std::byte[]>> buffers;
  std::vector<uint64_t> numbers;
  llvm::DenseMap<mlir::Operation *, uint64_t> first; // number
};

} // namespace nereid::interpret
