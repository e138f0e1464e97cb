// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/Passes.h"
#include "backend/gpu/tiles/StoredSums.h"
#include "dialect/tile/EraseUnused.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::backend::gpu {

namespace {

/// The registers of sums that begin at nothing in each round, all products' at once.
int64_t registersOfRound(scf::ForOp loop, const StoredSums &sums) {
  int64_t registers = 0;
  for (auto dot : loop.getBody()->getOps<tile::DotOp>())
    if (matchPattern(dot.getAccumulator(), m_AnyZeroFloat()))
      registers += sums.registersOf(dot.getType());
  return registers;
}

/// The loop, whose rounds make the pieces one after the other, and the stores that its sums end in,
/// which are given numbers from `first` on.
void partRounds(scf::ForOp loop, StoredSums &sums, int32_t first) {
  Operation *last = sums.stores.back();
  OpBuilder b(last);
  std::vector<Pieces> pieces;
  for (int64_t at = 0; at < sums.extent; at += sums.length)
    pieces.emplace_back(b, arith::ConstantOp::create(b, last->getLoc(), b.getI32IntegerAttr(at)),
                        sums.length);
  Pieces::cloneLoop(loop, sums.dim, pieces);
  for (auto [number, store] : llvm::enumerate(sums.stores)) {
    store->setAttr(nv::partOfAttr, b.getI32IntegerAttr(first + number));
    for (Pieces &part : pieces)
      part.cloneEffect(store, sums.dim);
    store.erase();
  }
}

} // namespace

void partRounds(func::FuncOp kernel, const Configuration &configuration) {
  const int64_t most = configuration.policy.round_registers;
  StoredSums byRows(kernel, configuration, StoredSums::Rows),
      byColumns(kernel, configuration, StoredSums::Columns);
  llvm::SmallVector<scf::ForOp> loops(kernel.getBody().front().getOps<scf::ForOp>());
  int32_t stores = 0;
  for (scf::ForOp loop : loops) {
    const int64_t carried = byRows.registersOf(loop), ofRound = registersOfRound(loop, byRows);
    auto isEnough = [&](int64_t pieces) { return carried + ofRound / pieces <= most; };
    if (ofRound == 0 || isEnough(1))
      continue;
    for (StoredSums *sums : {&byRows, &byColumns}) {
      if (!multipliesInPieces(loop, sums->dim) || !sums->find(loop, isEnough) ||
          sums->loops.size() != 1)
        continue;
      partRounds(loop, *sums, stores);
      stores += sums->stores.size();
      tile::eraseUnused(kernel);
      break;
    }
  }
}

} // namespace nereid::backend::gpu
