// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/Passes.h"
#include "backend/gpu/tiles/LoopRounds.h"
#include "layout/Conversion.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::backend::gpu {

namespace {

/// Scalars and what lies in shared memory are none of a tile's registers.
uint64_t wordsOf(Value value) {
  const bool isHeld = tile::isTile(value.getType()) && nv::findLayout(value.getType());
  return isHeld ? nv::registersOf(value.getType()) : 0;
}

class Hoister {
public:
  Hoister(func::FuncOp kernel, const Configuration &configuration)
      : kernel(kernel), most(configuration.policy.sum_registers),
        options({.matrices = configuration.instructions->matrixInstructions()}) {}

  void run() {
    llvm::SmallVector<nv::ConvertOp> inLoops;
    kernel.walk([&](nv::ConvertOp op) {
      if (llvm::isa<scf::ForOp, scf::WhileOp>(op->getParentOp()))
        inLoops.push_back(op);
    });
    for (nv::ConvertOp op : inLoops)
      if (!erased.contains(op))
        hoist(op);
  }

private:
  /// What rounds make the operation's source of; nothing if there is no loop.
  static std::optional<llvm::SmallVector<Operation *, 0>> madeInEachRound(nv::ConvertOp op) {
    if (!llvm::isa<scf::ForOp, scf::WhileOp>(op->getParentOp()))
      return std::nullopt;
    return gpu::madeInEachRound(
        op.getSource(), *op->getBlock(),
        [](Operation *maker) { // assembly may read what is there in a round alone
          return isPure(maker) && !llvm::isa<tile::AssemblyOp>(maker);
        });
  }

  bool moves(Value source, Type type) const { return costOf(source, type) > 0; }

  double costOf(Value source, Type type) const {
    return layout::planConversion(nv::layoutOf(source), nv::layoutOf(type),
                                  tile::byteSizeOf(tile::elementOf(type)), options)
        .cost;
  }

  void hoist(nv::ConvertOp op) {
    if (!moves(op.getSource(), op.getType()))
      return;
    const uint64_t words = wordsOf(op.getResult());
    bool hasLeft = false;
    while (auto made = madeInEachRound(op)) {
      Operation *loop = op->getParentOp();
      uint64_t &taken = takenIn(loop);
      if (taken + words > most)
        break; // the emitter says so of a large tile
      taken += words;
      for (Operation *maker : *made)
        maker->moveBefore(loop);
      op->moveBefore(loop);
      hasLeft = true;
    }
    if (hasLeft)
      serveOthers(op);
  }

  /// What a loop carries and a product of a round leaves, in registers of a thread; and what was
  /// hoisted out of it.
  uint64_t &takenIn(Operation *loop) {
    auto [entry, isNew] = taken.try_emplace(loop, 0);
    if (!isNew)
      return entry->second;
    uint64_t carried = 0, product = 0;
    for (Value result : loop->getResults())
      carried += wordsOf(result);
    loop->walk([&](tile::DotOp dot) {
      if (!llvm::isa<BlockArgument>(dot.getAccumulator()))
        product = std::max(product, wordsOf(dot.getResult()));
    });
    entry->second = carried + product;
    return entry->second;
  }

  /// Whoever wants the tile so, too, takes it from there; and if nobody needs it as it was any
  /// more, nobody keeps it so.
  void serveOthers(nv::ConvertOp op) {
    llvm::SmallVector<nv::ConvertOp> later;
    bool isNeeded = false;
    for (Operation *user : op.getSource().getUsers()) {
      Operation *there = op->getBlock()->findAncestorOpInBlock(*user);
      if (user == op || !there || there->isBeforeInBlock(op))
        continue;
      auto other = llvm::dyn_cast<nv::ConvertOp>(user);
      isNeeded |= !other;
      if (other)
        later.push_back(other);
    }
    for (nv::ConvertOp other : later) {
      if (other.getType() == op.getType()) {
        other.getResult().replaceAllUsesWith(op.getResult());
        erased.insert(other);
        other.erase();
      } else if (!isNeeded && costOf(op.getResult(), other.getType()) <=
                                  costOf(op.getSource(), other.getType())) {
        other.getSourceMutable().set(op.getResult());
      }
    }
  }

  func::FuncOp kernel;
  uint64_t most;
  layout::ConversionOptions options;
  llvm::DenseMap<Operation *, uint64_t> taken;
  llvm::DenseSet<Operation *> erased;
};

} // namespace

void hoistConversions(func::FuncOp kernel, const Configuration &configuration) {
  Hoister(kernel, configuration).run();
}

} // namespace nereid::backend::gpu
