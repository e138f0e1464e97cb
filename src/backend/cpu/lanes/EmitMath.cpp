// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transcendental functions: in line where there is code for them, else calls into the C library's
// vector functions, register by register.
#include "backend/cpu/lanes/CpuLaneTarget.h"
#include "backend/cpu/lanes/MathLibrary.h"
#include "backend/llvm/DoubleFunctions.h"
#include "backend/llvm/FloatFunctions.h"
#include "backend/llvm/MathNames.h"

#include "llvm/ADT/StringSet.h"

namespace nereid::backend::cpu {

llvm::Value *CpuLaneTarget::callMath(LaneBuilder &lanes, llvm::StringRef name,
                                     llvm::ArrayRef<llvm::Value *> operands) const {
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
  unsigned width = LaneBuilder::widthOf(operands[0]);
  if (width == 1)
    return call(scalarSymbol(name, isDouble), operands);
  VectorFunction function = findVectorFunction(name, isDouble, operands.size(), width, cpu);
  llvm::Value *result = llvm::PoisonValue::get(type);
  if (function.lanes == 1) {
    for (unsigned i = 0; i < width; ++i) {
      llvm::SmallVector<llvm::Value *, 2> single;
      for (llvm::Value *operand : operands)
        single.push_back(b.CreateExtractElement(operand, i));
      result = b.CreateInsertElement(result, call(scalarSymbol(name, isDouble), single), i);
    }
    return result;
  }
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

/// Where libmvec looks up tables that code in line has not, its calls are faster, with their
/// registers saved (docs/decisions/0032-functions-on-all-machines.md has the figures).
static bool isFasterByTables(llvm::StringRef name, bool isDouble) {
  static const llvm::StringSet<> single = {"erfc", "asinh", "atanh", "cbrt"};
  static const llvm::StringSet<> wide = {"erfc",  "log",   "log2",  "log10", "log1p", "erf",
                                         "atan2", "asinh", "acosh", "atanh", "cbrt"};
  return (isDouble ? wide : single).contains(name);
}

llvm::Value *CpuLaneTarget::emitFloat(LaneBuilder &lanes, mlir::Operation *op,
                                      llvm::ArrayRef<llvm::Value *> operands) const {
  llvm::StringRef name = cNameOf(op);
  if (name.empty())
    return emitByInstruction(lanes, op, operands);
  llvm::Type *lane = operands[0]->getType()->getScalarType();
  unsigned width = LaneBuilder::widthOf(operands[0]);
  if (width > 1 && isFasterByTables(name, lane->isDoubleTy()) &&
      findVectorFunction(name, lane->isDoubleTy(), operands.size(), width, cpu).lanes > 1)
    return callMath(lanes, name, operands);
  auto scale = [&](llvm::Value *x, llvm::Value *exponent) {
    return scaleByPower(lanes, x, exponent);
  };
  FunctionMachine machine = {.hasFma = cpu.hasFma,
                             .scalesByPowers = cpu.vectorBytes == 64}; // AVX-512 does
  if (machine.scalesByPowers)
    machine.scale = scale;
  llvm::Value *result = lane->isDoubleTy()
                            ? DoubleFunctions(lanes.builder(), machine).emit(name, operands)
                            : FloatFunctions(lanes.builder(), machine).emit(name, operands);
  if (result)
    return result;
  return callMath(lanes, name, operands);
}

} // namespace nereid::backend::cpu
