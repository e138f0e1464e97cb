// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Passes.h"

#include "mlir/IR/Matchers.h"

namespace nereid::passes {

#define GEN_PASS_DEF_DROPBOUNDS
#include "passes/Passes.h.inc"

namespace {

using namespace mlir;

/// The number that all elements have, if it is known and one.
std::optional<APFloat> numberOf(Value value) {
  APFloat number(0.0f);
  if (auto splat = value.getDefiningOp<tile::SplatOp>())
    value = splat.getOperand();
  if (!matchPattern(value, m_ConstantFloat(&number)) || number.isNaN())
    return std::nullopt;
  return number;
}

/// A minimum or maximum of a value and a number.
struct Bound {
  Value of;
  APFloat number;
};
template <typename Op> std::optional<Bound> boundOf(Value value) {
  auto op = value.getDefiningOp<Op>();
  for (unsigned side : {1u, 0u})
    if (std::optional<APFloat> number = op ? numberOf(op->getOperand(side)) : std::nullopt)
      return Bound{op->getOperand(1 - side), *number};
  return std::nullopt;
}

/// Whether all that is beyond `number`, either way, becomes the type's largest number.
bool saturatesFrom(Type type, APFloat number) {
  APFloat largest =
      APFloat::getLargest(llvm::cast<FloatType>(tile::elementOf(type)).getFloatSemantics());
  bool losesInfo = false;
  largest.convert(number.getSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  number.clearSign();
  return !losesInfo && number >= largest;
}

/// What `bounded` need not be for the conversion to `type`: at most, or at least, that much, of
/// what is no NaN, since it has another bound.
Value withoutBound(Value bounded, Type type) {
  std::optional<Bound> outer = boundOf<arith::MinNumFOp>(bounded);
  const bool isUpper = outer.has_value();
  if (!outer)
    outer = boundOf<arith::MaxNumFOp>(bounded);
  if (!outer || outer->number.isNegative() == isUpper || !saturatesFrom(type, outer->number))
    return nullptr;
  const bool isNumber = isUpper ? boundOf<arith::MaxNumFOp>(outer->of).has_value()
                                : boundOf<arith::MinNumFOp>(outer->of).has_value();
  return isNumber ? outer->of : nullptr;
}

struct DropBounds final : impl::DropBoundsBase<DropBounds> {
  void runOnOperation() override {
    getOperation()->walk([](tile::NarrowOp conversion) {
      OpOperand *source = &conversion.getSourceMutable();
      // The same elements in another order.
      for (Operation *op = source->get().getDefiningOp();
           llvm::isa_and_nonnull<tile::ReshapeOp, tile::PermuteOp>(op) && op->hasOneUse();
           op = source->get().getDefiningOp())
        source = &op->getOpOperand(0);
      if (Value inner = withoutBound(source->get(), conversion.getType()))
        source->set(inner);
    });
  }
};

} // namespace
} // namespace nereid::passes
