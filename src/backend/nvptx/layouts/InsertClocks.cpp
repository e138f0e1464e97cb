// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/layouts/TileMoves.h"
#include "backend/nvptx/Passes.h"
#include "backend/nvptx/ptx/MatrixInstructions.h"
#include "dialect/tile/SourcePlace.h"
#include "support/Clocks.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_INSERTCLOCKS
#include "backend/nvptx/Passes.h.inc"

namespace {

/// Whether a tile goes to other threads through shared memory, where barriers stand.
bool goesThroughShared(nv::ConvertOp op, const target::NvidiaTarget &target) {
  return std::holds_alternative<layout::SharedPlan>(gpu::conversionOf(op, matricesOf(target)).plan);
}

/// Whether several warps hold elements that are combined: else lanes exchange them, and nobody
/// waits.
bool meetsOtherWarps(tile::ReduceOp op) {
  const layout::LinearLayout &layout = nv::layoutOf(op.getSources().front());
  return llvm::any_of(layout.bases(layout::Warp), [&](layout::Vector basis) {
    return layout::unpack(layout.outputs(), basis)[op.getAxis()] != 0;
  });
}

/// What the warp has done behind the operation, if that is noted by itself.
std::optional<ClockName> clockOf(Operation *op, const target::NvidiaTarget &target) {
  using Answer = std::optional<ClockName>;
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<tile::LoadOp>([](auto) { return ClockName::load; })
      .Case<tile::StoreOp, nv::SendOp>([](auto) { return ClockName::store; })
      .Case<tile::AtomicRmwOp, tile::AtomicCasOp>([](auto) { return ClockName::atomic; })
      .Case<nv::CopyOp>([](auto) { return ClockName::copy; })
      .Case<nv::AwaitCopiesOp>([](auto) { return ClockName::await_copies; })
      .Case<nv::FetchOp, nv::FetchRowOp, nv::KeepRowOp>([](auto) { return ClockName::fetch; })
      .Case<nv::AwaitSlotOp, nv::ReadRowOp, nv::ReadKeptOp>(
          [](auto) { return ClockName::await_tile; })
      .Case<tile::ReduceOp>([](tile::ReduceOp reduce) {
        return meetsOtherWarps(reduce) ? Answer(ClockName::shared) : Answer();
      })
      .Case<tile::ScanOp, tile::GatherOp, tile::HistogramOp, nv::WriteOp>(
          [](auto) { return ClockName::shared; })
      .Case<nv::ConvertOp>([&](nv::ConvertOp convert) {
        return goesThroughShared(convert, target) ? Answer(ClockName::shared) : Answer();
      })
      .Case<nv::SyncOp, tile::BarrierOp, tile::SyncThreadsOp, tile::SyncThreadsCountOp,
            tile::SyncWarpOp>([](auto) { return ClockName::barrier; })
      .Case<tile::DotOp, nv::MultiplyOp, nv::MultiplyAddOp>([](auto) { return ClockName::product; })
      .Case<nv::FinishOp, nv::AwaitProductsOp>([](auto) { return ClockName::await_product; })
      .Default([](auto) { return Answer(); });
}

/// Whether it takes a warp time: a tile is computed, or copies of one begin; of kernels of threads,
/// what is no constant.
bool takesTime(Operation *op, bool isOfThreads) {
  return !llvm::isa<arith::ConstantOp>(op) &&
         (isOfThreads || op->getNumRegions() || llvm::any_of(op->getResultTypes(), tile::isTile));
}

class Inserter {
public:
  using Detail = Clocks;
  Inserter(const target::NvidiaTarget &target, Detail detail, bool isOfThreads)
      : target(target), detail(detail), isOfThreads(isOfThreads) {}

  void visit(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) // nv.produce's has no terminator
      if (!op.hasTrait<OpTrait::IsTerminator>())
        visit(&op);
  }

  /// Notes whole programs: all that one does is one interval.
  void finish(Block &body) {
    if (detail == Detail::Programs && !computed.empty())
      create(atEndOf(body), placeOfComputed(body.getParentOp()->getLoc()), ClockName::compute);
  }

private:
  void visit(Operation *op) {
    if (detail == Detail::Programs) {
      if (auto programs = llvm::dyn_cast<nv::ProgramsOp>(op))
        for (Block &block : programs->getRegion(0))
          create(atEndOf(block), op->getLoc(), ClockName::program);
      else if (takesTime(op, isOfThreads))
        computed.push_back(op->getLoc());
      return;
    }
    awaitLoads(op);
    if (std::optional<ClockName> name = clockOf(op, target);
        name &&
        (detail == Detail::All || (detail == Detail::Waits && kindOf(*name) == ClockKind::Wait))) {
      noteComputed(op);
      note(op, *name);
      return;
    }
    // A reduction's region is what it does with two elements.
    bool isBranch =
        llvm::isa<scf::IfOp, scf::ForOp, scf::WhileOp, nv::ProduceOp, nv::ProgramsOp>(op);
    if (isBranch && holdsClocks(op))
      return visitRegions(op);
    if (takesTime(op, isOfThreads))
      computed.push_back(op->getLoc());
    if (auto load = llvm::dyn_cast<tile::LoadOp>(op); load && detail == Detail::Waits)
      awaited.push_back(load);
    if (llvm::isa<tile::StoreOp, nv::SendOp, nv::CopyOp>(op))
      computed.push_back(op->getLoc());
  }

  /// Loops that only compute have none: their rounds may be short, and nothing in them waits.
  bool holdsClocks(Operation *op) {
    return op
        ->walk([&](Operation *inner) {
          std::optional<ClockName> name = inner == op ? std::nullopt : clockOf(inner, target);
          return name ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  void visitRegions(Operation *op) {
    noteComputed(op);
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        awaited.clear();
        visit(block);
        awaited.clear();
        OpBuilder atEnd = atEndOf(block);
        if (llvm::isa<LoopLikeOpInterface>(op) || llvm::isa<nv::ProgramsOp>(op)) {
          ClockName name = llvm::isa<nv::ProgramsOp>(op) ? ClockName::program : ClockName::round;
          create(atEnd, placeOfComputed(op->getLoc()), name);
        } else if (!computed.empty()) {
          create(atEnd, placeOfComputed(op->getLoc()), ClockName::compute);
        }
        computed.clear();
      }
  }

  /// Before its terminator, if it has one.
  static OpBuilder atEndOf(Block &block) {
    const bool isTerminated = !block.empty() && block.back().hasTrait<OpTrait::IsTerminator>();
    return {&block, isTerminated ? Block::iterator(block.back()) : block.end()};
  }

  /// Where a tile that memory was asked for is used first.
  void awaitLoads(Operation *op) {
    llvm::SmallVector<tile::LoadOp> used;
    auto isUsed = [&](tile::LoadOp load) {
      return llvm::any_of(load->getUsers(), [&](Operation *user) { return op->isAncestor(user); });
    };
    llvm::copy_if(awaited, std::back_inserter(used), isUsed);
    if (used.empty())
      return;
    noteComputed(op);
    OpBuilder before(op);
    for (tile::LoadOp load : used) {
      create(before, load.getLoc(), ClockName::await_load, load.getResult());
      llvm::erase(awaited, load);
    }
  }

  void noteComputed(Operation *before) {
    if (computed.empty())
      return;
    OpBuilder builder(before);
    create(builder, placeOfComputed(before->getLoc()), ClockName::compute);
    computed.clear();
  }

  void note(Operation *op, ClockName name) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    create(builder, op->getLoc(), name);
    if (auto load = llvm::dyn_cast<tile::LoadOp>(op))
      awaited.push_back(load);
  }

  /// From the first line to the last, of one file.
  Location placeOfComputed(Location other) const {
    if (computed.empty())
      return other;
    return FusedLoc::get(other.getContext(), computed);
  }

  static void create(OpBuilder &&builder, Location place, ClockName name) {
    create(builder, place, name);
  }
  static void create(OpBuilder &builder, Location place, ClockName name, Value value = {}) {
    nv::ClockOp::create(builder, place, llvm::StringRef(toString(name)),
                        value ? ValueRange(value) : ValueRange());
  }

  const target::NvidiaTarget &target;
  Detail detail;
  bool isOfThreads;
  llvm::SmallVector<Location> computed;    // since the clock was read last
  llvm::SmallVector<tile::LoadOp> awaited; // of this block, and not used yet
};

struct InsertClocks final : impl::InsertClocksBase<InsertClocks> {
  using InsertClocksBase::InsertClocksBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    std::optional<Configuration> configuration = configurationOf(kernel);
    if (!configuration)
      return signalPassFailure();
    for (Clocks clocks : {
#define DETAIL(Name, name, rest) Clocks::Name,
#include "support/clock_details.def"
         })
      if (toString(clocks) == detail)
        return insertClocks(kernel, configuration->target, clocks);
    signalPassFailure();
  }
};

} // namespace

void insertClocks(func::FuncOp kernel, const target::NvidiaTarget &target, Clocks clocks) {
  kernel->setAttr(nv::clocksAttr, UnitAttr::get(kernel.getContext()));
  kernel.getContext()->loadDialect<nv::NvDialect>();
  Inserter inserter(target, clocks, tile::blockOf(kernel).has_value());
  inserter.visit(kernel.getBody().front());
  inserter.finish(kernel.getBody().front());
}

} // namespace nereid::backend::nvptx
