// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PrintPlans.h"

#include "analysis/AxisInfo.h"
#include "analysis/Strides.h"
#include "backend/cpu/StoragePlan.h"
#include "backend/nvptx/AssignLayouts.h"
#include "backend/nvptx/DelayProducts.h"
#include "backend/nvptx/FetchLoads.h"
#include "backend/nvptx/GiveRoles.h"
#include "backend/nvptx/OrderAccesses.h"
#include "backend/nvptx/RingLoads.h"
#include "backend/nvptx/StageOperands.h"
#include "dialect/nv/Nv.h"
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
    backend::cpu::StoragePlan(kernel, cpu, kernel->hasAttr(tile::noAliasAttr))
        .print(kernel, llvm::outs());
  }
};

struct PrintStrides : PassWrapper<PrintStrides, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintStrides)
  llvm::StringRef getArgument() const final { return "print-strides"; }
  llvm::StringRef getDescription() const final {
    return "by how much integer and pointer tiles grow along each dimension";
  }
  void runOnOperation() final {
    AsmState names(getOperation());
    getOperation().walk([&](Operation *op) {
      for (Value result : op->getResults()) {
        Type element = tile::elementOf(result.getType());
        if (!tile::isTile(result.getType()) || !llvm::isa<IntegerType, tile::PointerType>(element))
          continue;
        result.printAsOperand(llvm::outs(), names);
        llvm::outs() << " " << op->getName() << ":";
        for (unsigned dim = 0; dim < tile::shapeOf(result.getType()).size(); ++dim) {
          std::optional<int64_t> stride = analysis::strideAlong(result, dim);
          llvm::outs() << ' ' << (stride ? std::to_string(*stride) : "?");
        }
        llvm::outs() << '\n';
      }
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

/// A pass of the NVIDIA back end.
template <typename Derived> struct NvptxPass : PassWrapper<Derived, OperationPass<func::FuncOp>> {
  NvptxPass() = default;
  NvptxPass(const NvptxPass &other) : PassWrapper<Derived, OperationPass<func::FuncOp>>(other) {}
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<nv::NvDialect>();
  }
  void runOnOperation() final {
    std::optional<target::NvidiaTarget> target = target::findSm(sm);
    if (!target) {
      this->getOperation().emitError("there is no ") << sm;
      return this->signalPassFailure();
    }
    func::FuncOp kernel = this->getOperation();
    static_cast<Derived *>(this)->run(kernel, *target,
                                      warps ? warps : backend::nvptx::chooseWarps(kernel));
  }

  Pass::Option<std::string> sm{*this, "sm", llvm::cl::init("sm_90a"), llvm::cl::desc("which GPU")};
  Pass::Option<unsigned> warps{*this, "warps", llvm::cl::init(0),
                               llvm::cl::desc("0: as tiles ask for")};
};

struct RingLoads : NvptxPass<RingLoads> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RingLoads)
  RingLoads() = default;
  RingLoads(const RingLoads &other) : NvptxPass(other) {}
  llvm::StringRef getArgument() const final { return "nvptx-ring-loads"; }
  llvm::StringRef getDescription() const final { return "loads ahead what loops multiply"; }
  void run(func::FuncOp kernel, const target::NvidiaTarget &target, unsigned warps) {
    std::optional<unsigned> wanted;
    if (stages)
      wanted = stages;
    backend::nvptx::ringLoads(kernel, target, warps, wanted);
  }
  Option<unsigned> stages{*this, "stages", llvm::cl::init(0), llvm::cl::desc("0: as many as help")};
};

struct FetchLoads : NvptxPass<FetchLoads> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FetchLoads)
  llvm::StringRef getArgument() const final { return "nvptx-fetch-loads"; }
  llvm::StringRef getDescription() const final { return "boxes that loops multiply as fetches"; }
  void run(func::FuncOp kernel, const target::NvidiaTarget &target, unsigned warps) {
    backend::nvptx::fetchLoads(kernel, target, warps, std::nullopt);
  }
};

struct GiveRoles : NvptxPass<GiveRoles> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(GiveRoles)
  llvm::StringRef getArgument() const final { return "nvptx-give-roles"; }
  llvm::StringRef getDescription() const final { return "gives fetches to a warp of their own"; }
  void run(func::FuncOp kernel, const target::NvidiaTarget &target, unsigned warps) {
    backend::nvptx::giveRoles(kernel, target, warps);
  }
};

struct StageOperands : NvptxPass<StageOperands> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StageOperands)
  llvm::StringRef getArgument() const final { return "nvptx-stage-operands"; }
  llvm::StringRef getDescription() const final { return "gives products to warpgroups"; }
  void run(func::FuncOp kernel, const target::NvidiaTarget &target, unsigned warps) {
    backend::nvptx::stageOperands(kernel, target, warps);
  }
};

struct DelayProducts : NvptxPass<DelayProducts> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DelayProducts)
  llvm::StringRef getArgument() const final { return "nvptx-delay-products"; }
  llvm::StringRef getDescription() const final { return "lets products of two rounds overlap"; }
  void run(func::FuncOp kernel, const target::NvidiaTarget &target, unsigned warps) {
    backend::nvptx::delayProducts(kernel, target, warps);
  }
};

/// Who holds what, and where threads wait for one another.
struct AssignLayouts : NvptxPass<AssignLayouts> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AssignLayouts)
  llvm::StringRef getArgument() const final { return "nvptx-assign-layouts"; }
  llvm::StringRef getDescription() const final { return "gives tiles to the threads of a block"; }
  void run(func::FuncOp kernel, const target::NvidiaTarget &target, unsigned warps) {
    backend::nvptx::assignLayouts(kernel, target, warps);
    backend::nvptx::orderAccesses(kernel);
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
  PassRegistration<PrintAxes>();
  PassRegistration<FetchLoads>();
  PassRegistration<GiveRoles>();
  PassRegistration<RingLoads>();
  PassRegistration<StageOperands>();
  PassRegistration<DelayProducts>();
  PassRegistration<AssignLayouts>();
  PassRegistration<PrintLanes>();
}

} // namespace nereid
