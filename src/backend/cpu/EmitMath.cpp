// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transcendental functions: in line where there is code for them, else calls into the C library's vector
// functions, register by register.
#include "backend/cpu/CpuLaneTarget.h"
#include "backend/cpu/MathLibrary.h"
#include "backend/llvm/FloatFunctions.h"
#include "backend/llvm/MathNames.h"
#include "dialect/tile/Remark.h"

namespace nereid::backend::cpu {

llvm::Value *CpuLaneTarget::callMath(LaneBuilder &lanes, mlir::Operation *op,
                                     llvm::ArrayRef<llvm::Value *> operands) const {
  llvm::StringRef name = cNameOf(op);
  Builder &b = lanes.builder();
  llvm::Type *type = operands[0]->getType();
  llvm::Type *lane = type->getScalarType();
  bool isDouble = lane->isDoubleTy();
  llvm::Module &module = *b.GetInsertBlock()->getModule();
  auto call = [&](llvm::StringRef symbol, llvm::ArrayRef<llvm::Value *> arguments) {
    llvm::SmallVector<llvm::Type *, 2> types(arguments.size(), arguments[0]->getType());
    auto *signature = llvm::FunctionType::get(types[0], types, false);
    llvm::FunctionCallee callee = module.getOrInsertFunction(symbol, signature);
    auto *function = llvm::cast<llvm::Function>(callee.getCallee());
    // Pure as far as kernels can tell: errno and the exception flags are not visible to them.
    function->setDoesNotAccessMemory();
    function->setDoesNotThrow();
    function->setWillReturn();
    return b.CreateCall(callee, arguments);
  };
  auto remarkCall = [&](const std::string &each) {
    tile::remark(op, RemarkId::function_called, name, isDouble ? "float64" : "float32", each);
  };
  unsigned width = LaneBuilder::widthOf(operands[0]);
  if (width == 1)
    return call(scalarSymbol(name, isDouble), operands);
  VectorFunction function = findVectorFunction(name, isDouble, operands.size(), width, cpu);
  llvm::Value *result = llvm::PoisonValue::get(type);
  if (function.lanes == 1) {
    remarkCall("element");
    for (unsigned i = 0; i < width; ++i) {
      llvm::SmallVector<llvm::Value *, 2> single;
      for (llvm::Value *operand : operands)
        single.push_back(b.CreateExtractElement(operand, i));
      result = b.CreateInsertElement(result, call(scalarSymbol(name, isDouble), single), i);
    }
    return result;
  }
  remarkCall("register of " + std::to_string(function.lanes));
  // One call per register; a vector shorter than a register is padded with its own first lanes.
  llvm::SmallVector<llvm::Value *, 4> parts;
  for (unsigned first = 0; first < width; first += function.lanes) {
    llvm::SmallVector<int, 16> mask;
    for (unsigned i = 0; i < function.lanes; ++i)
      mask.push_back((first + i) % width);
    llvm::SmallVector<llvm::Value *, 2> arguments;
    for (llvm::Value *operand : operands)
      arguments.push_back(b.CreateShuffleVector(operand, mask));
    parts.push_back(call(function.symbol, arguments));
  }
  return lanes.slice(lanes.concatenate(std::move(parts)), 0, width);
}

namespace {

/// Where the result of a function is too small to be normal, libmvec falls back to scalar code that
/// is ten times slower, and masked-off lanes are often exp(-inf). There the argument is moved up by
/// `shift` and the result scaled down by `scale` = f(-shift).
struct SmallResults {
  llvm::StringRef name;
  double below; // arguments under this are moved: some way before results are no longer normal
                // (exp: -708, exp2: -1022)
  double zero;  // the result is 0 from here on down (exp: -746, exp2: -1075)
  double shift, scale;
};
const SmallResults smallResults[] = {
    {"exp", -700, -760, 128, std::exp(-128.0)},
    {"exp2", -1000, -1100, 256, std::exp2(-256.0)},
};

} // namespace

llvm::Value *CpuLaneTarget::callMathInRange(LaneBuilder &lanes, mlir::Operation *op,
                                            llvm::ArrayRef<llvm::Value *> v) const {
  Builder &b = lanes.builder();
  llvm::Type *type = v[0]->getType();
  const auto *row = llvm::find_if(smallResults, [&](const SmallResults &candidate) {
    return candidate.name == cNameOf(op) && type->getScalarType()->isDoubleTy();
  });
  if (row == std::end(smallResults) || LaneBuilder::widthOf(v[0]) == 1)
    return callMath(lanes, op, v);
  auto number = [&](double value) { return llvm::ConstantFP::get(type, value); };
  llvm::Value *isSmall = b.CreateFCmpOLT(v[0], number(row->below));
  llvm::Value *isZero = b.CreateFCmpOLT(v[0], number(row->zero));
  llvm::Value *bounded = b.CreateSelect(isZero, number(row->zero), v[0]);
  llvm::Value *moved = b.CreateSelect(isSmall, b.CreateFAdd(bounded, number(row->shift)), v[0]);
  llvm::Value *scale = b.CreateSelect(isSmall, number(row->scale), number(1));
  return b.CreateFMul(callMath(lanes, op, moved), scale);
}

llvm::Value *CpuLaneTarget::emitFloat(LaneBuilder &lanes, mlir::Operation *op,
                                      llvm::ArrayRef<llvm::Value *> operands) const {
  llvm::StringRef name = cNameOf(op);
  if (name.empty())
    return nullptr;
  if (operands[0]->getType()->getScalarType()->isFloatTy()) {
    bool scalesByPowers = cpu.vectorBytes == 64; // AVX-512 does
    FloatFunctions functions(lanes.builder(), {cpu.hasFma, scalesByPowers});
    if (llvm::Value *result = functions.emit(name, operands[0]))
      return result;
  }
  return callMathInRange(lanes, op, operands);
}

} // namespace nereid::backend::cpu
