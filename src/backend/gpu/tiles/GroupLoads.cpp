// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Aliasing.h"
#include "analysis/Slice.h"
#include "backend/gpu/Passes.h"
#include "dialect/tile/Tile.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::backend::gpu {

namespace {

constexpr uint64_t registerBytes = 4;

class Grouper {
public:
  Grouper(Block &block, const Configuration &configuration, const analysis::Aliasing &aliasing)
      : block(block), aliasing(aliasing), threads(configuration.threads()),
        mostRegisters(configuration.policy.loaded_registers) {}

  void run() {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto load = llvm::dyn_cast<tile::LoadOp>(op);
      if (load && !tile::accessOf(load).isOrdered())
        visit(load);
      else if (auto store = llvm::dyn_cast<tile::StoreOp>(op);
               store && !tile::accessOf(store).isOrdered())
        passed.push_back(store);
      else if (op.getNumRegions() > 0 || !isMemoryEffectFree(&op) || llvm::isa<tile::DotOp>(op))
        last = nullptr;
    }
  }

private:
  void visit(tile::LoadOp load) {
    uint64_t own = registersOf(load);
    if (!last || registers + own > mostRegisters || isWrittenBefore(load)) {
      last = load;
      registers = own;
      passed.clear();
      return;
    }
    llvm::SmallVector<Operation *> moved = sourcesOf(load).takeVector();
    llvm::sort(moved, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    moved.push_back(load);
    for (Operation *op : moved) {
      op->moveAfter(last);
      last = op;
    }
    registers += own;
  }

  /// By what the load would move past (a norm stores its mean before it asks for weights).
  bool isWrittenBefore(tile::LoadOp load) const {
    return llvm::any_of(passed, [&](tile::StoreOp store) {
      return aliasing.mayMeet(load.getPointer(), store.getPointer());
    });
  }

  /// What the operation is computed from behind the last load.
  llvm::SetVector<Operation *> sourcesOf(Operation *op) const {
    return *analysis::backwardSlice(op->getOperands(), [&](Operation *source) {
      bool isBehind = source->getBlock() == &block && last->isBeforeInBlock(source);
      return isBehind ? analysis::Belongs::Yes : analysis::Belongs::No;
    });
  }

  uint64_t registersOf(tile::LoadOp load) const {
    Type type = load.getType();
    uint64_t bytes = tile::elementCount(type) * tile::byteSizeOf(tile::elementOf(type));
    return llvm::divideCeil(bytes, threads * registerBytes);
  }

  Block &block;
  const analysis::Aliasing &aliasing;
  llvm::SmallVector<tile::StoreOp> passed; // behind the last load
  uint64_t threads, mostRegisters;
  Operation *last = nullptr; // of the group: its last load
  uint64_t registers = 0;    // of the group's tiles
};

} // namespace

void groupLoads(func::FuncOp kernel, const Configuration &configuration) {
  analysis::Aliasing aliasing(kernel);
  kernel.walk([&](Block *block) { Grouper(*block, configuration, aliasing).run(); });
}

} // namespace nereid::backend::gpu
