// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics, as PTX: LLVM 22 drops their order. The instructions are relaxed, with fences around
// them, since the order concerns the whole program.
#include "backend/nvptx/AtomicInstruction.h"
#include "backend/nvptx/KernelEmitter.h"

#include "llvm/IR/InlineAsm.h"

using namespace mlir;

namespace nereid::backend::nvptx {

static llvm::StringRef nameOf(tile::MemoryScope scope) {
  switch (scope) {
  case tile::MemoryScope::Program:
    return "cta";
  case tile::MemoryScope::Device:
    return "gpu";
  case tile::MemoryScope::System:
    return "sys";
  }
  llvm_unreachable("all scopes are listed");
}

/// What is in memory before, of one lane, under a predicate; 0 where it is false. `values` are what
/// the instruction takes besides the address.
static llvm::Value *emitAtom(LaneBuilder &lanes, Type element, llvm::StringRef instruction,
                             tile::MemoryScope scope, llvm::Value *address,
                             llvm::ArrayRef<llvm::Value *> values, llvm::Value *predicate) {
  Builder &b = lanes.builder();
  llvm::Type *memory = lanes.memoryType(element);
  unsigned width = memory->isPointerTy() ? 64 : memory->getScalarSizeInBits();
  llvm::Type *word = b.getIntNTy(width);
  std::string letter = width == 64 ? "l" : width == 32 ? "r" : "h";
  // Words hold floats as bits; PTX moves them between kinds of registers.
  std::string move = "mov.b" + std::to_string(width);
  std::string constraints = "=" + letter + ",0,l", listed;
  llvm::SmallVector<llvm::Value *, 5> operands = {llvm::ConstantInt::get(word, 0), address};
  for (llvm::Value *value : values) {
    llvm::Value *bits = lanes.toMemory(value, element);
    operands.push_back(bits->getType()->isPointerTy() ? b.CreatePtrToInt(bits, word)
                                                      : b.CreateBitCast(bits, word));
    listed += ", $" + std::to_string(operands.size());
    constraints += "," + letter;
  }
  operands.push_back(predicate);
  std::string text = "{ .reg .b" + std::to_string(width) + " old; " + move + " old, $0; @$" +
                     std::to_string(operands.size()) + " atom.relaxed." + nameOf(scope).str() +
                     ".global." + instruction.str() + " old, [$2]" + listed + "; " + move +
                     " $0, old; }";
  llvm::SmallVector<llvm::Type *, 5> types;
  for (llvm::Value *operand : operands)
    types.push_back(operand->getType());
  auto *code = llvm::InlineAsm::get(llvm::FunctionType::get(word, types, false), text,
                                    constraints + ",b,~{memory}", /*hasSideEffects=*/true);
  llvm::Value *old = b.CreateCall(code, operands);
  old = memory->isPointerTy() ? b.CreateIntToPtr(old, memory) : b.CreateBitCast(old, memory);
  return lanes.fromMemory(old, element);
}

/// One lane of each register, by the one thread of those that hold it; the others get the result
/// from there.
void KernelEmitter::emitAtomic(Operation *op, Value mask, llvm::StringRef instruction,
                               tile::MemoryScope scope) {
  Value pointer = op->getOperand(0), old = op->getResult(0);
  Type type = old.getType(), element = tile::elementOf(type);
  tile::Access access = tile::accessOf(op);
  if (access.releases)
    release();
  llvm::Value *isActing =
      tile::isTile(type) ? threads.isFirstHolder(nv::layoutOf(type)) : threads.isFirstThread();
  Registers result;
  for (unsigned r = 0; r < registerCount(type); ++r) {
    llvm::Value *predicate = b.getTrue();
    for (llvm::Value *condition :
         {isActing, mask ? registersOf(mask)[r] : nullptr, isInside(type, r)})
      if (condition)
        predicate = b.CreateAnd(predicate, condition);
    llvm::SmallVector<llvm::Value *, 2> given;
    for (Value operand : op->getOperands().drop_front())
      if (operand != mask)
        given.push_back(registersOf(operand)[r]);
    result.push_back(
        emitAtom(lanes, element, instruction, scope, registersOf(pointer)[r], given, predicate));
  }
  if (!old.use_empty() && !tile::isTile(type))
    result = {fromFirstThread(result[0])};
  else if (!old.use_empty() && isActing)
    result = fromFirstHolders(nv::layoutOf(type), result, isActing);
  if (access.acquires)
    acquire();
  values[old] = std::move(result);
}

void KernelEmitter::emitAtomicRmw(tile::AtomicRmwOp op) {
  emitAtomic(op, op.getMask(), *atomicInstruction(op), op.getScope());
}

void KernelEmitter::emitAtomicCas(tile::AtomicCasOp op) {
  emitAtomic(op, {}, *atomicInstruction(op), op.getScope());
}

} // namespace nereid::backend::nvptx
