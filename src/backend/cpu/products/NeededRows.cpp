// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/products/NeededRows.h"

#include "dialect/tile/Access.h"
#include "dialect/tile/Elements.h"
#include "dialect/tile/Remark.h"
#include "dialect/tile/SourcePlace.h"

using namespace mlir;

namespace nereid::backend::cpu {

namespace {

/// A tile of which each lane says whether a row is stored, and its dimension that runs along rows.
struct RowMask {
  Value tile;
  Coordinates at;
};

void remarkRows(tile::DotOp dot, tile::StoreOp store, const char *reason) {
  std::string mask = "the mask of what stands at " + tile::placeText(store->getLoc());
  tile::remark(dot, RemarkId::rows_multiplied, tile::shapeOf(dot.getType())[0], mask + reason);
}

/// What is computed from a dot lane for lane, up to the stores of it.
class Readers {
public:
  explicit Readers(tile::DotOp dot)
      : carrier(dot), dot(dot), shape(tile::shapeOf(dot.getType())) {}

  /// Goes through all readers; false if one is no store of rows that a mask tells.
  bool follow(Value result) {
    llvm::SmallVector<Value> work = {result};
    llvm::DenseSet<Value> seen;
    while (!work.empty()) {
      Value value = work.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      for (OpOperand &use : value.getUses())
        if (!read(use, work))
          return false;
    }
    return !stores.empty();
  }

  /// For each store, masks that are all true where it writes.
  struct Store {
    tile::StoreOp op;
    llvm::SmallVector<RowMask, 2> masks;
  };
  llvm::SmallVector<Store, 1> stores;
  /// The outermost loop that carries the sums, or the dot.
  Operation *carrier;

private:
  bool read(OpOperand &use, llvm::SmallVectorImpl<Value> &work) {
    Operation *reader = use.getOwner();
    if (auto store = llvm::dyn_cast<tile::StoreOp>(reader))
      return use.get() == store.getValue() && addStore(store);
    if (llvm::isa<scf::YieldOp>(reader)) {
      auto loop = llvm::dyn_cast<scf::ForOp>(reader->getParentOp());
      if (!loop)
        return false;
      if (loop->isProperAncestor(carrier))
        carrier = loop;
      work.push_back(loop.getRegionIterArgs()[use.getOperandNumber()]);
      work.push_back(loop.getResults()[use.getOperandNumber()]);
      return true;
    }
    if (auto loop = llvm::dyn_cast<scf::ForOp>(reader)) {
      Value argument = loop.getTiedLoopRegionIterArg(&use);
      if (!argument)
        return false;
      work.append({argument, loop.getTiedLoopResult(&use)});
      return true;
    }
    auto dot = llvm::dyn_cast<tile::DotOp>(reader);
    bool isSum = dot && use.get() == dot.getAccumulator() && use.get() != dot.getLhs() &&
                 use.get() != dot.getRhs();
    bool isLane = !dot && tile::isLanewise(reader) && !tile::accessOf(reader).touchesMemory() &&
                  tile::isLaneForLane(use);
    if (!isSum && !isLane)
      return false;
    llvm::append_range(work, reader->getResults());
    return true;
  }

  bool addStore(tile::StoreOp store) {
    if (!store.getMask() || tile::shapeOf(store.getPointer().getType()) != shape)
      return false;
    llvm::SmallVector<RowMask, 2> masks;
    bool isMixed = addConjuncts(store.getMask(), {0, 1}, masks);
    if (masks.empty()) {
      if (isMixed)
        remarkRows(dot, store, " has no part for rows alone");
      return false;
    }
    stores.push_back({store, std::move(masks)});
    return true;
  }

  /// Whether there is a part that depends on rows and columns.
  bool addConjuncts(Value mask, Coordinates at, llvm::SmallVectorImpl<RowMask> &masks) {
    if (!tile::isTile(mask.getType()))
      return false;
    for (auto [dim, size] : llvm::enumerate(tile::shapeOf(mask.getType())))
      if (size == 1)
        at[dim] = none;
    if (llvm::is_contained(at, 0) && !llvm::is_contained(at, 1)) {
      masks.push_back({mask, at});
      return false;
    }
    Operation *op = mask.getDefiningOp();
    if (!op || !(llvm::isa<arith::AndIOp>(op) || tile::movesLanes(op)))
      return llvm::is_contained(at, 0);
    bool isMixed = false;
    for (OpOperand &operand : op->getOpOperands())
      if (tile::isTile(operand.get().getType()))
        isMixed |= addConjuncts(operand.get(), tile::mapThrough(tile::laneMapOf(operand), at), masks);
    return isMixed;
  }

  tile::DotOp dot;
  llvm::ArrayRef<int64_t> shape;
};

/// The scalars that a tile is computed from; nothing if some may be others when it is stored, or if
/// it is computed from more than arithmetic.
std::optional<llvm::SmallVector<Value>> scalarsOf(Value tile, Operation *carrier,
                                                  const StoragePlan &plan) {
  llvm::SmallVector<Value> work = {tile}, scalars;
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Operation *made = value.getDefiningOp();
    bool isTile = tile::isTile(value.getType());
    if (!isTile)
      scalars.push_back(value);
    // What is there before the loop that carries the sums, and in each of its rounds.
    if (value.getParentBlock()->findAncestorOpInBlock(*carrier) && !made)
      continue;
    bool isArithmetic = made && made->getNumRegions() == 0 && !KernelEmitter::isRoot(made) &&
                        !tile::accessOf(made).touchesMemory();
    if (isArithmetic && !(isTile && plan.isStored(value))) {
      llvm::append_range(work, made->getOperands());
      continue;
    }
    Operation *place = made ? value.getParentBlock()->findAncestorOpInBlock(*carrier) : nullptr;
    if (isTile || !place || !made->isBeforeInBlock(place))
      return std::nullopt;
  }
  return scalars;
}

/// One behind the last row that all of the masks let through.
llvm::Value *emitLastRow(KernelEmitter &kernel, llvm::ArrayRef<RowMask> masks, int64_t rows) {
  Builder &b = kernel.builder();
  llvm::AllocaInst *last = kernel.lanes().stackSlot(b.getInt64Ty());
  b.CreateStore(b.getInt64(0), last);
  int64_t extents[] = {rows};
  Nest nest(kernel, extents, {0}, 0, kernel.widthFor(masks.front().tile, rows, 1));
  nest.emit([&] {
    llvm::Value *all = nullptr;
    for (auto &[tile, at] : masks) {
      llvm::Value *mask = nest.vector(nest.evaluate(tile, at));
      all = all ? b.CreateAnd(all, mask) : mask;
    }
    llvm::Value *bits = b.CreateBitCast(all, b.getIntNTy(nest.width()));
    bits = b.CreateZExt(bits, b.getInt64Ty());
    llvm::Value *zeros = b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, bits, b.getFalse());
    llvm::Value *end = b.CreateAdd(nest.index(0), b.CreateSub(b.getInt64(64), zeros));
    llvm::Value *before = b.CreateLoad(b.getInt64Ty(), last);
    b.CreateStore(b.CreateSelect(b.CreateIsNotNull(bits), end, before), last);
  });
  return b.CreateLoad(b.getInt64Ty(), last);
}

} // namespace

llvm::Value *emitNeededRows(KernelEmitter &kernel, tile::DotOp dot) {
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(dot.getType());
  Readers readers(dot);
  if (shape.size() != 2 || !readers.follow(dot.getResult()))
    return nullptr;
  llvm::SmallVector<Value> scalars;
  for (auto &[store, masks] : readers.stores)
    for (const RowMask &mask : masks) {
      auto found = scalarsOf(mask.tile, readers.carrier, kernel.storage());
      if (!found) {
        remarkRows(dot, store, " takes more than arithmetic on what is known before the product");
        return nullptr;
      }
      scalars.append(*found);
    }
  llvm::Value *needed = nullptr;
  kernel.withScalars(scalars, [&] {
    Builder &b = kernel.builder();
    for (auto &[store, masks] : readers.stores) {
      llvm::Value *rows = emitLastRow(kernel, masks, shape[0]);
      needed = needed ? b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, needed, rows) : rows;
    }
  });
  return needed;
}

} // namespace nereid::backend::cpu
