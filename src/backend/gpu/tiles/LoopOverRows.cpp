// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/Passes.h"
#include "backend/gpu/tiles/StoredSums.h"
#include "dialect/tile/EraseUnused.h"

using namespace mlir;

namespace nereid::backend::gpu {

namespace {

/// All that leads to the stores, in a loop over pieces of the rows.
void loopOverPieces(StoredSums &sums) {
  Operation *last = sums.stores.back();
  Location loc = last->getLoc();
  OpBuilder b(last);
  auto constant = [&](int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  auto loop = scf::ForOp::create(b, loc, constant(0), constant(sums.extent), constant(sums.length));
  b.setInsertionPointToStart(loop.getBody());
  Pieces pieces(b, loop.getInductionVar(), sums.length);
  for (tile::StoreOp store : sums.stores)
    pieces.cloneEffect(store, sums.dim);
  for (tile::StoreOp store : sums.stores)
    store.erase();
}

} // namespace

void loopOverRows(func::FuncOp kernel, const Configuration &configuration) {
  const int64_t most = configuration.policy.sum_registers;
  StoredSums sums(kernel, configuration, StoredSums::Rows);
  auto isWanted = [&](scf::ForOp loop) {
    const int64_t registers = sums.registersOf(loop);
    return registers > most &&
           sums.find(loop, [&](int64_t pieces) { return registers / pieces <= most; });
  };
  while (llvm::any_of(kernel.getBody().front().getOps<scf::ForOp>(), isWanted)) {
    loopOverPieces(sums);
    tile::eraseUnused(kernel);
  }
}

} // namespace nereid::backend::gpu
