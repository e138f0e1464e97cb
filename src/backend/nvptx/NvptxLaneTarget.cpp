// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/NvptxLaneTarget.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

#include <numbers>

using namespace mlir;

namespace nereid::backend::nvptx {

static llvm::Type *floatType(Builder &b, Type element) {
  return element.isBF16() ? b.getBFloatTy() : b.getHalfTy();
}

llvm::Value *NvptxLaneTarget::widen(LaneBuilder &lanes, llvm::Value *bits, Type element) const {
  if (!element.isF16() && !element.isBF16())
    return nullptr;
  Builder &b = lanes.builder();
  return b.CreateFPExt(b.CreateBitCast(bits, floatType(b, element)), b.getFloatTy());
}

llvm::Value *NvptxLaneTarget::narrow(LaneBuilder &lanes, llvm::Value *single, Type element) const {
  if (!element.isF16() && !element.isBF16())
    return nullptr;
  Builder &b = lanes.builder();
  return b.CreateBitCast(b.CreateFPTrunc(single, floatType(b, element)), b.getInt16Ty());
}

/// Approximations: exponentials by ex2 of the scaled argument and quotients to 2 ulp, as upstream's
/// kernels have them; logarithms by lg2, which near 1 is exact to 2^-22 and not to an ulp. Sine and
/// cosine are refused: the instructions are wrong for large arguments.
llvm::Value *NvptxLaneTarget::emitFloat(LaneBuilder &lanes, Operation *op,
                                        llvm::ArrayRef<llvm::Value *> v) const {
  Builder &b = lanes.builder();
  // PTX's max gives the number beside a NaN, and takes -0 for less than +0.
  if (llvm::isa<arith::MaxNumFOp>(op))
    return b.CreateMaxNum(v[0], v[1]);
  if (llvm::isa<arith::MinNumFOp>(op))
    return b.CreateMinNum(v[0], v[1]);
  if (!v[0]->getType()->isFloatTy())
    return nullptr;
  auto number = [&](double value) { return llvm::ConstantFP::get(b.getFloatTy(), value); };
  auto unary = [&](llvm::Intrinsic::ID id, llvm::Value *value) {
    return b.CreateIntrinsic(b.getFloatTy(), id, {value});
  };
  return llvm::TypeSwitch<Operation *, llvm::Value *>(op)
      .Case([&](arith::DivFOp) {
        return b.CreateIntrinsic(b.getFloatTy(), llvm::Intrinsic::nvvm_div_full, {v[0], v[1]});
      })
      .Case([&](math::SqrtOp) { return unary(llvm::Intrinsic::nvvm_sqrt_approx_f, v[0]); })
      .Case([&](math::ExpOp) {
        return unary(llvm::Intrinsic::nvvm_ex2_approx,
                     b.CreateFMul(v[0], number(std::numbers::log2e)));
      })
      .Case([&](math::Exp2Op) { return unary(llvm::Intrinsic::nvvm_ex2_approx, v[0]); })
      .Case([&](math::LogOp) {
        return b.CreateFMul(unary(llvm::Intrinsic::nvvm_lg2_approx_f, v[0]),
                            number(std::numbers::ln2));
      })
      .Case([&](math::Log2Op) { return unary(llvm::Intrinsic::nvvm_lg2_approx_f, v[0]); })
      .Case([&](math::RsqrtOp) { return unary(llvm::Intrinsic::nvvm_rsqrt_approx_f, v[0]); })
      .Default([](Operation *) { return nullptr; });
}

} // namespace nereid::backend::nvptx
