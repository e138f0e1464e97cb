// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/rings/LoopOverPrograms.h"

#include "backend/gpu/products/Products.h"
#include "backend/gpu/tiles/OrderPrograms.h"
#include "backend/nvptx/Passes.h"
#include "backend/nvptx/rings/ResidentBlocks.h"
#include "dialect/nv/Nv.h"
#include "support/Check.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_LOOPOVERPROGRAMS
#include "backend/nvptx/Passes.h.inc"

bool mayLoopOverPrograms(func::FuncOp kernel) {
  bool isBalanced = growsAlongXAlone(kernel);
  return !kernel
              ->walk([&](Operation *op) {
                bool isEven = true;
                if (auto loop = llvm::dyn_cast<scf::ForOp>(op); loop && !isBalanced)
                  isEven = isSameInAllPrograms(loop.getLowerBound()) &&
                           isSameInAllPrograms(loop.getUpperBound()) &&
                           isSameInAllPrograms(loop.getStep());
                bool isFree = !llvm::isa<scf::WhileOp, tile::AtomicRmwOp, tile::AtomicCasOp>(op) &&
                              (op->getNumRegions() > 0 || !tile::accessOf(op).isOrdered());
                auto dot = llvm::dyn_cast<tile::DotOp>(op);
                bool isAlone = !dot || isBalanced || !productOf(dot).getChained();
                return isEven && isFree && isAlone ? WalkResult::advance()
                                                   : WalkResult::interrupt();
              })
              .wasInterrupted();
}

Operation *lastOfAllPrograms(func::FuncOp kernel) {
  Operation *last = nullptr;
  for (Operation &op : kernel.getBody().front())
    if (llvm::isa<nv::RingOp, nv::BoxOp>(op))
      last = &op;
  NEREID_CHECK(last, "no ring and no box");
  return last;
}

namespace {

void loopOverPrograms(func::FuncOp kernel) {
  Block &body = kernel.getBody().front();
  Operation *last = lastOfAllPrograms(kernel);
  llvm::SmallVector<Operation *> moved;
  for (Operation *op = last->getNextNode(); op != body.getTerminator(); op = op->getNextNode())
    moved.push_back(op);
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfter(last);
  auto programs = nv::ProgramsOp::create(builder, kernel.getLoc());
  Block &inside = programs.getBody().emplaceBlock();
  nv::ProgramsOp::ensureTerminator(programs.getBody(), builder, kernel.getLoc());
  for (Operation *op : moved)
    op->moveBefore(inside.getTerminator());
  // Rooms of what is sent: one program's is on its way while the next begins.
  for (auto room : llvm::make_early_inc_range(inside.getOps<nv::AllocOp>())) {
    room->moveBefore(programs);
    for (Operation *user : llvm::make_early_inc_range(room->getUsers()))
      if (llvm::isa<nv::FreeOp>(user))
        user->moveAfter(programs);
  }
}

struct LoopOverPrograms final
    : ConfiguredPass<impl::LoopOverProgramsBase<LoopOverPrograms>, LoopOverPrograms> {
  void run(func::FuncOp kernel, const Configuration &configuration) {
    if (kernel->hasAttr(nv::roomForProgramsAttr) && hasSmForItself(kernel, configuration))
      loopOverPrograms(kernel);
  }

  static bool hasSmForItself(func::FuncOp kernel, const Configuration &configuration) {
    bool fetchesRows = // whose ring has all of shared memory
        kernel.walk([](nv::FetchRowOp) { return WalkResult::interrupt(); }).wasInterrupted();
    return fetchesRows || fillsSm(configuration.target, configuration.warps, mostBytes(kernel));
  }
};

} // namespace

} // namespace nereid::backend::nvptx
