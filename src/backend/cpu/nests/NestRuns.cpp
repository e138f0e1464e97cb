// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses at addresses that are computed lane by lane. Where these come from a remainder, a table
// or a stride that the launch gives, only the launch knows that most vectors are runs of
// neighbours: each vector looks, which takes some instructions where an access of each lane takes
// some for each.
#include "backend/cpu/nests/Nest.h"

#include "backend/cpu/emit/KernelEmitter.h"
#include "dialect/tile/Tile.h"

using namespace mlir;

namespace nereid::backend::cpu {

/// Blocks can only be split where the code of a round is being written, and not where something is
/// computed ahead of a loop that is there already.
bool Nest::mayBranch() const {
  llvm::BasicBlock *block = b.GetInsertBlock();
  return b.GetInsertPoint() == block->end() &&
         llvm::none_of(llvm::ArrayRef(levels).drop_back(),
                       [&](const Level &level) { return level.block == block; });
}

bool Nest::mayLookForRuns(Type element, const Lanes &pointer, llvm::Value *mask) const {
  unsigned bytes = tile::byteSizeOf(element);
  return pointer.kind == Lanes::Kind::Vector && currentWidth >= lanesWorthARun && !isVolatile &&
         currentWidth * bytes >= leastRegisterBytes && (!mask || hasMaskedMove(bytes)) &&
         mayBranch();
}

llvm::Value *Nest::chosen(llvm::Value *condition, llvm::function_ref<llvm::Value *()> where,
                          llvm::function_ref<llvm::Value *()> elsewhere) {
  llvm::BasicBlock *met = kernel.newBlock("met"), *unmet = kernel.newBlock("unmet"),
                   *done = kernel.newBlock("chosen");
  b.CreateCondBr(condition, met, unmet);
  b.SetInsertPoint(met);
  llvm::Value *first = where();
  met = b.GetInsertBlock();
  b.CreateBr(done);
  b.SetInsertPoint(unmet);
  llvm::Value *second = elsewhere();
  unmet = b.GetInsertBlock();
  b.CreateBr(done);
  b.SetInsertPoint(done);
  if (!first)
    return nullptr;
  llvm::PHINode *value = b.CreatePHI(first->getType(), 2);
  value->addIncoming(first, met);
  value->addIncoming(second, unmet);
  return value;
}

/// Quotients and remainders by one divisor that only the launch knows. Of numbers that count on by
/// one, no more of them than the divisor says, the first quotient says the others: within them it
/// grows once at most. Where all numbers are one, as quotients often are, so are the results.
/// Nothing where that is not the form.
Lanes Nest::computeQuotients(OpResult result, llvm::ArrayRef<Lanes> v) {
  Operation *op = result.getOwner();
  if (!llvm::isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) ||
      v[1].kind != Lanes::Kind::Uniform || llvm::isa<llvm::Constant>(v[1].base) ||
      currentWidth < lanesWorthARun || !mayBranch())
    return {};
  auto each = [&] { return lanes.emit(op, {vector(v[0]), vector(v[1])})[0]; };
  if (v[0].kind == Lanes::Kind::Vector) {
    llvm::Value *first = b.CreateExtractElement(v[0].base, uint64_t(0));
    llvm::Value *areOne =
        b.CreateAndReduce(b.CreateICmpEQ(v[0].base, lanes.splat(first, currentWidth)));
    auto once = [&] { return lanes.splat(lanes.emit(op, {first, v[1].base})[0], currentWidth); };
    return Lanes::vector(chosen(areOne, once, each));
  }
  auto *step = llvm::dyn_cast_if_present<llvm::ConstantInt>(v[0].step);
  llvm::Value *dividend = v[0].base, *divisor = v[1].base;
  llvm::Type *type = dividend->getType();
  bool isCounted = v[0].kind == Lanes::Kind::Affine && step && step->isOne() && !v[0].exact;
  if (!isCounted || type->getIntegerBitWidth() < 32)
    return {};
  bool isSigned = llvm::isa<arith::DivSIOp, arith::RemSIOp>(op);
  bool isQuotient = llvm::isa<arith::DivSIOp, arith::DivUIOp>(op);
  auto number = [&](uint64_t value) { return llvm::ConstantInt::get(type, value); };
  // From the last numbers that there are, counting on wraps.
  llvm::APInt most = isSigned ? llvm::APInt::getSignedMaxValue(type->getIntegerBitWidth())
                              : llvm::APInt::getMaxValue(type->getIntegerBitWidth());
  llvm::Value *isPlain = b.CreateAnd(
      b.CreateICmpSGE(divisor, number(currentWidth)),
      b.CreateICmpULE(dividend, llvm::ConstantInt::get(type, most - (currentWidth - 1))));
  auto counted = [&]() -> llvm::Value * {
    llvm::Value *quotient = b.CreateUDiv(dividend, divisor);
    llvm::Value *first = b.CreateSub(dividend, b.CreateMul(quotient, divisor));
    llvm::Value *remainders = vector({Lanes::Kind::Affine, first, number(1)});
    llvm::Value *divisors = lanes.splat(divisor, currentWidth);
    llvm::Value *isNext = b.CreateICmpUGE(remainders, divisors);
    if (isQuotient)
      return b.CreateAdd(lanes.splat(quotient, currentWidth),
                         b.CreateZExt(isNext, remainders->getType()));
    return b.CreateSelect(isNext, b.CreateSub(remainders, divisors), remainders);
  };
  return Lanes::vector(
      chosen(isPlain, counted, [&] { return lanes.emit(op, {vector(v[0]), vector(v[1])})[0]; }));
}

/// Pairs and larger groups of neighbours that are known to be equal, as of `i // 2`, are no run.
bool Nest::isKnownInGroups(Value value, const Coordinates &at) const {
  auto along = llvm::find(at, static_cast<int>(vectorDim));
  return along != at.end() && kernel.axes().of(value).axes[along - at.begin()].constancy > 1;
}

/// Whether neighbours are `bytes` apart: 0 is one address for all. Where lane 0 is left out, its
/// address counts all the same: it says where the others' begin, or there is no run.
llvm::Value *Nest::areApart(llvm::Value *addresses, int64_t bytes, llvm::Value *mask) {
  llvm::Value *first = b.CreateExtractElement(addresses, uint64_t(0));
  llvm::Value *expected = vector({Lanes::Kind::Affine, first, b.getInt64(bytes)});
  llvm::Value *isExpected = b.CreateICmpEQ(addresses, expected);
  if (mask)
    isExpected = b.CreateOr(isExpected, b.CreateNot(lanes.splat(mask, currentWidth)));
  return b.CreateAndReduce(isExpected);
}

llvm::Value *Nest::loadMaybeRun(Type element, const Lanes &pointer, llvm::Value *mask) {
  auto each = [&] { return loadLanes(element, pointer, mask); };
  if (!mayLookForRuns(element, pointer, mask))
    return each();
  llvm::Value *first = b.CreateExtractElement(pointer.base, uint64_t(0));
  auto together = [&] { return loadContiguous(element, first, mask); };
  auto once = [&]() -> llvm::Value * {
    bool isVector = mask && mask->getType()->isVectorTy();
    llvm::Value *one = loadOne(element, first, isVector ? b.CreateOrReduce(mask) : mask);
    llvm::Value *all = lanes.splat(one, currentWidth);
    return isVector ? b.CreateSelect(mask, all, llvm::Constant::getNullValue(all->getType())) : all;
  };
  return chosen(areApart(pointer.base, tile::byteSizeOf(element), mask), together,
                [&] { return chosen(areApart(pointer.base, 0, mask), once, each); });
}

void Nest::storeMaybeRun(Type element, llvm::Value *value, const Lanes &pointer,
                         llvm::Value *mask) {
  auto each = [&]() -> llvm::Value * {
    storeLanes(element, value, pointer, mask);
    return nullptr;
  };
  if (!mayLookForRuns(element, pointer, mask)) {
    each();
    return;
  }
  auto together = [&]() -> llvm::Value * {
    llvm::Value *first = b.CreateExtractElement(pointer.base, uint64_t(0));
    storeContiguous(element, value, first, mask);
    return nullptr;
  };
  chosen(areApart(pointer.base, tile::byteSizeOf(element), mask), together, each);
}

/// Elements that are up to four apart: whole registers, of which masks leave out what lies between,
/// since another program may write there.
bool Nest::storeApart(Type element, llvm::Value *value, const Lanes &pointer, llvm::Value *mask) {
  int64_t bytes = tile::byteSizeOf(element);
  auto *step = llvm::dyn_cast_if_present<llvm::ConstantInt>(pointer.step);
  const target::CpuTarget &cpu = kernel.cpu();
  bool hasCheapMasks = cpu.maskedLaneBytes == 1; // those of AVX2 take a dozen cycles each on AMD's
  if (!step || pointer.kind != Lanes::Kind::Affine || currentWidth < lanesWorthARun ||
      !hasCheapMasks)
    return false;
  int64_t apart = step->getSExtValue() / bytes;
  if (apart < 2 || apart > 4 || step->getSExtValue() != apart * bytes)
    return false;
  llvm::Type *type = lanes.memoryType(element);
  llvm::Value *stored = lanes.toMemory(value, element);
  llvm::Value *active = lanes.splat(mask ? mask : b.getTrue(), currentWidth);
  llvm::Value *none = llvm::Constant::getNullValue(active->getType());
  const int64_t last = (currentWidth - 1) * apart, count = cpu.vectorBytes / bytes;
  for (int64_t first = 0; first <= last; first += count) {
    llvm::SmallVector<int, 64> from, whether;
    for (int64_t at = first; at < first + count; ++at) {
      bool isElement = at % apart == 0 && at <= last;
      from.push_back(isElement ? static_cast<int>(at / apart) : llvm::PoisonMaskElem);
      whether.push_back(static_cast<int>(isElement ? at / apart : currentWidth));
    }
    llvm::Value *part = b.CreateShuffleVector(stored, from);
    // As in storeMasked.
    if (bytes < 8 && part->getType()->isIntOrIntVectorTy())
      part = lanes.opaque(part);
    b.CreateMaskedStore(part, b.CreateConstGEP1_64(type, pointer.base, first), llvm::Align(bytes),
                        b.CreateShuffleVector(active, none, whether));
  }
  return true;
}

} // namespace nereid::backend::cpu
