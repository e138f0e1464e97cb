// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Aliasing.h"
#include "analysis/Slice.h"
#include "backend/gpu/Passes.h"
#include "dialect/tile/Tile.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
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
    for (Operation &op : llvm::make_early_inc_range(block))
      if (auto store = llvm::dyn_cast<tile::StoreOp>(op); store && !isRound())
        moveToProduct(store);
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
  bool isRound() const { return llvm::isa<LoopLikeOpInterface>(block.getParentOp()); }

  /// A store behind later products, whose sums registers would hold until then, goes up to what it
  /// waits for, past nothing but arithmetic. In rounds products may overlap with the next ones'.
  void moveToProduct(tile::StoreOp store) {
    Operation *place = nullptr;
    auto made = analysis::backwardSlice(store->getOperands(), [&](Operation *source) {
      bool isHere = source->getBlock() == &block;
      if (isHere && tile::isLanewise(source) && isMemoryEffectFree(source) &&
          source->getNumRegions() == 0)
        return analysis::Belongs::Yes;
      if (isHere && (!place || place->isBeforeInBlock(source)))
        place = source;
      return analysis::Belongs::No;
    });
    if (!made || !llvm::isa_and_nonnull<tile::DotOp>(place) || !passesProducts(place, store))
      return;
    llvm::SmallVector<Operation *> moved = made->takeVector();
    llvm::sort(moved, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    moved.push_back(store);
    for (Operation *op : moved)
      if (place->isBeforeInBlock(op)) {
        op->moveAfter(place);
        place = op;
      }
  }

  /// Whether there is a product between the two, and all that is there is memory's matter to
  /// nobody.
  static bool passesProducts(Operation *first, Operation *last) {
    bool multiplies = false;
    for (Operation *op = first->getNextNode(); op != last; op = op->getNextNode()) {
      if (!isMemoryEffectFree(op))
        return false;
      multiplies |= llvm::isa<tile::DotOp>(op);
    }
    return multiplies;
  }

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
