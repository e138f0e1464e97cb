// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop of whose rounds each part of a program does some (ShareLoop.h). What is asked of the
// launch at run time stands in runtime/cpu/PartialSums.h.
#include "backend/cpu/emit/KernelEmitter.h"
#include "runtime/cpu/PartialSums.h"

#include <cstddef>

using namespace mlir;

namespace nereid::backend::cpu {

using runtime::cpu::LoopParts;

static llvm::Value *fieldOf(Builder &b, llvm::Value *loopParts, size_t offset) {
  return b.CreateConstGEP1_64(b.getInt8Ty(), loopParts, offset);
}

/// At the entry. Those who launch without a context divide nothing.
void KernelEmitter::readParts() {
  llvm::AllocaInst *one = laneBuilder.stackSlot(b.getInt64Ty());
  b.CreateStore(b.getInt64(1), one);
  loopParts = context;
  llvm::Value *told = fieldOf(b, context, offsetof(LoopParts, parts));
  parts = b.CreateLoad(b.getInt64Ty(), b.CreateSelect(b.CreateIsNull(context), one, told));
  // 0 asks for the rounds of the first program: it has one part then.
  asksForRounds = b.CreateIsNull(parts);
  parts = b.CreateSelect(asksForRounds, b.getInt64(1), parts);
}

/// As many rounds for each part, those that are left for the first ones. The program is left here
/// if only their number is asked for.
KernelEmitter::Rounds KernelEmitter::roundsOfPart(llvm::Value *count) {
  llvm::BasicBlock *answer = newBlock("rounds"), *share = newBlock("share");
  llvm::Value *all = b.CreateZExt(count, b.getInt64Ty());
  b.CreateCondBr(asksForRounds, answer, share);
  b.SetInsertPoint(answer);
  b.CreateStore(all, fieldOf(b, loopParts, offsetof(LoopParts, rounds)));
  b.CreateBr(endOfProgram());
  b.SetInsertPoint(share);
  llvm::Value *each = b.CreateUDiv(all, parts), *left = b.CreateURem(all, parts);
  llvm::Value *extra = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, partOfProgram, left);
  llvm::Value *first = b.CreateAdd(b.CreateMul(each, partOfProgram), extra);
  llvm::Value *hasExtra = b.CreateZExt(b.CreateICmpULT(partOfProgram, left), b.getInt64Ty());
  llvm::Value *end = b.CreateAdd(b.CreateAdd(first, each), hasExtra);
  return {b.CreateTrunc(first, count->getType()), b.CreateTrunc(end, count->getType()), count};
}

/// What has grown by as much in each of so many rounds.
llvm::Value *KernelEmitter::carriedAfter(unsigned position, llvm::Value *initial,
                                         llvm::Value *rounds) {
  BlockArgument argument = shareable->loop.getRegionIterArg(position);
  llvm::DenseMap<Value, llvm::Value *> now = scalars;
  llvm::Value *value = initial;
  for (Value step : shareable->carried[position].steps) {
    llvm::Value *each = scalarAhead(step);
    bool isPointer = initial->getType()->isPointerTy();
    llvm::Type *type = isPointer ? b.getInt64Ty() : initial->getType();
    llvm::Value *times =
        b.CreateMul(b.CreateSExtOrTrunc(each, type), b.CreateZExtOrTrunc(rounds, type));
    Type element = isPointer ? tile::elementOf(tile::pointeeOf(argument.getType())) : Type();
    value = isPointer ? b.CreateGEP(laneBuilder.memoryType(element), value, times)
                      : b.CreateAdd(value, times);
  }
  scalars = std::move(now); // what was computed ahead belongs to the loop's own rounds
  return value;
}

llvm::Value *KernelEmitter::beginScalar(unsigned position, llvm::Value *initial,
                                        const Rounds &rounds) {
  if (!shareable->carried[position].isSum())
    return carriedAfter(position, initial, rounds.first);
  llvm::Value *isFirst = b.CreateIsNull(partOfProgram);
  return b.CreateSelect(isFirst, initial, llvm::Constant::getNullValue(initial->getType()));
}

/// The first part begins with what there was, the others with zeros.
void KernelEmitter::beginTile(Value initial, Value carried) {
  llvm::BasicBlock *first = newBlock("first_part"), *other = newBlock("other_part"),
                   *begin = newBlock("begin");
  b.CreateCondBr(b.CreateIsNull(partOfProgram), first, other);
  b.SetInsertPoint(first);
  assignTile(initial, carried);
  b.CreateBr(begin);
  b.SetInsertPoint(other);
  b.CreateMemSet(scratch(plan.offsetOf(carried)), b.getInt8(0), storedBytes(carried.getType()),
                 llvm::Align(scratchAlignment));
  b.CreateBr(begin);
  b.SetInsertPoint(begin);
}

/// Behind the last round. Who has not the sums of all parts leaves its program.
void KernelEmitter::meetParts(llvm::ArrayRef<llvm::Value *> scalarSlots) {
  llvm::Type *pointer = b.getPtrTy(), *i64 = b.getInt64Ty();
  llvm::BasicBlock *meet = newBlock("meet"), *alone = newBlock("all_rounds");
  b.CreateCondBr(b.CreateICmpEQ(parts, b.getInt64(1)), alone, meet);
  b.SetInsertPoint(meet);
  llvm::SmallVector<llvm::Value *> addresses;
  for (auto [i, result] : llvm::enumerate(shareable->loop.getResults()))
    if (shareable->carried[i].isSum())
      addresses.push_back(scalarSlots[i] ? scalarSlots[i] : scratch(plan.offsetOf(result)));
  llvm::Value *sums = laneBuilder.stackSlot(llvm::ArrayType::get(pointer, addresses.size()));
  for (auto [i, address] : llvm::enumerate(addresses))
    b.CreateStore(address, b.CreateConstGEP1_64(pointer, sums, i));
  auto *type = llvm::FunctionType::get(b.getInt8Ty(), {pointer, i64, pointer}, false);
  llvm::Value *function = b.CreateLoad(pointer, fieldOf(b, loopParts, offsetof(LoopParts, meet)));
  llvm::CallInst *call = b.CreateCall(type, function, {loopParts, part, sums});
  call->addRetAttr(llvm::Attribute::ZExt);
  llvm::Value *hasAll = b.CreateIsNotNull(b.CreateAnd(call, b.getInt8(1)));
  b.CreateCondBr(hasAll, alone, endOfProgram());
  b.SetInsertPoint(alone);
}

} // namespace nereid::backend::cpu
