// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/Passes.h"
#include "dialect/tile/Tile.h"

#include "mlir/Analysis/Liveness.h"

using namespace mlir;

namespace nereid::backend::gpu {
namespace {

/// What threads keep whole. Between two operations that want whole tiles, what is made element by
/// element is made lane after lane, and waits nowhere; what is made of indices is made where it is
/// wanted.
class HeldTiles {
public:
  HeldTiles(func::FuncOp kernel, int64_t threads)
      : kernel(kernel), liveness(kernel), threads(threads) {}

  /// Registers of a thread where they are most: at reductions and the like, and at the ends of
  /// rounds.
  int64_t mostRegisters() {
    int64_t most = 0;
    kernel.walk([&](Operation *op) {
      if (wantsWholeTiles(op) || isEndOfRound(op))
        most = std::max(most, registersAcross(op));
    });
    return most;
  }

private:
  static bool wantsWholeTiles(Operation *op) { return llvm::isa<tile::ReduceOp, tile::ScanOp>(op); }
  static bool isEndOfRound(Operation *op) {
    return llvm::isa<scf::YieldOp>(op) && llvm::isa<scf::ForOp>(op->getParentOp());
  }

  /// What tiles take that are there before the operation, and wanted behind it.
  int64_t registersAcross(Operation *op) {
    llvm::SmallPtrSet<Value, 16> held;
    if (isEndOfRound(op))
      for (Value next : op->getOperands())
        hold(next, held);
    // Its round's tiles, and those that all rounds around it want.
    for (Operation *at = isEndOfRound(op) ? op->getParentOp() : op; at != kernel;
         at = at->getParentOp())
      for (Value value : liveness.getLiveness(at->getBlock())->currentlyLiveValues(at))
        if (value.getDefiningOp() != at && isWantedStill(value, at))
          hold(value, held);
    int64_t registers = 0;
    for (Value value : held)
      registers += registersFor(value.getType());
    return registers;
  }

  /// Behind the operation, or in each of its rounds.
  bool isWantedStill(Value value, Operation *at) const {
    auto isInside = [&](Operation *user) { return at->isProperAncestor(user); };
    return !liveness.isDeadAfter(value, at) ||
           (llvm::isa<LoopLikeOpInterface>(at) && llvm::any_of(value.getUsers(), isInside));
  }

  /// A tile that was loaded narrow and is widened waits as it was loaded.
  void hold(Value value, llvm::SmallPtrSetImpl<Value> &held) {
    if (!isHeld(value))
      return;
    if (auto wide = value.getDefiningOp<arith::ExtFOp>())
      return hold(wide.getIn(), held);
    held.insert(value);
  }

  /// Whether it is numbers that come from memory or out of a loop.
  bool isHeld(Value value) {
    if (!tile::isTile(value.getType()))
      return false;
    Type element = tile::elementOf(value.getType());
    if (llvm::isa<tile::PointerType>(element) || element.isInteger(1))
      return false;
    auto [place, isNew] = known.try_emplace(value, false);
    if (!isNew)
      return place->second;
    Operation *op = value.getDefiningOp();
    const bool holds =
        !op || op->getNumRegions() > 0 || llvm::isa<tile::LoadOp>(op) ||
        llvm::any_of(op->getOperands(), [&](Value operand) { return isHeld(operand); });
    return known[value] = holds;
  }

  int64_t registersFor(Type tile) const {
    const int64_t bytes = tile::elementCount(tile) * tile::byteSizeOf(tile::elementOf(tile));
    return llvm::divideCeil(bytes, 4 * threads);
  }

  func::FuncOp kernel;
  Liveness liveness;
  int64_t threads;
  llvm::DenseMap<Value, bool> known;
};

/// Whether how many warps there are is the kernel's own affair, or other choices rest on it.
bool countsWarps(func::FuncOp kernel) {
  return kernel->hasAttr(tile::warpsAttr) ||
         kernel
             .walk([](Operation *op) {
               const bool isMade =
                   op->getDialect()->getNamespace() == nv::NvDialect::getDialectNamespace();
               return isMade || llvm::isa<tile::AssemblyOp, tile::DotOp>(op)
                          ? WalkResult::interrupt()
                          : WalkResult::advance();
             })
             .wasInterrupted();
}

} // namespace

void addWarps(func::FuncOp kernel, const Configuration &configuration) {
  const Policy &policy = configuration.policy;
  if (configuration.maxRegisters || countsWarps(kernel))
    return;
  const int64_t lanes = configuration.machine.lanesPerWarp;
  const int64_t registers = HeldTiles(kernel, lanes).mostRegisters(); // of one warp's threads
  unsigned warps = configuration.warps;
  if (registers <= int64_t(warps) * policy.held_registers)
    return;
  while (registers > int64_t(warps) * policy.sum_registers && warps * 2 <= policy.most_warps)
    warps *= 2;
  auto asked = kernel->getAttrOfType<nv::ConfigurationAttr>(nv::configurationAttr);
  kernel->setAttr(nv::configurationAttr,
                  nv::ConfigurationAttr::get(kernel.getContext(), asked.getSm(), warps,
                                             asked.getStages(), asked.getRegisters(),
                                             asked.getBoxes(), asked.getPolicy()));
}

} // namespace nereid::backend::gpu
