// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

namespace nereid::passes {

#define GEN_PASS_DEF_EXPANDPOWERS
#include "passes/Passes.h.inc"

namespace {

using namespace mlir;

constexpr int leastPower = -1, mostPower = 4;

/// The exponent, the same everywhere, if it is one of the powers.
std::optional<int> knownPower(Value exponent) {
  Attribute constant;
  if (!matchPattern(exponent, m_Constant(&constant)))
    return std::nullopt;
  if (auto splat = llvm::dyn_cast<SplatElementsAttr>(constant))
    constant = splat.getSplatValue<Attribute>();
  auto real = llvm::dyn_cast<FloatAttr>(constant);
  if (!real)
    return std::nullopt;
  double value = real.getValueAsDouble();
  for (int power = leastPower; power <= mostPower; ++power)
    if (value == power)
      return power;
  return std::nullopt;
}

Value one(OpBuilder &builder, Location loc, Type type) {
  auto element = llvm::cast<FloatType>(getElementTypeOrSelf(type));
  TypedAttr value = builder.getFloatAttr(element, 1.0);
  if (auto shaped = llvm::dyn_cast<ShapedType>(type))
    value = DenseElementsAttr::get(shaped, value);
  return arith::ConstantOp::create(builder, loc, value);
}

/// Squares first: 2 roundings for the third and fourth power, of 4 ulp that are promised. What is
/// too small or large on the way is so at the end.
Value raise(OpBuilder &builder, Location loc, Value base, int power) {
  if (power == 0)
    return one(builder, loc, base.getType());
  if (power == 1)
    return base;
  if (power < 0)
    return arith::DivFOp::create(builder, loc, one(builder, loc, base.getType()), base);
  Value square = arith::MulFOp::create(builder, loc, base, base);
  if (power == 2)
    return square;
  return arith::MulFOp::create(builder, loc, square, power == 3 ? base : square);
}

/// The float32 that a square or inverse in float64 was made of and is rounded to: a square is exact
/// there, and an inverse rounded twice is what is rounded once (twice the digits and two more
/// suffice).
Value narrowBaseOf(math::PowFOp pow) {
  auto wide = pow.getLhs().getDefiningOp<arith::ExtFOp>();
  bool isRounded = pow->hasOneUse() && llvm::isa<arith::TruncFOp>(*pow->user_begin());
  if (!wide || !isRounded || !getElementTypeOrSelf(pow.getType()).isF64() ||
      pow->user_begin()->getResult(0).getType() != wide.getIn().getType() ||
      !getElementTypeOrSelf(wide.getIn().getType()).isF32())
    return {};
  return wide.getIn();
}

struct ExpandPowers final : impl::ExpandPowersBase<ExpandPowers> {
  void runOnOperation() override {
    llvm::SmallVector<math::PowFOp> found;
    getOperation()->walk([&](math::PowFOp pow) { found.push_back(pow); });
    for (math::PowFOp pow : found) {
      auto power = knownPower(pow.getRhs());
      if (!power)
        continue;
      OpBuilder builder(pow);
      Value narrow = *power == 2 || *power == -1 ? narrowBaseOf(pow) : Value();
      Operation *replaced = narrow ? *pow->user_begin() : pow;
      Value raised = raise(builder, pow.getLoc(), narrow ? narrow : pow.getLhs(), *power);
      replaced->getResult(0).replaceAllUsesWith(raised);
      if (narrow)
        replaced->erase();
      pow.erase();
    }
  }
};

} // namespace
} // namespace nereid::passes
