// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Slice.h"
#include "backend/nvptx/Passes.h"
#include "backend/nvptx/rings/RowLoads.h"
#include "backend/nvptx/rings/SpreadRows.h"
#include "dialect/nv/Nv.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_PREFETCHROWS
#include "backend/nvptx/Passes.h.inc"

namespace {

/// At whose barrier this program's rows are there. Null if there is none.
Operation *firstReduceBehind(const RowLoad &row) {
  Operation *op = row.load;
  while (op && !llvm::isa<tile::ReduceOp>(op))
    op = op->getNextNode();
  return op;
}

/// What scalars are in a later program along x.
class LaterProgram {
public:
  LaterProgram(uint64_t distance, OpBuilder &builder, Location loc) : builder(builder) {
    Value own = tile::ProgramIdOp::create(builder, loc, 0);
    Value number = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(distance));
    id = arith::AddIOp::create(builder, loc, own, number);
    Value count = tile::NumProgramsOp::create(builder, loc, 0);
    exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, id, count);
  }

  Value doesExist() const { return exists; }

  /// The same value if it is the same in all programs along x. Computed from the kernel's
  /// parameters and the program's place alone.
  Value of(Value scalar) {
    using analysis::Belongs;
    auto slice = analysis::backwardSlice(
        scalar, [&](Operation *op) { return seen.insert(op).second ? Belongs::Yes : Belongs::No; });
    for (Operation *op : *slice)
      if (auto program = llvm::dyn_cast<tile::ProgramIdOp>(op); program && program.getAxis() == 0)
        later.map(program.getResult(), id);
      else if (llvm::any_of(op->getOperands(), [&](Value each) { return later.contains(each); }))
        builder.clone(*op, later);
    return later.lookupOrDefault(scalar);
  }

private:
  OpBuilder &builder;
  Value id, exists;
  llvm::DenseSet<Operation *> seen;
  IRMapping later; // of values that are others there
};

uint64_t bytesOf(llvm::ArrayRef<RowLoad> rows) {
  uint64_t bytes = 0;
  for (RowLoad row : rows)
    bytes += tile::elementCount(row.load.getType()) *
             tile::byteSizeOf(tile::elementOf(row.load.getType()));
  return bytes;
}

void prefetchRows(func::FuncOp kernel, const Configuration &configuration) {
  uint64_t bytesAhead = uint64_t(configuration.policy.prefetch_megabytes) << 20;
  RowLoads loads(kernel, configuration);
  if (!RowLoads::fillsSm(loads.registerBytes(), configuration) ||
      !RowLoads::fillsSm(loads.reducedBytes(), configuration))
    return;
  Operation *reduce = firstReduceBehind(loads.rows().back());
  if (!reduce)
    return;
  Location loc = reduce->getLoc();
  OpBuilder builder(reduce->getContext());
  builder.setInsertionPoint(reduce);
  const uint64_t bytesOfProgram = bytesOf(loads.rows()) * blocksOfProgram(kernel);
  LaterProgram later(std::max<uint64_t>(bytesAhead / bytesOfProgram, 1), builder, loc);
  for (const RowLoad &row : loads.rows()) {
    RowLoads::Prefix own = loads.build(row, builder);
    Value first = later.of(own.first);
    if (first != own.first)
      nv::PrefetchRowOp::create(builder, loc, first, later.of(own.count), later.doesExist());
  }
}

struct PrefetchRows final : ConfiguredPass<impl::PrefetchRowsBase<PrefetchRows>, PrefetchRows> {
  void run(func::FuncOp kernel, const Configuration &configuration) {
    if (configuration.target.hasCopyEngine && !isFetchedFor(kernel))
      prefetchRows(kernel, configuration);
  }
};

} // namespace

} // namespace nereid::backend::nvptx
