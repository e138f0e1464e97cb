// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer arithmetic. Where LLVM leaves a result undefined, the table in TileDialect.td says what
// it is.
#include "backend/llvm/LaneBuilder.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::backend {

/// The quotient of integers of up to 32 bits, computed in floats that hold them exactly: rounding
/// cannot carry a quotient to the next integer, which it misses by 1 / divisor at least.
llvm::Value *LaneBuilder::divideAsFloats(llvm::Value *dividend, llvm::Value *divisor,
                                         bool isSigned) {
  llvm::Type *type = dividend->getType();
  llvm::Type *real = type->getScalarSizeInBits() <= 16 ? b.getFloatTy() : b.getDoubleTy();
  llvm::Type *reals = vectorOf(real, widthOf(dividend));
  auto toReal = [&](llvm::Value *v) {
    return isSigned ? b.CreateSIToFP(v, reals) : b.CreateUIToFP(v, reals);
  };
  llvm::Value *quotient = b.CreateFDiv(toReal(dividend), toReal(divisor));
  return isSigned ? b.CreateFPToSI(quotient, type) : b.CreateFPToUI(quotient, type);
}

llvm::Value *LaneBuilder::divide(Operation *op, llvm::Value *dividend, llvm::Value *divisor) {
  llvm::Type *type = divisor->getType();
  bool isSigned = llvm::isa<arith::DivSIOp, arith::RemSIOp>(op);
  bool isQuotient = llvm::isa<arith::DivSIOp, arith::DivUIOp>(op);
  auto *zero = llvm::Constant::getNullValue(type);
  auto *one = llvm::ConstantInt::get(type, 1);

  // A divisor of 1 stands in where the hardware would trap; its remainder, 0, is already right.
  // That is so of -1 whatever is divided: what depends on the divisor alone leaves loops, and takes
  // the reciprocal with it.
  llvm::Value *isZero = b.CreateICmpEQ(divisor, zero);
  llvm::Value *isUnsafe = isZero, *negates = nullptr;
  if (isSigned) {
    negates = b.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(type));
    isUnsafe = b.CreateOr(isZero, negates);
  }
  llvm::Value *safe = b.CreateSelect(isUnsafe, one, divisor);
  auto quotientOf = [&](llvm::Value *quotient) {
    if (negates)
      quotient = b.CreateSelect(negates, b.CreateNeg(dividend), quotient);
    return b.CreateSelect(isZero, zero, quotient);
  };
  bool isConstant = llvm::isa<llvm::Constant>(divisor); // LLVM multiplies by its inverse
  bool isShortVector = type->isVectorTy() && type->getScalarSizeInBits() <= 32;
  if (!isConstant && isShortVector && target.dividesVectorsAsFloats()) {
    llvm::Value *quotient = divideAsFloats(dividend, safe, isSigned);
    if (isQuotient)
      return quotientOf(quotient);
    return b.CreateSub(dividend, b.CreateMul(quotient, safe));
  }
  // LLVM 22 drops the selection where the quotient is selected by the same condition, and divides
  // by zero after all.
  if (!isConstant)
    safe = opaque(safe);
  if (!isQuotient)
    return isSigned ? b.CreateSRem(dividend, safe) : b.CreateURem(dividend, safe);
  return quotientOf(isSigned ? b.CreateSDiv(dividend, safe) : b.CreateUDiv(dividend, safe));
}

llvm::Value *LaneBuilder::shift(Operation *op, llvm::Value *value, llvm::Value *amount) {
  llvm::Type *type = value->getType();
  unsigned width = type->getScalarSizeInBits();
  auto *last = llvm::ConstantInt::get(type, width - 1);
  llvm::Value *isInside = b.CreateICmpULE(amount, last);
  llvm::Value *safe = target.shiftAmount(*this, b.CreateSelect(isInside, amount, last));
  if (llvm::isa<arith::ShRSIOp>(op))
    return b.CreateAShr(value, safe);
  llvm::Value *shifted =
      llvm::isa<arith::ShLIOp>(op) ? b.CreateShl(value, safe) : b.CreateLShr(value, safe);
  return b.CreateSelect(isInside, shifted, llvm::Constant::getNullValue(type));
}

llvm::Value *LaneBuilder::emitInteger(Operation *op, llvm::ArrayRef<llvm::Value *> v) {
  auto binary = [&](llvm::Intrinsic::ID id) { return b.CreateBinaryIntrinsic(id, v[0], v[1]); };
  return llvm::TypeSwitch<Operation *, llvm::Value *>(op)
      .Case([&](arith::AddIOp) { return b.CreateAdd(v[0], v[1]); })
      .Case([&](arith::SubIOp) { return b.CreateSub(v[0], v[1]); })
      .Case([&](arith::MulIOp) { return b.CreateMul(v[0], v[1]); })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
          [&](Operation *division) { return divide(division, v[0], v[1]); })
      .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(
          [&](Operation *shifting) { return shift(shifting, v[0], v[1]); })
      .Case([&](arith::AndIOp) { return b.CreateAnd(v[0], v[1]); })
      .Case([&](arith::OrIOp) { return b.CreateOr(v[0], v[1]); })
      .Case([&](arith::XOrIOp) { return b.CreateXor(v[0], v[1]); })
      .Case([&](arith::MaxSIOp) { return binary(llvm::Intrinsic::smax); })
      .Case([&](arith::MinSIOp) { return binary(llvm::Intrinsic::smin); })
      .Case([&](arith::MaxUIOp) { return binary(llvm::Intrinsic::umax); })
      .Case([&](arith::MinUIOp) { return binary(llvm::Intrinsic::umin); })
      .Case([&](math::AbsIOp) {
        llvm::Value *absolute = target.absolute(*this, v[0]);
        return absolute ? absolute
                        : b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, v[0], b.getFalse());
      })
      .Case([&](math::CountLeadingZerosOp) {
        return b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, v[0], b.getFalse());
      })
      .Case([&](math::CtPopOp) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, v[0]); })
      .Default([](Operation *) { return nullptr; });
}

} // namespace nereid::backend
