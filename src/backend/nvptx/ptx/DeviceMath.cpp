// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/DeviceMath.h"

#include "backend/llvm/DoubleFunctions.h"
#include "backend/llvm/FloatFunctions.h"
#include "backend/llvm/InlineCalls.h"
#include "backend/llvm/MathNames.h"
#include "backend/llvm/Require.h"
#include "backend/nvptx/ptx/DeviceMathCode.h"
#include "backend/nvptx/ptx/DeviceRemainder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Linker/Linker.h"

namespace nereid::backend::nvptx {

static llvm::StringRef nameOf(mlir::Operation *op) {
#define MATH_FUNCTION(operation, name, arity, promise32, promise64)                                \
  if (llvm::isa<mlir::arith::operation>(op))                                                       \
    return #name;
#include "backend/nvptx/ptx/device_functions.def"
  return cNameOf(op);
}

/// As the overloads of OpenCL C are named: "_Z3powff".
static std::string symbolOf(llvm::StringRef name, bool isDouble, size_t arity) {
  return "_Z" + std::to_string(name.size()) + name.str() + std::string(arity, isDouble ? 'd' : 'f');
}

static llvm::Value *call(Builder &b, llvm::StringRef name, llvm::ArrayRef<llvm::Value *> operands) {
  llvm::Type *type = operands[0]->getType();
  llvm::SmallVector<llvm::Type *, 2> types(operands.size(), type);
  llvm::FunctionCallee callee = b.GetInsertBlock()->getModule()->getOrInsertFunction(
      symbolOf(name, type->isDoubleTy(), operands.size()),
      llvm::FunctionType::get(type, types, false));
  return b.CreateCall(callee, operands);
}

/// libclc's counts the bits of y * log2(x) in 32: what is far out of range has no such number, and
/// is infinite or zero.
static llvm::Value *powerOfDoubles(Builder &b, llvm::Value *x, llvm::Value *y) {
  llvm::Type *type = x->getType();
  auto number = [&](double value) { return llvm::ConstantFP::get(type, value); };
  auto size = [&](llvm::Value *value) {
    return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
  };
  llvm::Value *power = call(b, "pow", {x, y});
  llvm::Value *exponent = b.CreateFMul(y, call(b, "log2", {size(x)}));
  llvm::Value *isFar =
      b.CreateAnd(b.CreateFCmpOGT(size(exponent), number(0x1p20)), b.CreateFCmpORD(power, power));
  // An odd power of a negative number is negative. From 2^53 on all numbers are even.
  llvm::Value *whole = b.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {b.getInt64Ty(), type}, {y});
  llvm::Value *isOdd =
      b.CreateAnd(b.CreateFCmpOLT(size(y), number(0x1p53)), b.CreateTrunc(whole, b.getInt1Ty()));
  isOdd = b.CreateAnd(isOdd, b.CreateFCmpOEQ(b.CreateSIToFP(whole, type), y));
  llvm::Value *far =
      b.CreateSelect(b.CreateFCmpOGT(exponent, number(0)), number(INFINITY), number(0));
  llvm::Value *sign = b.CreateSelect(isOdd, x, number(1));
  return b.CreateSelect(isFar, b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, far, sign),
                        power);
}

/// The hardware's approximations, as PTX describes them.
static const FunctionMachine gpu = {
    .hasFma = true,
    .exp2 = [](Builder &b, llvm::Value *x) -> llvm::Value * {
      return b.CreateIntrinsic(x->getType(), llvm::Intrinsic::nvvm_ex2_approx_ftz, {x});
    },
    .reciprocal = [](Builder &b, llvm::Value *x) -> llvm::Value * {
      return b.CreateIntrinsic(x->getType(), llvm::Intrinsic::nvvm_rcp_approx_ftz_f, {x});
    },
    .doubleReciprocal = [](Builder &b, llvm::Value *x) -> llvm::Value * {
      return b.CreateIntrinsic(x->getType(), llvm::Intrinsic::nvvm_rcp_approx_ftz_d, {x});
    },
    .comparesBits = true,
    .hasFastDoubles = false,
};

static llvm::Value *inLine(Builder &b, llvm::StringRef name,
                           llvm::ArrayRef<llvm::Value *> operands) {
  bool isDouble = operands[0]->getType()->isDoubleTy();
  return isDouble ? DoubleFunctions(b, gpu).emit(name, operands)
                  : FloatFunctions(b, gpu).emit(name, operands);
}

/// libclc's for float makes zeros of what is too small to be normal.
static llvm::Value *longDivision(Builder &b, llvm::Value *x, llvm::Value *y) {
  llvm::Type *wide = b.getDoubleTy();
  llvm::Value *rest = call(b, "fmod", {b.CreateFPExt(x, wide), b.CreateFPExt(y, wide)});
  return b.CreateFPTrunc(rest, x->getType());
}

llvm::Value *callDeviceMath(LaneBuilder &lanes, mlir::Operation *op,
                            llvm::ArrayRef<llvm::Value *> operands) {
  llvm::StringRef name = nameOf(op);
  if (name.empty())
    return nullptr;
  Builder &b = lanes.builder();
  if (llvm::Value *result = inLine(b, name, operands))
    return result;
  if (deviceMathCode().empty())
    return nullptr;
  llvm::Type *type = operands[0]->getType();
  if (type->isDoubleTy() && name == "pow")
    return powerOfDoubles(b, operands[0], operands[1]);
  if (name == "fmod")
    return remainder(b, operands[0], operands[1], longDivision);
  return call(b, name, operands);
}

void linkDeviceMath(llvm::Module &module, size_t mostInstructions) {
  inlineCalls(module, mostInstructions);
  llvm::StringSet<> wanted;
  for (llvm::Function &function : module)
    if (function.isDeclaration() && function.getName().starts_with("_Z"))
      wanted.insert(function.getName());
  if (wanted.empty())
    return;
  std::span<const unsigned char> code = deviceMathCode();
  llvm::StringRef bytes(reinterpret_cast<const char *>(code.data()), code.size());
  std::unique_ptr<llvm::Module> library = require(
      llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(bytes, "device math"), module.getContext()),
      "getLazyBitcodeModule");
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  bool failed =
      llvm::Linker::linkModules(module, std::move(library), llvm::Linker::Flags::LinkOnlyNeeded);
  NEREID_CHECK(!failed, "the device's functions cannot be linked");
  for (llvm::GlobalVariable &table : module.globals())
    if (table.hasInitializer())
      table.setLinkage(llvm::GlobalValue::InternalLinkage);
  for (const auto &name : wanted.keys()) {
    llvm::Function &function = *module.getFunction(name);
    NEREID_CHECK(!function.isDeclaration(), "no code for " + name.str());
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    inlineCallsIfShort(function, mostInstructions);
  }
}

} // namespace nereid::backend::nvptx
