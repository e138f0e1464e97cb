// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Float arithmetic, comparisons and selection.
#include "backend/llvm/LaneBuilder.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::backend {

/// x * y + z of numbers of float16, rounded to odd: rounding again to float16 is right, where from
/// the nearest float it may not be. As double the product is exact, and what the sum loses is too
/// far below for float16 to see.
static llvm::Value *fusedHalf(Builder &b, llvm::Value *x, llvm::Value *y, llvm::Value *z) {
  auto typed = [&](llvm::Type *element) { return x->getType()->getWithNewType(element); };
  llvm::Type *f64 = typed(b.getDoubleTy()), *i32 = typed(b.getInt32Ty());
  auto wide = [&](llvm::Value *value) { return b.CreateFPExt(value, f64); };
  auto magnitude = [&](llvm::Value *value) {
    return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
  };
  llvm::Value *exact = b.CreateFAdd(b.CreateFMul(wide(x), wide(y)), wide(z));
  llvm::Value *sum = b.CreateFPTrunc(exact, x->getType());
  llvm::Value *isBeyond = b.CreateFCmpOGT(magnitude(wide(sum)), magnitude(exact));
  llvm::Value *bits = b.CreateSub(b.CreateBitCast(sum, i32), b.CreateZExt(isBeyond, i32));
  llvm::Value *odd = b.CreateBitCast(b.CreateOr(bits, 1), x->getType());
  return b.CreateSelect(b.CreateFCmpONE(wide(sum), exact), odd, sum);
}

llvm::Value *LaneBuilder::emitFloat(Operation *op, llvm::ArrayRef<llvm::Value *> operands) {
  Type element = op->getNumResults() == 1 ? tile::elementOf(op->getResult(0).getType()) : Type();
  if (!llvm::isa_and_present<FloatType>(element) || op->getNumOperands() == 0 ||
      tile::elementOf(op->getOperand(0).getType()) != element)
    return nullptr;
  // Their bits without the sign; a function of such floats would be one of f32, and rounded again.
  if (llvm::isa<math::AbsFOp>(op) && (element.isF16() || element.isBF16()))
    return b.CreateAnd(operands[0], llvm::ConstantInt::get(operands[0]->getType(), 0x7fff));
  llvm::SmallVector<llvm::Value *, 3> v;
  for (llvm::Value *operand : operands)
    v.push_back(element.isF64() ? operand : toFloat32(operand, element));
  auto unary = [&](llvm::Intrinsic::ID id) { return b.CreateUnaryIntrinsic(id, v[0]); };
  auto binary = [&](llvm::Intrinsic::ID id) { return b.CreateBinaryIntrinsic(id, v[0], v[1]); };
  llvm::Value *result = target.emitFloat(*this, op, v);
  if (!result)
    result =
        llvm::TypeSwitch<Operation *, llvm::Value *>(op)
            .Case([&](arith::AddFOp) { return b.CreateFAdd(v[0], v[1]); })
            .Case([&](arith::SubFOp) { return b.CreateFSub(v[0], v[1]); })
            .Case([&](arith::MulFOp) { return b.CreateFMul(v[0], v[1]); })
            .Case([&](arith::DivFOp) { return b.CreateFDiv(v[0], v[1]); })
            .Case([&](arith::RemFOp) { return b.CreateFRem(v[0], v[1]); })
            .Case([&](arith::NegFOp) { return b.CreateFNeg(v[0]); })
            .Case([&](arith::MaxNumFOp) { return chooseNumber(v[0], v[1], /*isMaximum=*/true); })
            .Case([&](arith::MinNumFOp) { return chooseNumber(v[0], v[1], /*isMaximum=*/false); })
            .Case([&](arith::MaximumFOp) { return binary(llvm::Intrinsic::maximum); })
            .Case([&](arith::MinimumFOp) { return binary(llvm::Intrinsic::minimum); })
            .Case([&](math::AbsFOp) { return unary(llvm::Intrinsic::fabs); })
            .Case([&](math::CeilOp) { return unary(llvm::Intrinsic::ceil); })
            .Case([&](math::FloorOp) { return unary(llvm::Intrinsic::floor); })
            .Case([&](math::TruncOp) { return unary(llvm::Intrinsic::trunc); })
            .Case([&](math::RoundOp) { return unary(llvm::Intrinsic::round); })
            .Case([&](math::RoundEvenOp) { return unary(llvm::Intrinsic::roundeven); })
            .Case([&](math::CopySignOp) { return binary(llvm::Intrinsic::copysign); })
            .Case([&](math::SqrtOp) { return unary(llvm::Intrinsic::sqrt); })
            .Case([&](math::RsqrtOp) {
              auto *one = llvm::ConstantFP::get(v[0]->getType(), 1.0);
              return b.CreateFDiv(one, unary(llvm::Intrinsic::sqrt));
            })
            .Case([&](math::FmaOp) {
              if (element.isF16())
                return fusedHalf(b, v[0], v[1], v[2]);
              return static_cast<llvm::Value *>(
                  b.CreateIntrinsic(llvm::Intrinsic::fma, {v[0]->getType()}, {v[0], v[1], v[2]}));
            })
            .Default([](Operation *) { return nullptr; });
  if (!result || element.isF64())
    return result;
  return fromFloat32(result, element);
}

/// IEEE 754's maximumNumber and minimumNumber: a NaN loses against any number, and -0 is below +0.
/// Spelled out, because LLVM 22 returns the NaN where it knows that the other operand is none.
llvm::Value *LaneBuilder::chooseNumber(llvm::Value *a, llvm::Value *c, bool isMaximum) {
  llvm::Value *isBetter = isMaximum ? b.CreateFCmpOGT(a, c) : b.CreateFCmpOLT(a, c);
  llvm::Value *chosen = b.CreateSelect(isBetter, a, c);
  // Equal numbers have equal bits, except zeros, which differ in their sign.
  llvm::Type *bits = a->getType()->getWithNewType(b.getIntNTy(a->getType()->getScalarSizeInBits()));
  llvm::Value *aBits = b.CreateBitCast(a, bits), *cBits = b.CreateBitCast(c, bits);
  llvm::Value *equal = isMaximum ? b.CreateAnd(aBits, cBits) : b.CreateOr(aBits, cBits);
  chosen = b.CreateSelect(b.CreateFCmpOEQ(a, c), b.CreateBitCast(equal, a->getType()), chosen);
  return b.CreateSelect(b.CreateFCmpUNO(c, c), a, chosen);
}

static llvm::CmpInst::Predicate toLlvm(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  using C = llvm::CmpInst;
  switch (predicate) {
  case P::eq:
    return C::ICMP_EQ;
  case P::ne:
    return C::ICMP_NE;
  case P::slt:
    return C::ICMP_SLT;
  case P::sle:
    return C::ICMP_SLE;
  case P::sgt:
    return C::ICMP_SGT;
  case P::sge:
    return C::ICMP_SGE;
  case P::ult:
    return C::ICMP_ULT;
  case P::ule:
    return C::ICMP_ULE;
  case P::ugt:
    return C::ICMP_UGT;
  case P::uge:
    return C::ICMP_UGE;
  }
  llvm_unreachable("all predicates are listed");
}

static llvm::CmpInst::Predicate toLlvm(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  using C = llvm::CmpInst;
  switch (predicate) {
  case P::AlwaysFalse:
    return C::FCMP_FALSE;
  case P::OEQ:
    return C::FCMP_OEQ;
  case P::OGT:
    return C::FCMP_OGT;
  case P::OGE:
    return C::FCMP_OGE;
  case P::OLT:
    return C::FCMP_OLT;
  case P::OLE:
    return C::FCMP_OLE;
  case P::ONE:
    return C::FCMP_ONE;
  case P::ORD:
    return C::FCMP_ORD;
  case P::UEQ:
    return C::FCMP_UEQ;
  case P::UGT:
    return C::FCMP_UGT;
  case P::UGE:
    return C::FCMP_UGE;
  case P::ULT:
    return C::FCMP_ULT;
  case P::ULE:
    return C::FCMP_ULE;
  case P::UNE:
    return C::FCMP_UNE;
  case P::UNO:
    return C::FCMP_UNO;
  case P::AlwaysTrue:
    return C::FCMP_TRUE;
  }
  llvm_unreachable("all predicates are listed");
}

llvm::Value *LaneBuilder::emitCompare(Operation *op, llvm::ArrayRef<llvm::Value *> v) {
  if (auto compare = llvm::dyn_cast<arith::CmpIOp>(op))
    return b.CreateICmp(toLlvm(compare.getPredicate()), v[0], v[1]);
  if (auto compare = llvm::dyn_cast<arith::CmpFOp>(op)) {
    Type element = tile::elementOf(compare.getLhs().getType());
    bool isDouble = element.isF64();
    llvm::Value *lhs = isDouble ? v[0] : toFloat32(v[0], element);
    llvm::Value *rhs = isDouble ? v[1] : toFloat32(v[1], element);
    return b.CreateFCmp(toLlvm(compare.getPredicate()), lhs, rhs);
  }
  if (llvm::isa<arith::SelectOp>(op)) {
    unsigned width = std::max({widthOf(v[0]), widthOf(v[1]), widthOf(v[2])});
    return b.CreateSelect(splat(v[0], width), splat(v[1], width), splat(v[2], width));
  }
  return nullptr;
}

} // namespace nereid::backend
