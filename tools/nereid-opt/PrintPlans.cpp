// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PrintPlans.h"

#include "analysis/AxisInfo.h"
#include "analysis/BitWeights.h"
#include "analysis/Strides.h"
#include "backend/cpu/storage/StoragePlan.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Pass/Pass.h"

namespace nereid {
namespace {

using namespace mlir;

struct PrintStorage : PassWrapper<PrintStorage, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintStorage)
  llvm::StringRef getArgument() const final { return "print-cpu-storage"; }
  llvm::StringRef getDescription() const final { return "which tiles the CPU keeps in memory"; }
  void runOnOperation() final {
    func::FuncOp kernel = getOperation();
    // The same on every machine, with the widest registers.
    target::CpuTarget cpu = *target::findCpu("x86-64-v4");
    backend::cpu::StoragePlan(kernel, cpu).print(kernel, llvm::outs());
  }
};

/// A line for each tile of integers or pointers: its operation, and what `print` says of it.
void printIndexTiles(func::FuncOp kernel, llvm::function_ref<void(Value tile)> print) {
  AsmState names(kernel);
  kernel.walk([&](Operation *op) {
    for (Value result : op->getResults()) {
      Type element = tile::elementOf(result.getType());
      if (!tile::isTile(result.getType()) || !llvm::isa<IntegerType, tile::PointerType>(element))
        continue;
      result.printAsOperand(llvm::outs(), names);
      llvm::outs() << " " << op->getName() << ":";
      print(result);
      llvm::outs() << '\n';
    }
  });
}

struct PrintStrides : PassWrapper<PrintStrides, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintStrides)
  llvm::StringRef getArgument() const final { return "print-strides"; }
  llvm::StringRef getDescription() const final {
    return "by how much integer and pointer tiles grow along each dimension";
  }
  void runOnOperation() final {
    printIndexTiles(getOperation(), [](Value tile) {
      for (unsigned dim = 0; dim < tile::shapeOf(tile.getType()).size(); ++dim) {
        std::optional<int64_t> stride = analysis::strideAlong(tile, dim);
        llvm::outs() << ' ' << (stride ? std::to_string(*stride) : "?");
      }
    });
  }
};

struct PrintBitWeights : PassWrapper<PrintBitWeights, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintBitWeights)
  llvm::StringRef getArgument() const final { return "print-bit-weights"; }
  llvm::StringRef getDescription() const final {
    return "by how much integer and pointer tiles grow with each bit of a place";
  }
  void runOnOperation() final {
    printIndexTiles(getOperation(), [](Value tile) {
      if (std::optional<llvm::SmallVector<int64_t>> weights = analysis::bitWeights(tile))
        for (int64_t weight : *weights)
          llvm::outs() << ' ' << weight;
      else
        llvm::outs() << " ?";
    });
  }
};

struct PrintAxes : PassWrapper<PrintAxes, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintAxes)
  llvm::StringRef getArgument() const final { return "print-axes"; }
  llvm::StringRef getDescription() const final {
    return "contiguity, constancy and divisibility of integers and pointers along each dimension";
  }
  void runOnOperation() final {
    AsmState names(getOperation());
    analysis::AxisAnalysis axes(getOperation());
    auto print = [&](Value value, llvm::StringRef what) {
      if (!llvm::isa<IntegerType, tile::PointerType>(tile::elementOf(value.getType())))
        return;
      value.printAsOperand(llvm::outs(), names);
      llvm::outs() << ' ' << what << ':';
      for (const analysis::Axis &axis : axes.of(value).axes)
        llvm::outs() << " c" << axis.contiguity << " k" << axis.constancy << " d"
                     << axis.divisibility;
      llvm::outs() << '\n';
    };
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            print(argument, "argument");
      for (Value result : op->getResults())
        print(result, op->getName().getStringRef());
    });
  }
};

/// What operations answer about their lanes and accesses.
struct PrintLanes : PassWrapper<PrintLanes, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintLanes)
  llvm::StringRef getArgument() const final { return "print-lanes"; }
  llvm::StringRef getDescription() const final {
    return "how lanes of results come from operands, and what is done to memory";
  }
  void runOnOperation() final {
    getOperation().getBody().walk<WalkOrder::PreOrder>([](Operation *op) { print(op); });
  }

  static void print(Operation *op) {
    llvm::raw_ostream &out = llvm::outs();
    out << op->getName() << ":";
    if (tile::isLanewise(op))
      out << (tile::movesLanes(op) ? " moves lanes" : " lanewise");
    for (OpOperand &operand : op->getOpOperands()) {
      if (tile::needOf(operand) == tile::Need::Whole)
        out << " whole";
      if (tile::needOf(operand) != tile::Need::Lanes)
        continue;
      out << " [";
      llvm::interleaveComma(tile::laneMapOf(operand), out, [&](int dim) {
        out << (dim == tile::none ? "none" : std::to_string(dim));
      });
      out << "]";
    }
    tile::Access access = tile::accessOf(op);
    std::pair<bool, const char *> words[] = {{access.reads, " reads"},
                                             {access.writes, " writes"},
                                             {access.acquires, " acquires"},
                                             {access.releases, " releases"}};
    for (auto [isSo, word] : words)
      out << (isSo ? word : "");
    out << '\n';
  }
};

} // namespace

void registerPrintPlans() {
  PassRegistration<PrintStorage>();
  PassRegistration<PrintStrides>();
  PassRegistration<PrintBitWeights>();
  PassRegistration<PrintAxes>();
  PassRegistration<PrintLanes>();
}

} // namespace nereid
