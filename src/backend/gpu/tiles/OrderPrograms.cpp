// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/tiles/OrderPrograms.h"

#include "analysis/AffineTiles.h"
#include "backend/gpu/Passes.h"
#include "dialect/tile/Tile.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::backend::gpu {

namespace {

enum class Growth { None, Up, Down, Unknown };

/// How the loop's rounds change from one program along x to the next.
Growth growthOf(scf::ForOp loop, analysis::AffineTiles &tiles) {
  std::optional<analysis::AffineTile> lower = tiles.of(loop.getLowerBound()),
                                      upper = tiles.of(loop.getUpperBound());
  if (!lower || !upper)
    return Growth::Unknown;
  std::optional<analysis::Polynomial> length =
      analysis::Polynomial::difference(upper->start, lower->start);
  if (!length)
    return Growth::Unknown;
  Growth growth = Growth::None;
  for (const auto &[symbols, coefficient] : length->terms())
    for (analysis::Symbol symbol : symbols) {
      Value value = tiles[symbol].value;
      auto program = value ? value.getDefiningOp<tile::ProgramIdOp>() : nullptr;
      if (program && program.getAxis() == 0)
        growth = coefficient > 0 && growth != Growth::Down ? Growth::Up : Growth::Down;
      else if (!value || !isSameInAllPrograms(value))
        return Growth::Unknown;
    }
  return growth;
}

/// Programs that wait for one another read again what another one writes.
bool mayWait(func::FuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        auto load = llvm::dyn_cast<tile::LoadOp>(op);
        bool isShared = llvm::isa<tile::AtomicRmwOp, tile::AtomicCasOp>(op) ||
                        (load && load.getIsVolatile()) || llvm::isa<scf::WhileOp>(op);
        return isShared ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace

void orderPrograms(func::FuncOp kernel, const Configuration &) {
  analysis::AffineTiles tiles;
  bool grows = false, shrinks = false, isKnown = true;
  kernel.walk([&](scf::ForOp loop) {
    Growth growth = growthOf(loop, tiles);
    isKnown &= growth != Growth::Unknown;
    if (loop.getBody()->getOps<tile::DotOp>().empty())
      return;
    grows |= growth == Growth::Up;
    shrinks |= growth == Growth::Down;
  });
  if (!grows || shrinks || mayWait(kernel))
    return;
  auto mark = UnitAttr::get(kernel.getContext());
  kernel->setAttr(nv::lastProgramFirstAttr, mark);
  if (isKnown)
    kernel->setAttr(nv::growsAlongXAttr, mark);
}

bool beginsWithLastProgram(func::FuncOp kernel) {
  return kernel->hasAttr(nv::lastProgramFirstAttr);
}
bool growsAlongXAlone(func::FuncOp kernel) { return kernel->hasAttr(nv::growsAlongXAttr); }

bool isSameInAllPrograms(Value value) {
  if (llvm::isa<BlockArgument>(value))
    return tile::isParameter(value);
  Operation *op = value.getDefiningOp();
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) && !llvm::isa<tile::ProgramIdOp>(op) &&
         llvm::all_of(op->getOperands(), isSameInAllPrograms);
}

} // namespace nereid::backend::gpu
