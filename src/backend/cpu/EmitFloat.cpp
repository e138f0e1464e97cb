// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Float arithmetic, comparisons and selection.
#include "backend/cpu/LaneBuilder.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::backend::cpu {

llvm::Value *LaneBuilder::emitFloat(Operation *op, llvm::ArrayRef<llvm::Value *> operands) {
  Type element = op->getNumResults() == 1 ? tile::elementOf(op->getResult(0).getType()) : Type();
  if (!llvm::isa_and_present<FloatType>(element) || op->getNumOperands() == 0 ||
      tile::elementOf(op->getOperand(0).getType()) != element)
    return nullptr;
  llvm::SmallVector<llvm::Value *, 3> v;
  for (llvm::Value *operand : operands)
    v.push_back(element.isF64() ? operand : toFloat32(operand, element));
  auto unary = [&](llvm::Intrinsic::ID id) { return b.CreateUnaryIntrinsic(id, v[0]); };
  auto binary = [&](llvm::Intrinsic::ID id) { return b.CreateBinaryIntrinsic(id, v[0], v[1]); };
  llvm::Value *result =
      llvm::TypeSwitch<Operation *, llvm::Value *>(op)
          .Case([&](arith::AddFOp) { return b.CreateFAdd(v[0], v[1]); })
          .Case([&](arith::SubFOp) { return b.CreateFSub(v[0], v[1]); })
          .Case([&](arith::MulFOp) { return b.CreateFMul(v[0], v[1]); })
          .Case([&](arith::DivFOp) { return b.CreateFDiv(v[0], v[1]); })
          .Case([&](arith::RemFOp) { return b.CreateFRem(v[0], v[1]); })
          .Case([&](arith::NegFOp) { return b.CreateFNeg(v[0]); })
          .Case([&](arith::MaxNumFOp) { return binary(llvm::Intrinsic::maxnum); })
          .Case([&](arith::MinNumFOp) { return binary(llvm::Intrinsic::minnum); })
          .Case([&](arith::MaximumFOp) { return binary(llvm::Intrinsic::maximum); })
          .Case([&](arith::MinimumFOp) { return binary(llvm::Intrinsic::minimum); })
          .Case([&](math::AbsFOp) { return unary(llvm::Intrinsic::fabs); })
          .Case([&](math::CeilOp) { return unary(llvm::Intrinsic::ceil); })
          .Case([&](math::FloorOp) { return unary(llvm::Intrinsic::floor); })
          .Case([&](math::SqrtOp) { return unary(llvm::Intrinsic::sqrt); })
          .Case([&](math::RsqrtOp) {
            auto *one = llvm::ConstantFP::get(v[0]->getType(), 1.0);
            return b.CreateFDiv(one, unary(llvm::Intrinsic::sqrt));
          })
          .Case([&](math::FmaOp) {
            return b.CreateIntrinsic(llvm::Intrinsic::fma, {v[0]->getType()}, {v[0], v[1], v[2]});
          })
          .Default([](Operation *) { return nullptr; });
  if (!result || element.isF64())
    return result;
  return fromFloat32(result, element);
}

static llvm::CmpInst::Predicate toLlvm(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  using C = llvm::CmpInst;
  switch (predicate) {
  case P::eq: return C::ICMP_EQ;
  case P::ne: return C::ICMP_NE;
  case P::slt: return C::ICMP_SLT;
  case P::sle: return C::ICMP_SLE;
  case P::sgt: return C::ICMP_SGT;
  case P::sge: return C::ICMP_SGE;
  case P::ult: return C::ICMP_ULT;
  case P::ule: return C::ICMP_ULE;
  case P::ugt: return C::ICMP_UGT;
  case P::uge: return C::ICMP_UGE;
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
    // arith numbers its predicates as LLVM does: false, oeq, ogt, ... une, uno, true.
    auto predicate = static_cast<llvm::CmpInst::Predicate>(compare.getPredicate());
    return b.CreateFCmp(predicate, lhs, rhs);
  }
  if (llvm::isa<arith::SelectOp>(op)) {
    unsigned width = std::max({widthOf(v[0]), widthOf(v[1]), widthOf(v[2])});
    return b.CreateSelect(splat(v[0], width), splat(v[1], width), splat(v[2], width));
  }
  return nullptr;
}

} // namespace nereid::backend::cpu
