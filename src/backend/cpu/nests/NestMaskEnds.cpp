// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether all lanes of a vector are active, or any, told by its first and last lane where a mask
// compares numbers that grow along the lanes with one number. The vector of the mask is then made
// only where some lanes are active and some are not.
#include "analysis/Strides.h"
#include "backend/cpu/emit/KernelEmitter.h"
#include "backend/cpu/nests/Nest.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::backend::cpu {

using Predicate = arith::CmpIPredicate;

static bool isUnsigned(Predicate predicate) {
  return predicate == Predicate::ult || predicate == Predicate::ule ||
         predicate == Predicate::ugt || predicate == Predicate::uge;
}

/// Whether the number on the left grows out of the comparison: what holds for the last lane holds
/// for all.
static bool isBelow(Predicate predicate) {
  return predicate == Predicate::slt || predicate == Predicate::sle ||
         predicate == Predicate::ult || predicate == Predicate::ule;
}

/// Lanes from `first` to `last`, unless they wrap in between.
struct Nest::Ends {
  llvm::Value *first, *last, *isInOrder;
};

std::optional<Nest::Ends> Nest::endsOf(const Lanes &value, bool asUnsigned) {
  auto *step = llvm::dyn_cast_or_null<llvm::ConstantInt>(value.step);
  bool grows = step && step->getValue().isStrictlyPositive();
  if (value.kind != Lanes::Kind::Affine || value.exact || !grows)
    return std::nullopt;
  bool wraps = false;
  llvm::APInt lanesAfter(step->getBitWidth(), currentWidth - 1);
  llvm::APInt span = step->getValue().smul_ov(lanesAfter, wraps);
  if (wraps || lanesAfter != currentWidth - 1)
    return std::nullopt;
  llvm::Value *last = b.CreateAdd(value.base, llvm::ConstantInt::get(step->getType(), span));
  return Ends{value.base, last,
              asUnsigned ? b.CreateICmpULE(value.base, last) : b.CreateICmpSLE(value.base, last)};
}

llvm::Value *Nest::comparedEnds(arith::CmpIOp op, const Coordinates &at, Quantity quantity) {
  OpOperand &lhs = op->getOpOperand(0), &rhs = op->getOpOperand(1);
  Lanes left = evaluate(lhs.get(), tile::mapThrough(tile::laneMapOf(lhs), at));
  Lanes right = evaluate(rhs.get(), tile::mapThrough(tile::laneMapOf(rhs), at));
  bool isLeft = right.kind == Lanes::Kind::Uniform;
  const Lanes &growing = isLeft ? left : right, &fixed = isLeft ? right : left;
  if (fixed.kind != Lanes::Kind::Uniform)
    return nullptr;
  Predicate predicate = op.getPredicate();
  auto ends = endsOf(growing, isUnsigned(predicate));
  if (!ends)
    return nullptr;
  if (analysis::isPlainRange((isLeft ? lhs : rhs).get()))
    ends->isInOrder = b.getTrue();
  if (predicate == Predicate::eq || predicate == Predicate::ne) {
    llvm::Value *within = b.CreateAnd(b.CreateICmpSLE(ends->first, fixed.base),
                                      b.CreateICmpSLE(fixed.base, ends->last));
    llvm::Value *mayBe = b.CreateOr(b.CreateNot(ends->isInOrder), within);
    bool isEqual = predicate == Predicate::eq;
    if (isEqual == (quantity == Quantity::All))
      return b.getInt1(!isEqual); // of different numbers one at most is equal
    return isEqual ? mayBe : b.CreateNot(mayBe);
  }
  auto holdsAt = [&](llvm::Value *lane) {
    return lanes.emit(op, {isLeft ? lane : fixed.base, isLeft ? fixed.base : lane})[0];
  };
  bool lastIsLeast = isBelow(predicate) == isLeft; // likely to hold, that is
  if (quantity == Quantity::All)
    return b.CreateAnd(ends->isInOrder, holdsAt(lastIsLeast ? ends->last : ends->first));
  return b.CreateOr(b.CreateNot(ends->isInOrder), holdsAt(lastIsLeast ? ends->first : ends->last));
}

llvm::Value *Nest::quantified(Quantity quantity, Value mask, const Coordinates &at) {
  Operation *op = tile::isTile(mask.getType()) ? mask.getDefiningOp() : nullptr;
  if (op && currentWidth > 1 && !kernel.storage().isStored(mask)) {
    auto ofOperand = [&](unsigned which) {
      OpOperand &operand = op->getOpOperand(which);
      return quantified(quantity, operand.get(), tile::mapThrough(tile::laneMapOf(operand), at));
    };
    if (tile::movesLanes(op))
      return ofOperand(0);
    // For both it is enough to be sure where the answer is "all" or "none".
    if (llvm::isa<arith::AndIOp>(op))
      return b.CreateAnd(ofOperand(0), ofOperand(1));
    if (llvm::isa<arith::OrIOp>(op))
      return b.CreateOr(ofOperand(0), ofOperand(1));
    if (auto comparison = llvm::dyn_cast<arith::CmpIOp>(op))
      if (llvm::Value *known = comparedEnds(comparison, at, quantity))
        return known;
  }
  llvm::Value *active = vector(evaluate(mask, at));
  if (!active->getType()->isVectorTy())
    return active;
  return b.CreateUnaryIntrinsic(quantity == Quantity::All ? llvm::Intrinsic::vector_reduce_and
                                                          : llvm::Intrinsic::vector_reduce_or,
                                active);
}

} // namespace nereid::backend::cpu
