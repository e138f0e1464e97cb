// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/NvptxLaneTarget.h"

#include "backend/nvptx/ptx/DeviceMath.h"
#include "backend/nvptx/ptx/PtxAsm.h"
#include "dialect/tile/Exact.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

#include <numbers>

using namespace mlir;

namespace nereid::backend::nvptx {

static llvm::Type *floatType(Builder &b, Type element) {
  return element.isBF16() ? b.getBFloatTy() : b.getHalfTy();
}

/// The bits of a half float: e5m2 is its upper byte, and e4m3 is converted by an instruction from
/// sm_89 on. Null for others.
llvm::Value *NvptxLaneTarget::halfOf(Builder &b, llvm::Value *bits, Type element) const {
  if (element.isF16())
    return bits;
  if (llvm::isa<Float8E5M2Type>(element))
    return b.CreateShl(b.CreateZExt(bits, b.getInt16Ty()), 8);
  if (!llvm::isa<Float8E4M3FNType>(element) || !convertsFloat8)
    return nullptr;
  auto *pair = llvm::FixedVectorType::get(b.getHalfTy(), 2);
  llvm::Value *halves = b.CreateIntrinsic(pair, llvm::Intrinsic::nvvm_e4m3x2_to_f16x2_rn,
                                          {b.CreateZExt(bits, b.getInt16Ty())});
  return b.CreateExtractElement(halves, uint64_t(0));
}

/// A float32 that was rounded to bf16, as a float32: itself, if it was one before, else one
/// instruction, which rounds two and leaves the first in the upper half, where float32 has these
/// bits. Null if the bits are not of such a one.
static llvm::Value *roundedToBFloat16(Builder &b, llvm::Value *bits) {
  auto *cast = llvm::dyn_cast<llvm::BitCastInst>(bits);
  auto *rounding = cast ? llvm::dyn_cast<llvm::FPTruncInst>(cast->getOperand(0)) : nullptr;
  if (!rounding || !rounding->getSrcTy()->isFloatTy() || !rounding->getDestTy()->isBFloatTy())
    return nullptr;
  if (auto *widened = llvm::dyn_cast<llvm::FPExtInst>(rounding->getOperand(0));
      widened && widened->getSrcTy()->isBFloatTy())
    return widened;
  auto *pair = llvm::FixedVectorType::get(b.getBFloatTy(), 2);
  llvm::Value *zero = llvm::ConstantFP::get(b.getFloatTy(), 0.0);
  llvm::Value *halves =
      b.CreateIntrinsic(pair, llvm::Intrinsic::nvvm_ff2bf16x2_rn, {rounding->getOperand(0), zero});
  return b.CreateBitCast(halves, b.getFloatTy());
}

llvm::Value *NvptxLaneTarget::widen(LaneBuilder &lanes, llvm::Value *bits, Type element) const {
  Builder &b = lanes.builder();
  if (llvm::Value *rounded = element.isBF16() ? roundedToBFloat16(b, bits) : nullptr)
    return rounded;
  llvm::Value *narrow = element.isBF16() ? bits : halfOf(b, bits, element);
  return narrow ? b.CreateFPExt(b.CreateBitCast(narrow, floatType(b, element)), b.getFloatTy())
                : nullptr;
}

llvm::Value *NvptxLaneTarget::narrow(LaneBuilder &lanes, llvm::Value *single, Type element) const {
  Builder &b = lanes.builder();
  if (convertsFloat8 && llvm::isa<Float8E4M3FNType, Float8E5M2Type>(element)) {
    // A pair is made, whose other half is dropped. Saturates, and gives the NaN that we have.
    auto convert = llvm::isa<Float8E5M2Type>(element) ? llvm::Intrinsic::nvvm_ff_to_e5m2x2_rn
                                                      : llvm::Intrinsic::nvvm_ff_to_e4m3x2_rn;
    llvm::Value *zero = llvm::ConstantFP::get(b.getFloatTy(), 0.0);
    return b.CreateTrunc(b.CreateIntrinsic(b.getInt16Ty(), convert, {zero, single}), b.getInt8Ty());
  }
  if (!element.isF16() && !element.isBF16())
    return nullptr;
  return b.CreateBitCast(b.CreateFPTrunc(single, floatType(b, element)), b.getInt16Ty());
}

/// LLVM 22 joins a sum in bf16 with a comparison of its bits as f16 to `bf16 = and`, which it
/// cannot select.
llvm::Value *NvptxLaneTarget::reinterpret(LaneBuilder &lanes, llvm::Value *bits) const {
  return emitPtx(lanes.builder(), "mov.b16 $0, $1;", bits->getType(), "=h,h", {bits});
}

/// LLVM 22 knows that PTX's shifts give zero beyond the width, leaves the comparison out, and looks
/// at the lower 32 bits of a longer amount only. It must not see which comparison made this one.
llvm::Value *NvptxLaneTarget::shiftAmount(LaneBuilder &lanes, llvm::Value *amount) const {
  if (amount->getType()->getScalarSizeInBits() <= 32 || llvm::isa<llvm::Constant>(amount))
    return amount;
  return emitPtx(lanes.builder(), "mov.b64 $0, $1;", amount->getType(), "=l,l", {amount});
}

/// ptxas (13.0) takes the result of abs.s16 for one that is not below zero, the least number's too,
/// and leaves out what would widen its sign. See HideNegations.h for why -x is written so.
llvm::Value *NvptxLaneTarget::absolute(LaneBuilder &lanes, llvm::Value *value) const {
  Builder &b = lanes.builder();
  if (value->getType()->getScalarSizeInBits() > 16)
    return nullptr;
  llvm::Value *wide = b.CreateSExt(value, b.getInt16Ty());
  llvm::Value *result = emitPtx(b,
                                "{ .reg .s16 other; not.b16 other, $1; add.s16 other, other, 1; "
                                "max.s16 $0, $1, other; }",
                                b.getInt16Ty(), "=h,h", {wide});
  return b.CreateTrunc(result, value->getType());
}

/// The instruction saturates, and of float32 gives zero for what is no number but as 64 bits (PTX
/// ISA, cvt); LLVM does not count on it.
llvm::Value *NvptxLaneTarget::toInteger(LaneBuilder &lanes, llvm::Value *number, unsigned bits,
                                        bool isSigned) const {
  bool isDouble = number->getType()->isDoubleTy();
  bool isKnown = bits == 32 || bits == 64 || (!isDouble && (bits == 8 || bits == 16));
  if (!isKnown || number->getType()->isVectorTy() || llvm::isa<llvm::Constant>(number))
    return nullptr;
  Builder &b = lanes.builder();
  std::string type = (isSigned ? "s" : "u") + std::to_string(bits);
  std::string text = "cvt.rzi." + type + (isDouble ? ".f64" : ".f32") + " $0, $1;";
  // No register has 8 bits.
  const char *result = bits == 64 ? "=l," : bits == 16 ? "=h," : "=r,";
  llvm::Type *integer = b.getIntNTy(std::max(bits, bits == 16 ? 16u : 32u));
  auto *code = llvm::InlineAsm::get(llvm::FunctionType::get(integer, {number->getType()}, false),
                                    text, result + std::string(isDouble ? "d" : "f"),
                                    /*hasSideEffects=*/false);
  llvm::Value *converted = b.CreateCall(code, {number});
  if (bits <= 32 && !isDouble)
    return b.CreateTrunc(converted, b.getIntNTy(bits));
  return b.CreateSelect(b.CreateFCmpUNO(number, number), llvm::ConstantInt::get(integer, 0),
                        converted);
}

/// What the hardware approximates as well as upstream's kernels have it: exponentials by ex2 of the
/// scaled argument, zero below 2^-126; quotients and roots to 2 ulp.
static llvm::Value *approximate(LaneBuilder &lanes, Operation *op,
                                llvm::ArrayRef<llvm::Value *> v) {
  Builder &b = lanes.builder();
  auto unary = [&](llvm::Intrinsic::ID id, llvm::Value *value) {
    return b.CreateIntrinsic(b.getFloatTy(), id, {value});
  };
  return llvm::TypeSwitch<Operation *, llvm::Value *>(op)
      .Case([&](arith::DivFOp) {
        return b.CreateIntrinsic(b.getFloatTy(), llvm::Intrinsic::nvvm_div_full, {v[0], v[1]});
      })
      .Case([&](math::SqrtOp) { return unary(llvm::Intrinsic::nvvm_sqrt_approx_f, v[0]); })
      .Case([&](math::ExpOp) {
        auto *scale = llvm::ConstantFP::get(b.getFloatTy(), std::numbers::log2e);
        return unary(llvm::Intrinsic::nvvm_ex2_approx_ftz, b.CreateFMul(v[0], scale));
      })
      .Case([&](math::Exp2Op) { return unary(llvm::Intrinsic::nvvm_ex2_approx_ftz, v[0]); })
      .Case([&](math::RsqrtOp) { return unary(llvm::Intrinsic::nvvm_rsqrt_approx_f, v[0]); })
      .Default([](Operation *) { return nullptr; });
}

/// Where the author asked for speed, by a function of libdevice's that is called fast or by the
/// instruction: what the hardware has, however far off (PTX ISA; CUDA C++ Programming Guide,
/// Intrinsic Functions). tanh.approx is of sm_75 and later.
static llvm::Value *approximateAsAsked(LaneBuilder &lanes, Operation *op,
                                       llvm::ArrayRef<llvm::Value *> v) {
  auto fast = llvm::dyn_cast<arith::ArithFastMathInterface>(op);
  if (!fast ||
      !bitEnumContainsAll(fast.getFastMathFlagsAttr().getValue(), arith::FastMathFlags::afn))
    return nullptr;
  Builder &b = lanes.builder();
  auto unary = [&](llvm::Intrinsic::ID id, llvm::Value *value) {
    return b.CreateIntrinsic(b.getFloatTy(), id, {value});
  };
  auto logarithm = [&](double ofTwo) {
    llvm::Value *ofIt = unary(llvm::Intrinsic::nvvm_lg2_approx_f, v[0]);
    return b.CreateFMul(ofIt, llvm::ConstantFP::get(b.getFloatTy(), ofTwo));
  };
  auto sine = [&] { return unary(llvm::Intrinsic::nvvm_sin_approx_f, v[0]); };
  auto cosine = [&] { return unary(llvm::Intrinsic::nvvm_cos_approx_f, v[0]); };
  return llvm::TypeSwitch<Operation *, llvm::Value *>(op)
      .Case([&](math::TanhOp) {
        return emitPtx(b, "tanh.approx.f32 $0, $1;", b.getFloatTy(), "=f,f", {v[0]});
      })
      .Case([&](math::SinOp) { return sine(); })
      .Case([&](math::CosOp) { return cosine(); })
      .Case([&](math::TanOp) {
        return b.CreateIntrinsic(b.getFloatTy(), llvm::Intrinsic::nvvm_div_full,
                                 {sine(), cosine()});
      })
      .Case([&](math::Log2Op) { return unary(llvm::Intrinsic::nvvm_lg2_approx_f, v[0]); })
      .Case([&](math::LogOp) { return logarithm(std::numbers::ln2); })
      .Case([&](math::Log10Op) { return logarithm(std::numbers::ln2 / std::numbers::ln10); })
      .Case([&](math::PowFOp) {
        llvm::Value *power = b.CreateFMul(unary(llvm::Intrinsic::nvvm_lg2_approx_f, v[0]), v[1]);
        return unary(llvm::Intrinsic::nvvm_ex2_approx_ftz, power);
      })
      .Default([](Operation *) { return nullptr; });
}

/// Sums and products that LLVM may join to one operation with one rounding.
static llvm::Value *emitContractible(Builder &b, Operation *op, llvm::ArrayRef<llvm::Value *> v) {
  llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  llvm::FastMathFlags flags;
  flags.setAllowContract();
  b.setFastMathFlags(flags);
  return llvm::TypeSwitch<Operation *, llvm::Value *>(op)
      .Case([&](arith::AddFOp) { return b.CreateFAdd(v[0], v[1]); })
      .Case([&](arith::SubFOp) { return b.CreateFSub(v[0], v[1]); })
      .Case([&](arith::MulFOp) { return b.CreateFMul(v[0], v[1]); })
      .Default([](Operation *) { return nullptr; });
}

/// Sums and products of bf16, which ptxas joins two by two. Those of f16 LLVM makes of what is
/// rounded to it; of what is rounded to bf16 it does not. Rounding a sum or product of float32 once
/// more gives the same: float32 has more than twice as many bits.
static llvm::Value *emitBFloat16(Builder &b, Operation *op, llvm::ArrayRef<llvm::Value *> v) {
  auto narrow = [&](llvm::Value *x) {
    auto *widened = llvm::dyn_cast<llvm::FPExtInst>(x);
    return widened && widened->getSrcTy()->isBFloatTy() ? widened->getOperand(0)
                                                        : b.CreateFPTrunc(x, b.getBFloatTy());
  };
  auto compute = [&](auto make) {
    return b.CreateFPExt(make(narrow(v[0]), narrow(v[1])), b.getFloatTy());
  };
  return llvm::TypeSwitch<Operation *, llvm::Value *>(op)
      .Case([&](arith::AddFOp) {
        return compute([&](auto *x, auto *y) { return b.CreateFAdd(x, y); });
      })
      .Case([&](arith::SubFOp) {
        return compute([&](auto *x, auto *y) { return b.CreateFSub(x, y); });
      })
      .Case([&](arith::MulFOp) {
        return compute([&](auto *x, auto *y) { return b.CreateFMul(x, y); });
      })
      .Default([](Operation *) { return nullptr; });
}

/// Whether nothing but the float32 of what is computed is wanted, which its rounding gives.
static bool isWidenedAtOnce(Operation *op) {
  return llvm::all_of(op->getUsers(),
                      [](Operation *user) { return llvm::isa<arith::ExtFOp>(user); });
}

/// A half more, rounded towards zero, is past the next integer only if that is the nearest: the sum
/// has a bit for each half below 2^23 (2^52), and from there on stays as it is. LLVM compares and
/// truncates twice for those.
static llvm::Value *roundAway(llvm::IRBuilderBase &b, llvm::Value *v) {
  llvm::Type *type = v->getType();
  llvm::Value *half =
      b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, llvm::ConstantFP::get(type, 0.5), v);
  llvm::Value *sum = b.CreateIntrinsic(type->isDoubleTy() ? llvm::Intrinsic::nvvm_add_rz_d
                                                          : llvm::Intrinsic::nvvm_add_rz_f,
                                       {}, {v, half});
  return b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, sum);
}

llvm::Value *NvptxLaneTarget::emitFloat(LaneBuilder &lanes, Operation *op,
                                        llvm::ArrayRef<llvm::Value *> v) const {
  // PTX's max gives the number beside a NaN, and takes -0 for less than +0.
  if (llvm::isa<arith::MaxNumFOp>(op))
    return lanes.builder().CreateMaxNum(v[0], v[1]);
  if (llvm::isa<arith::MinNumFOp>(op))
    return lanes.builder().CreateMinNum(v[0], v[1]);
  // The hardware rounds once.
  if (llvm::isa<math::FmaOp>(op) && tile::elementOf(op->getResult(0).getType()).isF16()) {
    Builder &b = lanes.builder();
    auto half = [&](llvm::Value *x) {
      return b.CreateFPTrunc(x, x->getType()->getWithNewType(b.getHalfTy()));
    };
    llvm::Value *a = half(v[0]);
    llvm::Value *sum =
        b.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, half(v[1]), half(v[2])});
    return b.CreateFPExt(sum, v[0]->getType());
  }
  if (llvm::isa<math::RoundOp>(op))
    return roundAway(lanes.builder(), v[0]);
  if (addsBFloat16 && tile::elementOf(op->getResult(0).getType()).isBF16() && !isWidenedAtOnce(op))
    if (llvm::Value *value = emitBFloat16(lanes.builder(), op, v))
      return value;
  if (v[0]->getType()->isFloatTy())
    if (llvm::Value *value = approximateAsAsked(lanes, op, v))
      return value;
  if (!tile::isExact(op))
    if (llvm::Value *value = emitContractible(lanes.builder(), op, v))
      return value;
  if (v[0]->getType()->isFloatTy() && !tile::isExact(op))
    if (llvm::Value *value = approximate(lanes, op, v))
      return value;
  return callDeviceMath(lanes, op, v);
}

} // namespace nereid::backend::nvptx
