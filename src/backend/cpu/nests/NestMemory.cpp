// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and writing inside a loop nest: kernel memory through pointers, and scratch memory.
#include "backend/cpu/nests/Nest.h"

#include "backend/cpu/emit/KernelEmitter.h"
#include "backend/cpu/nests/SliceMask.h"
#include "dialect/tile/Remark.h"
#include "dialect/tile/Tile.h"

using namespace mlir;

namespace nereid::backend::cpu {

/// Elements between neighbouring lanes of a row-major tile; 0 if all lanes are one element.
static int64_t laneStride(llvm::ArrayRef<int64_t> shape, const Coordinates &at,
                          unsigned vectorDim) {
  int64_t stride = 1;
  for (int dim = static_cast<int>(shape.size()) - 1; dim >= 0; --dim) {
    if (at[dim] == static_cast<int>(vectorDim))
      return stride;
    stride *= shape[dim];
  }
  return 0;
}

Lanes Nest::readScratch(Value value, const Coordinates &at, int64_t skipped) {
  if (const Turned *found = skipped == 0 && currentWidth > 1 ? turnedOf(value, at) : nullptr)
    return readTurned(*found);
  llvm::ArrayRef<int64_t> tileShape = tile::shapeOf(value.getType());
  Type element = tile::elementOf(value.getType());
  llvm::Value *index = b.CreateAdd(elementIndex(tileShape, at), b.getInt64(skipped));
  llvm::Value *address = b.CreateGEP(lanes.memoryType(element),
                                     kernel.scratch(kernel.storage().offsetOf(value)), index);
  int64_t stride = currentWidth == 1 ? 0 : laneStride(tileShape, at, vectorDim);
  if (stride == 0)
    return Lanes::uniform(loadOne(element, address, nullptr));
  if (stride == 1)
    return Lanes::vector(loadContiguous(element, address, nullptr));
  Lanes pointer{Lanes::Kind::Affine, address, b.getInt64(stride * tile::byteSizeOf(element))};
  return Lanes::vector(loadLanes(element, pointer, nullptr));
}

/// Along the dimension of pairs, whole ones are read and the other halves dropped.
Lanes Nest::readHalf(Value pairs, const Coordinates &at, unsigned which) {
  llvm::ArrayRef<int64_t> tileShape = tile::shapeOf(pairs.getType());
  Type element = tile::elementOf(pairs.getType());
  if (currentWidth == 1 || laneStride(tileShape, at, vectorDim) != 2)
    return readScratch(pairs, at, which);
  llvm::Type *type = lanes.memoryType(element);
  llvm::Value *address = b.CreateGEP(type, kernel.scratch(kernel.storage().offsetOf(pairs)),
                                     elementIndex(tileShape, at));
  llvm::Value *both = b.CreateAlignedLoad(lanes.vectorOf(type, 2 * currentWidth), address,
                                          llvm::Align(tile::byteSizeOf(element)));
  llvm::SmallVector<int, 64> mask;
  for (unsigned lane = 0; lane < currentWidth; ++lane)
    mask.push_back(static_cast<int>(2 * lane + which));
  return Lanes::vector(lanes.fromMemory(b.CreateShuffleVector(both, mask), element));
}

void Nest::writePairs(uint64_t offset, llvm::ArrayRef<int64_t> tileShape, Type element,
                      const Coordinates &at, llvm::Value *first, llvm::Value *second) {
  llvm::Type *type = lanes.memoryType(element);
  llvm::Align align(tile::byteSizeOf(element));
  llvm::Value *index = b.CreateMul(elementIndex(tileShape, at), b.getInt64(2));
  llvm::Value *address = b.CreateGEP(type, kernel.scratch(offset), index);
  first = lanes.toMemory(first, element);
  second = lanes.toMemory(second, element);
  if (currentWidth == 1) {
    b.CreateAlignedStore(first, address, align);
    b.CreateAlignedStore(second, b.CreateConstGEP1_64(type, address, 1), align);
    return;
  }
  llvm::SmallVector<int, 64> mask;
  for (unsigned lane = 0; lane < currentWidth; ++lane)
    mask.append({static_cast<int>(lane), static_cast<int>(lane + currentWidth)});
  b.CreateAlignedStore(b.CreateShuffleVector(first, second, mask), address, align);
}

void Nest::writeScratch(uint64_t offset, llvm::ArrayRef<int64_t> tileShape, Type element,
                        const Coordinates &at, llvm::Value *value) {
  llvm::Value *address =
      b.CreateGEP(lanes.memoryType(element), kernel.scratch(offset), elementIndex(tileShape, at));
  int64_t stride = laneStride(tileShape, at, vectorDim);
  if (currentWidth == 1 || stride == 1) {
    storeContiguous(element, value, address, nullptr);
    return;
  }
  Lanes pointer{Lanes::Kind::Affine, address, b.getInt64(stride * tile::byteSizeOf(element))};
  storeLanes(element, value, pointer, nullptr);
}

llvm::Value *Nest::gather(Value stored, unsigned axis, llvm::Value *index, Coordinates at) {
  llvm::ArrayRef<int64_t> tileShape = tile::shapeOf(stored.getType());
  Type element = tile::elementOf(stored.getType());
  at[axis] = none;
  int64_t stride = 1;
  for (int64_t size : tileShape.drop_front(axis + 1))
    stride *= size;
  // Lanes outside read the first element instead: to mask them one by one would take longer.
  llvm::Value *isInside =
      b.CreateICmpULT(index, llvm::ConstantInt::get(index->getType(), tileShape[axis]));
  index = b.CreateSelect(isInside, index, llvm::Constant::getNullValue(index->getType()));
  llvm::Type *lane = lanes.vectorOf(b.getInt64Ty(), currentWidth);
  llvm::Value *along =
      b.CreateMul(b.CreateZExtOrTrunc(index, lane), lanes.splat(b.getInt64(stride), currentWidth));
  Lanes rest = Lanes::uniform(elementIndex(tileShape, at));
  int64_t step = currentWidth == 1 ? 0 : laneStride(tileShape, at, vectorDim);
  if (step != 0)
    rest = {Lanes::Kind::Affine, rest.base, b.getInt64(step)};
  llvm::Value *address =
      b.CreateGEP(lanes.memoryType(element), kernel.scratch(kernel.storage().offsetOf(stored)),
                  b.CreateAdd(along, vector(rest)));
  llvm::Value *loaded = loadLanes(element, Lanes::vector(address), nullptr);
  return b.CreateSelect(isInside, loaded, lanes.zero(element, currentWidth));
}

bool Nest::isContiguous(const Lanes &pointer, Type element) const {
  auto *step = llvm::dyn_cast_if_present<llvm::ConstantInt>(pointer.step);
  return pointer.kind == Lanes::Kind::Affine && step &&
         step->getSExtValue() == static_cast<int64_t>(tile::byteSizeOf(element));
}

Lanes Nest::load(Operation *op, const Coordinates &at) {
  auto load = llvm::cast<tile::LoadOp>(op);
  Type element = tile::elementOf(load.getType());
  if (isNoneActive && isKnownMask(load.getMask(), at))
    return load.getOther() ? evaluate(load.getOther(), at) : Lanes::uniform(lanes.zero(element, 1));
  Lanes pointer = evaluate(load.getPointer(), at);
  llvm::Value *mask = activeMask(load.getMask(), at);
  bool isMaskUniform = !mask || !mask->getType()->isVectorTy();

  isVolatile = load.getIsVolatile();
  llvm::Value *loaded;
  auto *step = llvm::dyn_cast_if_present<llvm::ConstantInt>(pointer.step);
  if (pointer.kind == Lanes::Kind::Uniform || (step && step->isZero()))
    loaded = loadOne(element, pointer.base, isMaskUniform ? mask : b.CreateOrReduce(mask));
  else if (isContiguous(pointer, element)) {
    askFor(load.getPointer(), element, pointer.base, /*isWritten=*/false);
    loaded = loadContiguous(element, pointer.base, mask);
  } else if (llvm::Value *apart = mask ? nullptr : loadApart(element, pointer))
    loaded = apart;
  else {
    remarkElements(op, "load", pointer);
    loaded = isKnownInGroups(load.getPointer(), at) ? loadLanes(element, pointer, mask)
                                                    : loadMaybeRun(element, pointer, mask);
  }
  isVolatile = false;
  if (!mask)
    return loaded->getType()->isVectorTy() ? Lanes::vector(loaded) : Lanes::uniform(loaded);

  Lanes other =
      load.getOther() ? evaluate(load.getOther(), at) : Lanes::uniform(lanes.zero(element, 1));
  bool isUniform =
      !loaded->getType()->isVectorTy() && isMaskUniform && other.kind == Lanes::Kind::Uniform;
  if (isUniform)
    return Lanes::uniform(b.CreateSelect(mask, loaded, other.base));
  // Lanes that are left out were loaded as zero, where each has been loaded for itself.
  auto *constant = llvm::dyn_cast<llvm::Constant>(other.base);
  bool isZero = constant && constant->isNullValue() && other.kind != Lanes::Kind::Affine;
  if (loaded->getType()->isVectorTy() && isZero)
    return Lanes::vector(loaded);
  llvm::Value *active = lanes.splat(mask, currentWidth);
  return Lanes::vector(b.CreateSelect(active, lanes.splat(loaded, currentWidth), vector(other)));
}

llvm::Value *Nest::loadOne(Type element, llvm::Value *address, llvm::Value *mask) {
  if (mask)
    address = b.CreateSelect(mask, address, kernel.zeroSlot());
  llvm::Type *type = lanes.memoryType(element);
  llvm::LoadInst *loaded =
      b.CreateAlignedLoad(type, address, llvm::Align(tile::byteSizeOf(element)), isVolatile);
  if (isVolatile) // another program may write there right now
    loaded->setAtomic(llvm::AtomicOrdering::Monotonic);
  return lanes.fromMemory(loaded, element);
}

bool Nest::hasMaskedMove(unsigned elementBytes) const {
  unsigned least = kernel.cpu().maskedLaneBytes;
  return least != 0 && elementBytes >= least;
}

llvm::Value *Nest::loadContiguous(Type element, llvm::Value *address, llvm::Value *mask) {
  unsigned bytes = tile::byteSizeOf(element);
  llvm::Type *type = lanes.vectorOf(lanes.memoryType(element), currentWidth);
  llvm::Value *loaded;
  if (!mask)
    loaded = b.CreateAlignedLoad(type, address, llvm::Align(bytes), isVolatile);
  else if (hasMaskedMove(bytes) && !isVolatile)
    loaded = loadMasked(element, address, lanes.splat(mask, currentWidth));
  else
    return loadLanes(element, {Lanes::Kind::Affine, address, b.getInt64(bytes)}, mask);
  return lanes.fromMemory(loaded, element);
}

/// Elements that are up to four apart, all of which are read: whole registers, from the first
/// element on and up to the last, and a shuffle. What lies between two elements is read as well,
/// which is on the page of one of them. Null where that is not the form.
llvm::Value *Nest::loadApart(Type element, const Lanes &pointer) {
  int64_t bytes = tile::byteSizeOf(element);
  auto *step = llvm::dyn_cast_if_present<llvm::ConstantInt>(pointer.step);
  if (!step || pointer.kind != Lanes::Kind::Affine || isVolatile || currentWidth < 8)
    return nullptr;
  int64_t apart = step->getSExtValue() / bytes;
  if (apart < 2 || apart > 4 || step->getSExtValue() != apart * bytes)
    return nullptr;
  llvm::Type *type = lanes.memoryType(element);
  int64_t read = (currentWidth - 1) * apart + 1;
  int64_t count =
      std::min<int64_t>(kernel.cpu().vectorBytes / bytes, llvm::bit_floor<uint64_t>(read));
  // The last register ends with the last element, and begins with what the one before has, too.
  llvm::SmallVector<llvm::Value *, 4> registers;
  llvm::SmallVector<int, 64> places;
  for (int64_t begin = 0, lane = 0; lane < currentWidth; begin += count) {
    int64_t first = std::min(begin, read - count);
    for (; lane < currentWidth && lane * apart < first + count; ++lane)
      places.push_back(static_cast<int>(registers.size() * count + lane * apart - first));
    registers.push_back(b.CreateAlignedLoad(lanes.vectorOf(type, count),
                                            b.CreateConstGEP1_64(type, pointer.base, first),
                                            llvm::Align(bytes)));
  }
  registers.resize(llvm::bit_ceil(registers.size()),
                   llvm::PoisonValue::get(lanes.vectorOf(type, count)));
  llvm::Value *all = lanes.concatenate(std::move(registers));
  return lanes.fromMemory(b.CreateShuffleVector(all, places), element);
}

/// Calls `part` for each register's worth of lanes: its first lane and their number. Masked
/// accesses are made register by register, because LLVM 22, where it splits a longer one, reads the
/// half whose mask is known to be false without a mask.
static void forEachRegister(unsigned width, unsigned elementBytes, unsigned vectorBytes,
                            llvm::function_ref<void(unsigned begin, unsigned count)> part) {
  unsigned count = std::min(width, vectorBytes / elementBytes);
  for (unsigned begin = 0; begin < width; begin += count)
    part(begin, count);
}

llvm::Value *Nest::loadMasked(Type element, llvm::Value *address, llvm::Value *mask) {
  llvm::Type *type = lanes.memoryType(element);
  unsigned bytes = tile::byteSizeOf(element);
  llvm::SmallVector<llvm::Value *, 4> parts;
  forEachRegister(
      currentWidth, bytes, kernel.cpu().vectorBytes, [&](unsigned begin, unsigned count) {
        llvm::Type *part = lanes.vectorOf(type, count);
        parts.push_back(
            b.CreateMaskedLoad(part, b.CreateConstGEP1_64(type, address, begin), llvm::Align(bytes),
                               sliceMask(lanes, kernel.cpu(), mask, begin, count, bytes),
                               llvm::Constant::getNullValue(part)));
      });
  return lanes.concatenate(std::move(parts));
}

void Nest::storeMasked(Type element, llvm::Value *value, llvm::Value *address, llvm::Value *mask) {
  unsigned bytes = tile::byteSizeOf(element);
  forEachRegister(
      currentWidth, bytes, kernel.cpu().vectorBytes, [&](unsigned begin, unsigned count) {
        llvm::Value *part = lanes.slice(value, begin, count);
        // LLVM 22 joins a truncation with the masked store of its result, and where the mask is
        // known to leave one lane writes that lane as wide as it was before: past its element.
        if (bytes < 8 && part->getType()->isIntOrIntVectorTy())
          part = lanes.opaque(part);
        b.CreateMaskedStore(part, b.CreateConstGEP1_64(lanes.memoryType(element), address, begin),
                            llvm::Align(bytes),
                            sliceMask(lanes, kernel.cpu(), mask, begin, count, bytes));
      });
}

llvm::Value *Nest::laneAddress(const Lanes &pointer, unsigned lane) {
  if (pointer.kind == Lanes::Kind::Uniform)
    return pointer.base;
  if (pointer.kind == Lanes::Kind::Affine)
    return b.CreateGEP(b.getInt8Ty(), pointer.base, b.CreateMul(pointer.step, b.getInt64(lane)));
  return currentWidth == 1 ? pointer.base : b.CreateExtractElement(pointer.base, lane);
}

Lanes Nest::redirect(const Lanes &pointer, llvm::Value *&mask, llvm::Value *slot) {
  if (!mask || !mask->getType()->isVectorTy() || pointer.kind != Lanes::Kind::Vector)
    return pointer;
  llvm::Value *active = std::exchange(mask, nullptr);
  return Lanes::vector(b.CreateSelect(active, pointer.base, lanes.splat(slot, currentWidth)));
}

llvm::Value *Nest::loadLanes(Type element, Lanes pointer, llvm::Value *mask) {
  if (currentWidth == 1)
    return loadOne(element, laneAddress(pointer, 0), mask);
  pointer = redirect(pointer, mask, kernel.zeroSlot());
  llvm::Value *result =
      llvm::PoisonValue::get(lanes.vectorOf(lanes.laneType(element), currentWidth));
  for (unsigned lane = 0; lane < currentWidth; ++lane) {
    llvm::Value *active = mask;
    if (mask && mask->getType()->isVectorTy())
      active = b.CreateExtractElement(mask, lane);
    llvm::Value *loaded = loadOne(element, laneAddress(pointer, lane), active);
    result = b.CreateInsertElement(result, loaded, lane);
  }
  return result;
}

void Nest::store(Operation *op, const Coordinates &at) {
  auto store = llvm::cast<tile::StoreOp>(op);
  Type element = tile::elementOf(store.getValue().getType());
  llvm::Value *value = vector(evaluate(store.getValue(), at));
  Lanes pointer = evaluate(store.getPointer(), at);
  llvm::Value *mask = activeMask(store.getMask(), at);
  if (isContiguous(pointer, element)) {
    askFor(store.getPointer(), element, pointer.base, /*isWritten=*/true);
    storeContiguous(element, value, pointer.base, mask);
  } else if (!storeApart(element, value, pointer, mask)) {
    remarkElements(op, "store", pointer);
    storeMaybeRun(element, value, pointer, mask);
  }
}

void Nest::remarkElements(Operation *op, llvm::StringRef access, const Lanes &pointer) const {
  if (currentWidth == 1 || pointer.kind == Lanes::Kind::Uniform)
    return;
  tile::remark(op, RemarkId::access_by_element, access,
               pointer.kind == Lanes::Kind::Affine
                   ? "in the dimension of the nest's vectors neighbours are not one element apart"
                   : "each has an address that is computed for it alone");
}

void Nest::storeContiguous(Type element, llvm::Value *value, llvm::Value *address,
                           llvm::Value *mask) {
  unsigned bytes = tile::byteSizeOf(element);
  llvm::Align align(bytes);
  bool isShort = currentWidth * bytes < leastRegisterBytes;
  if (mask && (isShort || !hasMaskedMove(bytes))) {
    storeLanes(element, value, {Lanes::Kind::Affine, address, b.getInt64(bytes)}, mask);
    return;
  }
  llvm::Value *stored = lanes.toMemory(value, element);
  if (mask)
    storeMasked(element, stored, address, lanes.splat(mask, currentWidth));
  else if (streaming.bits && currentWidth * bytes % kernel.cpu().vectorBytes == 0)
    storeStreaming(stored, bytes, address);
  else
    b.CreateAlignedStore(stored, address, align);
}

/// By the widest registers where the address is a multiple of their size, as PyTorch's arrays are,
/// else by those of 16 bytes, for NumPy's.
void Nest::storeStreaming(llvm::Value *stored, unsigned elementBytes, llvm::Value *address) {
  llvm::Value *number = b.CreatePtrToInt(address, b.getInt64Ty());
  auto hasClear = [&](llvm::Value *bits) {
    return b.CreateICmpEQ(b.CreateAnd(number, bits), b.getInt64(0));
  };
  llvm::BasicBlock *past = kernel.newBlock("past.caches"), *plain = kernel.newBlock("plain"),
                   *done = kernel.newBlock("stored");
  // One store, which LLVM splits into registers for which the address is aligned: eight of them as
  // instructions of their own, with their addresses, took a twentieth of a cold start.
  auto storeAll = [&](unsigned registerBytes) {
    auto *one = llvm::MDNode::get(b.getContext(), llvm::ConstantAsMetadata::get(b.getInt32(1)));
    b.CreateAlignedStore(stored, address, llvm::Align(registerBytes))
        ->setMetadata(llvm::LLVMContext::MD_nontemporal, one);
    b.CreateBr(done);
  };
  b.CreateCondBr(hasClear(streaming.bits), past, plain);
  b.SetInsertPoint(past);
  unsigned widest = kernel.cpu().vectorBytes;
  if (widest > streaming.unit) {
    llvm::BasicBlock *wide = kernel.newBlock("wide"), *narrow = kernel.newBlock("narrow");
    b.CreateCondBr(hasClear(b.getInt64(widest - 1)), wide, narrow);
    b.SetInsertPoint(wide);
    storeAll(widest);
    b.SetInsertPoint(narrow);
  }
  storeAll(std::min(widest, streaming.unit));
  b.SetInsertPoint(plain);
  b.CreateAlignedStore(stored, address, llvm::Align(elementBytes));
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

void Nest::storeLanes(Type element, llvm::Value *value, Lanes pointer, llvm::Value *mask) {
  llvm::Value *stored = lanes.toMemory(value, element);
  pointer = redirect(pointer, mask, kernel.sinkSlot());
  for (unsigned lane = 0; lane < currentWidth; ++lane) {
    llvm::Value *address = laneAddress(pointer, lane);
    if (mask) {
      bool isVector = mask->getType()->isVectorTy();
      llvm::Value *active = isVector ? b.CreateExtractElement(mask, lane) : mask;
      address = b.CreateSelect(active, address, kernel.sinkSlot());
    }
    llvm::Value *one = currentWidth == 1 ? stored : b.CreateExtractElement(stored, lane);
    b.CreateAlignedStore(one, address, llvm::Align(tile::byteSizeOf(element)));
  }
}

} // namespace nereid::backend::cpu
