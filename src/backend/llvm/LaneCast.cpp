// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between element types, and pointers.
#include "backend/llvm/LaneBuilder.h"

#include "dialect/tile/Tile.h"
#include "support/FloatFormat.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/KnownBits.h"

using namespace mlir;

namespace nereid::backend {

llvm::Value *LaneBuilder::toFloat32(llvm::Value *value, Type element) {
  if (element.isF32())
    return value;
  if (llvm::Value *widened = target.widen(*this, value, element))
    return widened;
  return element.isBF16() ? widenBFloat16(value)
                          : widenBits(value, formatOf(*tile::dtypeOf(element)));
}

llvm::Value *LaneBuilder::fromFloat32(llvm::Value *value, Type element) {
  if (element.isF32())
    return value;
  if (llvm::Value *narrowed = target.narrow(*this, value, element))
    return narrowed;
  return element.isBF16() ? narrowToBFloat16(value)
                          : narrowBits(value, formatOf(*tile::dtypeOf(element)));
}

/// f64 to f32, rounded to odd: a second rounding to a narrow float then gives what one rounding
/// would (Boldo and Melquiond, "When double rounding is odd", 2005).
llvm::Value *LaneBuilder::roundToOdd(llvm::Value *wide) {
  unsigned width = widthOf(wide);
  llvm::Type *i32 = vectorOf(b.getInt32Ty(), width);
  llvm::Value *nearest = b.CreateFPTrunc(wide, vectorOf(b.getFloatTy(), width));
  llvm::Value *back = b.CreateFPExt(nearest, wide->getType());
  llvm::Value *isInexact = b.CreateFCmpONE(back, wide);
  auto magnitude = [&](llvm::Value *v) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v); };
  llvm::Value *roundedAway = b.CreateFCmpOGT(magnitude(back), magnitude(wide));
  llvm::Value *bits = b.CreateBitCast(nearest, i32);
  llvm::Value *towardZero = b.CreateSub(bits, b.CreateZExt(roundedAway, i32));
  llvm::Value *odd = b.CreateOr(towardZero, b.CreateZExt(isInexact, i32));
  return b.CreateBitCast(odd, nearest->getType());
}

/// 64-bit integers that f64 cannot hold, rounded to odd like the above: the bits that do not fit
/// are gathered in the lowest that does.
llvm::Value *LaneBuilder::gatherLowBits(llvm::Value *integer, bool isSigned) {
  llvm::Type *type = integer->getType();
  auto number = [&](uint64_t value) { return llvm::ConstantInt::get(type, value); };
  constexpr uint64_t limit = uint64_t(1) << 53, excess = (1 << (64 - 53)) - 1;
  llvm::Value *dropped = b.CreateAnd(integer, number(excess));
  llvm::Value *sticky = b.CreateSelect(b.CreateIsNotNull(dropped), number(excess + 1), number(0));
  llvm::Value *rounded = b.CreateOr(b.CreateAnd(integer, number(~excess)), sticky);
  llvm::Value *isExact =
      isSigned ? b.CreateICmpULE(b.CreateAdd(integer, number(limit)), number(2 * limit))
               : b.CreateICmpULE(integer, number(limit));
  return b.CreateSelect(isExact, integer, rounded);
}

llvm::Value *LaneBuilder::convertFloat(llvm::Value *value, Type from, Type to) {
  if (from == to)
    return value;
  if (from.isF64())
    return to.isF32() ? b.CreateFPTrunc(value, vectorOf(b.getFloatTy(), widthOf(value)))
                      : fromFloat32(roundToOdd(value), to);
  llvm::Value *single = toFloat32(value, from);
  if (to.isF64())
    return b.CreateFPExt(single, vectorOf(b.getDoubleTy(), widthOf(value)));
  return fromFloat32(single, to);
}

/// How many low bits hold an integer, the sign counted in, as far as that is known.
static unsigned significantBits(llvm::IRBuilderBase &b, llvm::Value *integer, bool isSigned) {
  const llvm::DataLayout &data = b.GetInsertBlock()->getModule()->getDataLayout();
  return isSigned ? llvm::ComputeMaxSignificantBits(integer, data)
                  : llvm::computeKnownBits(integer, data).countMaxActiveBits();
}

llvm::Value *LaneBuilder::emitCast(Operation *op, llvm::Value *value) {
  Type from = tile::elementOf(op->getOperand(0).getType());
  Type to = tile::elementOf(op->getResult(0).getType());
  unsigned width = widthOf(value);
  llvm::Type *type = vectorOf(laneType(to), width);
  // The float side of a conversion to or from an integer.
  Type f64 = Float64Type::get(op->getContext()), f32 = Float32Type::get(op->getContext());
  auto toInteger = [&](llvm::Intrinsic::ID id) -> llvm::Value * {
    llvm::Value *number = from.isF64() ? value : toFloat32(value, from);
    bool isSigned = id == llvm::Intrinsic::fptosi_sat;
    if (auto *own = target.toInteger(*this, number, to.getIntOrFloatBitWidth(), isSigned))
      return own;
    return b.CreateIntrinsic(id, {type, number->getType()}, {number});
  };
  // A narrow result by way of a float that has all bits of the integer, so that it is rounded once:
  // f32 where the integer is known to be short, else f64.
  constexpr unsigned bitsOfFloat32 = 24;
  auto fromInteger = [&](bool isSigned) {
    bool isNarrow = to.getIntOrFloatBitWidth() <= 16;
    bool isWide = to.isF64() || (isNarrow && significantBits(b, value, isSigned) > bitsOfFloat32);
    llvm::Type *number = vectorOf(isWide ? b.getDoubleTy() : b.getFloatTy(), width);
    llvm::Value *integer =
        isNarrow && isWide && from.isInteger(64) ? gatherLowBits(value, isSigned) : value;
    llvm::Value *converted =
        isSigned ? b.CreateSIToFP(integer, number) : b.CreateUIToFP(integer, number);
    return convertFloat(converted, isWide ? f64 : f32, to);
  };
  return llvm::TypeSwitch<Operation *, llvm::Value *>(op)
      .Case([&](arith::ExtSIOp) { return b.CreateSExt(value, type); })
      .Case([&](arith::ExtUIOp) { return b.CreateZExt(value, type); })
      .Case([&](arith::TruncIOp) { return b.CreateTrunc(value, type); })
      .Case<arith::ExtFOp, arith::TruncFOp, tile::NarrowOp>(
          [&](Operation *) { return convertFloat(value, from, to); })
      .Case([&](arith::FPToSIOp) { return toInteger(llvm::Intrinsic::fptosi_sat); })
      .Case([&](arith::FPToUIOp) { return toInteger(llvm::Intrinsic::fptoui_sat); })
      .Case([&](arith::SIToFPOp) { return fromInteger(true); })
      .Case([&](arith::UIToFPOp) { return fromInteger(false); })
      .Case([&](arith::BitcastOp) {
        llvm::Value *bits = b.CreateBitCast(value, type);
        bool isOtherFormat = (from.isF16() && to.isBF16()) || (from.isBF16() && to.isF16());
        return isOtherFormat ? target.reinterpret(*this, bits) : bits;
      })
      .Case<tile::HintOp, tile::PointerCastOp>([&](Operation *) { return value; })
      .Case([&](tile::PointerToIntOp) { return b.CreatePtrToInt(value, type); })
      .Case([&](tile::IntToPointerOp) { return b.CreateIntToPtr(value, type); })
      .Default([](Operation *) { return nullptr; });
}

llvm::Value *LaneBuilder::emitPointer(Operation *op, llvm::ArrayRef<llvm::Value *> v) {
  auto offset = llvm::dyn_cast<tile::OffsetOp>(op);
  if (!offset)
    return nullptr;
  llvm::Type *pointee = memoryType(tile::elementOf(tile::pointeeOf(offset.getPointer().getType())));
  llvm::Value *index = b.CreateSExt(v[1], vectorOf(b.getInt64Ty(), widthOf(v[1])));
  return b.CreateGEP(pointee, v[0], index);
}

} // namespace nereid::backend
