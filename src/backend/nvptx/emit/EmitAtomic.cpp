// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics, as PTX: LLVM 22 drops their order. The order concerns the whole program: barriers put
// what its threads do before or after the instruction that carries the order.
#include "backend/gpu/emit/RegisterAddresses.h"
#include "backend/llvm/AtomicLoads.h"
#include "backend/nvptx/emit/Emit.h"
#include "backend/nvptx/ptx/AtomicInstruction.h"
#include "backend/nvptx/ptx/GlobalAccess.h"

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

static llvm::StringRef nameOf(tile::Access access) {
  return access.acquires ? (access.releases ? "acq_rel" : "acquire")
                         : (access.releases ? "release" : "relaxed");
}

/// What is in memory before, of one lane, under a predicate; 0 where it is false. `values` are what
/// the instruction takes besides the address.
static llvm::Value *emitAtom(LaneBuilder &lanes, Type element, llvm::StringRef instruction,
                             tile::MemoryScope scope, tile::Access order, llvm::Value *address,
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
                     std::to_string(operands.size()) + " atom.global." + nameOf(scope).str() + "." +
                     nameOf(order).str() + "." + instruction.str() + " old, [$2]" + listed + "; " +
                     move + " $0, old; }";
  llvm::SmallVector<llvm::Type *, 5> types;
  for (llvm::Value *operand : operands)
    types.push_back(operand->getType());
  auto *code = llvm::InlineAsm::get(llvm::FunctionType::get(word, types, false), text,
                                    constraints + ",b,~{memory}", /*hasSideEffects=*/true);
  llvm::Value *old = b.CreateCall(code, operands);
  old = memory->isPointerTy() ? b.CreateIntToPtr(old, memory) : b.CreateBitCast(old, memory);
  return lanes.fromMemory(old, element);
}

/// What is in memory, of one lane of an atomic that is a load, under a predicate; 0 where it is
/// false. PTX loads bytes into registers of 16 bits.
static llvm::Value *emitOrderedLoad(LaneBuilder &lanes, Type element, llvm::StringRef type,
                                    tile::MemoryScope scope, tile::Access order,
                                    llvm::Value *address, llvm::Value *predicate) {
  Builder &b = lanes.builder();
  llvm::Type *bits = lanes.memoryType(element);
  unsigned width = std::max(16U, bits->getScalarSizeInBits());
  std::string letter = width == 64   ? "l"
                       : width == 32 ? "r"
                                     : "h",
              move = "mov.b" + std::to_string(width);
  std::string text = "{ .reg .b" + std::to_string(width) + " found; " + move +
                     " found, 0; @$2 ld." + nameOf(order).str() + "." + nameOf(scope).str() +
                     ".global." + type.str() + " found, [$1]; " + move + " $0, found; }";
  auto *code = llvm::InlineAsm::get(
      llvm::FunctionType::get(b.getIntNTy(width), {address->getType(), predicate->getType()},
                              false),
      text, "=" + letter + ",l,b,~{memory}", /*hasSideEffects=*/true);
  llvm::Value *found = b.CreateCall(code, {address, predicate});
  return lanes.fromMemory(b.CreateTrunc(found, bits), element);
}

/// The number that memory holds after an atomic, from what it held; as lanes.
static llvm::Value *replaced(LaneBuilder &lanes, Operation *op, llvm::Value *old,
                             llvm::ArrayRef<llvm::Value *> given) {
  Builder &b = lanes.builder();
  if (llvm::isa<tile::AtomicCasOp>(op))
    return b.CreateSelect(b.CreateICmpEQ(old, given[0]), given[1], old);
  auto rmw = llvm::cast<tile::AtomicRmwOp>(op);
  Type element = tile::elementOf(rmw.getType());
  auto select = [&](llvm::CmpInst::Predicate isKept) {
    return b.CreateSelect(b.CreateICmp(isKept, old, given[0]), old, given[0]);
  };
  switch (rmw.getKind()) {
  case tile::AtomicKind::Add:
    return b.CreateAdd(old, given[0]);
  case tile::AtomicKind::FAdd:
    return lanes.fromFloat32(
        b.CreateFAdd(lanes.toFloat32(old, element), lanes.toFloat32(given[0], element)), element);
  case tile::AtomicKind::SignedMax:
    return select(llvm::CmpInst::ICMP_SGT);
  case tile::AtomicKind::SignedMin:
    return select(llvm::CmpInst::ICMP_SLT);
  case tile::AtomicKind::UnsignedMax:
    return select(llvm::CmpInst::ICMP_UGT);
  case tile::AtomicKind::UnsignedMin:
    return select(llvm::CmpInst::ICMP_ULT);
  case tile::AtomicKind::And:
    return b.CreateAnd(old, given[0]);
  case tile::AtomicKind::Or:
    return b.CreateOr(old, given[0]);
  case tile::AtomicKind::Xor:
    return b.CreateXor(old, given[0]);
  case tile::AtomicKind::Exchange:
    return given[0];
  case tile::AtomicKind::CountUp:
    return b.CreateSelect(b.CreateICmpUGE(old, given[0]), llvm::ConstantInt::get(old->getType(), 0),
                          b.CreateAdd(old, llvm::ConstantInt::get(old->getType(), 1)));
  case tile::AtomicKind::CountDown:
    return b.CreateSelect(b.CreateOr(b.CreateIsNull(old), b.CreateICmpUGT(old, given[0])), given[0],
                          b.CreateSub(old, llvm::ConstantInt::get(old->getType(), 1)));
  }
  llvm_unreachable("all kinds are listed");
}

/// What no instruction does, of one lane of 8 or 16 bits, held as its bits: the word of 32 bits
/// around the element is exchanged until nobody came between.
static llvm::Value *emitAtomicLoop(LaneBuilder &lanes, Operation *op, tile::MemoryScope scope,
                                   llvm::Value *address, llvm::ArrayRef<llvm::Value *> given,
                                   llvm::Value *predicate) {
  Builder &b = lanes.builder();
  llvm::Type *lane = given[0]->getType(), *word = b.getInt32Ty();
  Type wordElement = IntegerType::get(op->getContext(), 32);
  llvm::Value *place = b.CreatePtrToInt(address, b.getInt64Ty());
  llvm::Value *shift = b.CreateShl(b.CreateTrunc(b.CreateAnd(place, 3), word), 3);
  llvm::Value *around = b.CreateIntToPtr(b.CreateAnd(place, ~uint64_t(3)), address->getType());
  llvm::Value *rest =
      b.CreateNot(b.CreateShl(b.getInt32((1u << lane->getIntegerBitWidth()) - 1), shift));
  llvm::AllocaInst *result = lanes.stackSlot(lane), *seen = lanes.stackSlot(word);
  b.CreateStore(llvm::ConstantInt::get(lane, 0), result);
  llvm::Function *function = b.GetInsertBlock()->getParent();
  auto newBlock = [&](const char *name) {
    return llvm::BasicBlock::Create(b.getContext(), name, function);
  };
  llvm::BasicBlock *first = newBlock("atomic"), *attempt = newBlock("attempt"),
                   *done = newBlock("done");
  b.CreateCondBr(predicate, first, done);
  b.SetInsertPoint(first);
  // Adding nothing reads what is there, past all caches.
  b.CreateStore(
      emitAtom(lanes, wordElement, "or.b32", scope, {}, around, {b.getInt32(0)}, b.getTrue()),
      seen);
  b.CreateBr(attempt);
  b.SetInsertPoint(attempt);
  llvm::Value *expected = b.CreateLoad(word, seen);
  llvm::Value *old = b.CreateTrunc(b.CreateLShr(expected, shift), lane);
  b.CreateStore(old, result);
  llvm::Value *next = b.CreateZExt(replaced(lanes, op, old, given), word);
  next = b.CreateOr(b.CreateAnd(expected, rest), b.CreateShl(next, shift));
  llvm::Value *found =
      emitAtom(lanes, wordElement, "cas.b32", scope, {}, around, {expected, next}, b.getTrue());
  b.CreateStore(found, seen);
  b.CreateCondBr(b.CreateICmpEQ(found, expected), done, attempt);
  b.SetInsertPoint(done);
  return b.CreateLoad(lane, result);
}

/// Sums of floats that nobody asks for, several neighbours at a time; false if there are none.
static bool emitVectorAtomic(KernelContext &c, tile::AtomicRmwOp op) {
  Type type = op.getValue().getType();
  unsigned together = std::min(registersTogether(c, op.getPointer(), op.getMask()),
                               mostAtomicsTogether(op, c.target));
  if (!tile::isTile(type) || together == 1)
    return false;
  tile::Access order = tile::accessOf(op);
  std::string text = nameOf(op.getScope()).str() + "." + nameOf(order).str();
  if (order.releases)
    c.shared.barrier();
  GlobalAccess access(c.lanes, tile::elementOf(type), together);
  RegisterAddresses addresses(c.b, op.getPointer(), c.registersOf(op.getPointer()));
  llvm::Value *isActing = actor(c, type);
  for (unsigned first = 0; first < registerCount(type); first += together) {
    llvm::Value *predicate = isActing;
    for (llvm::Value *condition :
         {op.getMask() ? c.registersOf(op.getMask())[first] : nullptr, isInside(c, type, first)})
      if (condition)
        predicate = predicate ? c.b.CreateAnd(predicate, condition) : condition;
    access.add(text, addresses[first], predicate,
               llvm::ArrayRef(c.registersOf(op.getValue())).slice(first, together));
  }
  if (order.acquires)
    c.shared.barrier();
  c.values[op.getResult()] = {};
  return true;
}

/// One lane of each register, by the one thread of those that hold it; the others get the result
/// from there.
static void emitAtomic(KernelContext &c, Operation *op, Value mask, tile::MemoryScope scope) {
  auto rmw = llvm::dyn_cast<tile::AtomicRmwOp>(op);
  if (rmw && emitVectorAtomic(c, rmw))
    return;
  std::optional<std::string> instruction = atomicInstruction(op, c.target);
  Value pointer = op->getOperand(0), old = op->getResult(0);
  Type type = old.getType(), element = tile::elementOf(type);
  tile::Access access = tile::accessOf(op);
  if (access.releases)
    instruction ? c.shared.barrier() : release(c);
  llvm::Value *isActing = actor(c, type);
  bool isOrderedLoad = rmw && isLoad(rmw);
  Registers result;
  for (unsigned r = 0; r < registerCount(type); ++r) {
    llvm::Value *predicate = c.b.getTrue();
    for (llvm::Value *condition :
         {isActing, mask ? c.registersOf(mask)[r] : nullptr, isInside(c, type, r)})
      if (condition)
        predicate = c.b.CreateAnd(predicate, condition);
    llvm::SmallVector<llvm::Value *, 2> given;
    for (Value operand : op->getOperands().drop_front())
      if (operand != mask)
        given.push_back(c.registersOf(operand)[r]);
    llvm::Value *address = c.registersOf(pointer)[r];
    if (isOrderedLoad) {
      result.push_back(
          emitOrderedLoad(c.lanes, element, *instruction, scope, access, address, predicate));
      continue;
    }
    result.push_back(instruction ? emitAtom(c.lanes, element, *instruction, scope, access, address,
                                            given, predicate)
                                 : emitAtomicLoop(c.lanes, op, scope, address, given, predicate));
  }
  // Who waits for the result waits for the instruction that acquires.
  const bool isAwaited =
      !old.use_empty() && (tile::isTile(type) ? isActing != nullptr : c.threads.warpCount() > 1);
  if (!old.use_empty())
    result = agreedUpon(c, type, std::move(result));
  if (access.acquires && !instruction)
    acquire(c);
  else if (access.acquires && !isAwaited)
    c.shared.barrier();
  c.values[old] = std::move(result);
}

void emitAtomicRmw(KernelContext &c, tile::AtomicRmwOp op) {
  if (c.isOfThreads())
    return emitThreadAtomic(c, op);
  emitAtomic(c, op, op.getMask(), op.getScope());
}

void emitAtomicCas(KernelContext &c, tile::AtomicCasOp op) {
  if (c.isOfThreads())
    return emitThreadCas(c, op);
  emitAtomic(c, op, {}, op.getScope());
}

} // namespace nereid::backend::nvptx
