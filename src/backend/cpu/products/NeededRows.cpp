// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/products/NeededRows.h"

#include "backend/cpu/products/ResultReaders.h"
#include "dialect/tile/Remark.h"
#include "dialect/tile/SourcePlace.h"

using namespace mlir;

namespace nereid::backend::cpu {

static void remarkRows(tile::DotOp dot, tile::StoreOp store, const char *reason) {
  std::string mask = "the mask of what stands at " + tile::placeText(store->getLoc());
  tile::remark(dot, RemarkId::rows_multiplied, tile::shapeOf(dot.getType())[0], mask + reason);
}

/// For a store of the dot's result, masks of its lines (rows, if `along` is 0) that are all true
/// where it writes; none if its mask says nothing of these alone.
static llvm::SmallVector<LineMask, 2> lineMasksOf(tile::StoreOp store, tile::DotOp dot,
                                                  unsigned along) {
  llvm::SmallVector<LineMask, 2> masks;
  if (!store.getMask() ||
      tile::shapeOf(store.getPointer().getType()) != tile::shapeOf(dot.getType()))
    return masks;
  Coordinates at = along == 0 ? Coordinates{0, 1} : Coordinates{1, 0};
  bool isMixed = addLineMasks(store.getMask(), at, masks);
  if (masks.empty() && isMixed && along == 0)
    remarkRows(dot, store, " has no part for rows alone");
  return masks;
}

static llvm::Value *emitNeededLines(KernelEmitter &kernel, tile::DotOp dot, unsigned along) {
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(dot.getType());
  ResultReaders readers(dot);
  if (shape.size() != 2 || !readers.areStores())
    return nullptr;
  llvm::SmallVector<Value> scalars;
  llvm::SmallVector<llvm::SmallVector<LineMask, 2>, 1> masksOfStores;
  for (tile::StoreOp store : readers.stores()) {
    masksOfStores.push_back(lineMasksOf(store, dot, along));
    if (masksOfStores.back().empty())
      return nullptr;
    for (const LineMask &mask : masksOfStores.back()) {
      auto found = scalarsOf(mask.tile, readers.carrier(), kernel.storage());
      if (!found) {
        if (along == 0)
          remarkRows(dot, store, " takes more than arithmetic on what is known before the product");
        return nullptr;
      }
      scalars.append(*found);
    }
  }
  llvm::Value *needed = nullptr;
  kernel.withScalars(scalars, [&] {
    Builder &b = kernel.builder();
    for (const auto &masks : masksOfStores) {
      llvm::Value *lines = emitLastLine(kernel, masks, shape[along]);
      needed = needed ? b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, needed, lines) : lines;
    }
  });
  return needed;
}

llvm::Value *emitNeededRows(KernelEmitter &kernel, tile::DotOp dot) {
  return emitNeededLines(kernel, dot, 0);
}

llvm::Value *emitNeededColumns(KernelEmitter &kernel, tile::DotOp dot) {
  return emitNeededLines(kernel, dot, 1);
}

} // namespace nereid::backend::cpu
