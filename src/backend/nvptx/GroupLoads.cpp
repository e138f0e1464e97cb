// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/GroupLoads.h"

#include "dialect/tile/Tile.h"
#include "target/NvidiaTarget.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::backend::nvptx {
namespace {

/// Of a thread, of whose 255 a block of eight warps can have that many twice on an SM.
constexpr uint64_t mostRegisters = 48;
/// Of a load that passes reductions, and of all that do: a thread has them beside its part of the
/// row, and more of them would cost blocks on an SM. (Short rows take as long as memory is away.)
constexpr uint64_t mostAcrossReductions = 4, mostTogetherAcross = 8;
constexpr uint64_t registerBytes = 4;

class Grouper {
public:
  Grouper(Block &block, unsigned warps) : block(block), threads(warps * target::warpSize) {}

  void run() {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto load = llvm::dyn_cast<tile::LoadOp>(op);
      if (load && !tile::accessOf(load).isOrdered())
        visit(load);
      else if (llvm::isa<tile::ReduceOp>(op))
        isBehindReduction = true;
      else if (op.getNumRegions() > 0 || !isMemoryEffectFree(&op) || llvm::isa<tile::DotOp>(op))
        last = nullptr;
    }
  }

private:
  void visit(tile::LoadOp load) {
    uint64_t own = registersOf(load);
    llvm::SmallVector<Operation *> moved;
    if (!last || !hasRoomFor(load, own) || !addSources(load, moved)) {
      last = load;
      registers = own;
      registersAcross = 0;
      isBehindReduction = false;
      return;
    }
    llvm::sort(moved, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    moved.push_back(load);
    for (Operation *op : moved) {
      op->moveAfter(last);
      last = op;
    }
    registers += own;
    registersAcross += isBehindReduction ? own : 0;
  }

  bool hasRoomFor(tile::LoadOp load, uint64_t own) const {
    if (registers + own > mostRegisters)
      return false;
    return !isBehindReduction || (tile::isTile(load.getType()) && own <= mostAcrossReductions &&
                                  registersAcross + own <= mostTogetherAcross);
  }

  /// What the operation is computed from behind the last load; false if that is a reduction.
  bool addSources(Operation *op, llvm::SmallVectorImpl<Operation *> &sources) const {
    for (Value operand : op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      bool isBehind = source && source->getBlock() == &block && last->isBeforeInBlock(source);
      if (!isBehind || llvm::is_contained(sources, source))
        continue;
      if (llvm::isa<tile::ReduceOp>(source) || !addSources(source, sources))
        return false;
      sources.push_back(source);
    }
    return true;
  }

  uint64_t registersOf(tile::LoadOp load) const {
    Type type = load.getType();
    uint64_t bytes = tile::elementCount(type) * tile::byteSizeOf(tile::elementOf(type));
    return llvm::divideCeil(bytes, threads * registerBytes);
  }

  Block &block;
  uint64_t threads;
  Operation *last = nullptr;      // of the group: its last load
  uint64_t registers = 0;         // of the group's tiles
  uint64_t registersAcross = 0;   // of those of them that have passed reductions
  bool isBehindReduction = false; // the group's last load is before one
};

} // namespace

void groupLoads(func::FuncOp kernel, unsigned warps) {
  kernel.walk([&](Block *block) { Grouper(*block, warps).run(); });
}

} // namespace nereid::backend::nvptx
