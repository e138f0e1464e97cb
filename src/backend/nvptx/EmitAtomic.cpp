// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics, as PTX: LLVM 22 drops their order.
#include "backend/nvptx/KernelEmitter.h"

#include "llvm/IR/InlineAsm.h"

using namespace mlir;

namespace nereid::backend::nvptx {

/// `atom.relaxed` of one lane under a predicate; 0 where it is false. The orders are fences around
/// it, since they concern the whole program.
static llvm::Value *atomicAdd(LaneBuilder &lanes, Type element, tile::MemoryScope scope,
                              llvm::Value *address, llvm::Value *value, llvm::Value *predicate) {
  Builder &b = lanes.builder();
  llvm::Type *memory = lanes.memoryType(element);
  unsigned width = memory->getScalarSizeInBits();
  bool isFloat = llvm::isa<FloatType>(element);
  std::string type = (element.isBF16() ? "bf16"
                      : isFloat        ? "f" + std::to_string(width)
                                       : "u" + std::to_string(width));
  std::string who = scope == tile::MemoryScope::Program  ? "cta"
                    : scope == tile::MemoryScope::Device ? "gpu"
                                                         : "sys";
  std::string noFlush = width == 16 ? "noftz." : "";
  llvm::Type *word = b.getIntNTy(width);
  char letter = width == 64 ? 'l' : width == 32 ? 'r' : 'h';
  // Words hold floats as bits; PTX moves them between kinds of registers.
  std::string reg = std::string(".b") + std::to_string(width);
  std::string text = "{ .reg " + reg + " old; mov" + reg + " old, $0; @$4 atom.relaxed." + who +
                     ".global.add." + noFlush + type + " old, [$2], $3; mov" + reg + " $0, old; }";
  std::string constraints = std::string("=") + letter + ",0,l," + letter + ",b,~{memory}";
  llvm::Value *bits = b.CreateBitCast(lanes.toMemory(value, element), word);
  auto *code = llvm::InlineAsm::get(
      llvm::FunctionType::get(word, {word, address->getType(), word, b.getInt1Ty()}, false), text,
      constraints, /*hasSideEffects=*/true);
  llvm::Value *old =
      b.CreateCall(code, {llvm::ConstantInt::get(word, 0), address, bits, predicate});
  return lanes.fromMemory(b.CreateBitCast(old, memory), element);
}

void KernelEmitter::emitAtomic(tile::AtomicRmwOp op) {
  Type type = op.getType(), element = tile::elementOf(type);
  tile::Access access = tile::accessOf(op);
  if (access.releases)
    release();
  llvm::Value *isActing =
      tile::isTile(type) ? threads.isFirstHolder(nv::layoutOf(type)) : threads.isFirstThread();
  Registers result;
  for (unsigned r = 0; r < registerCount(type); ++r) {
    llvm::Value *predicate = b.getTrue();
    for (llvm::Value *condition :
         {isActing, op.getMask() ? registersOf(op.getMask())[r] : nullptr, isInside(type, r)})
      if (condition)
        predicate = b.CreateAnd(predicate, condition);
    result.push_back(atomicAdd(lanes, element, op.getScope(), registersOf(op.getPointer())[r],
                               registersOf(op.getValue())[r], predicate));
  }
  if (!op.use_empty() && !tile::isTile(type))
    result = {fromFirstThread(result[0])};
  else if (!op.use_empty() && isActing)
    result = fromFirstHolders(nv::layoutOf(type), result, isActing);
  if (access.acquires)
    acquire();
  values[op.getResult()] = std::move(result);
}

} // namespace nereid::backend::nvptx
