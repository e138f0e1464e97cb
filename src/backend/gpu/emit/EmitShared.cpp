// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles in shared memory: rooms for them, and their way from and to registers.
#include "backend/gpu/emit/TileEmitter.h"

#include "support/Check.h"

using namespace mlir;

namespace nereid::backend::gpu {

void TileEmitter::emitAlloc(nv::AllocOp op) {
  values[op] = {shared.allocate(op.getType().getSlotBytes() * op.getStages(), op.getReserved())};
}

void TileEmitter::emitFree(nv::FreeOp op) {
  Operation *room = op.getRoom().getDefiningOp();
  auto ring = llvm::dyn_cast<nv::RingOp>(room);
  unsigned stages = ring ? ring.getStages() : llvm::cast<nv::AllocOp>(room).getStages();
  shared.free(llvm::cast<nv::SharedType>(op.getRoom().getType()).getSlotBytes() * stages);
}

void TileEmitter::emitSlot(nv::SlotOp op) {
  llvm::Value *distance =
      b.CreateMul(scalar(op.getIndex()), b.getInt32(op.getType().getSlotBytes()));
  values[op] = {b.CreateAdd(scalar(op.getRoom()), distance)};
}

void TileEmitter::emitView(nv::ViewOp op) { values[op] = {scalar(op.getSource())}; }

llvm::Value *TileEmitter::sharedPointer(const layout::SharedAccess &access, llvm::Value *base,
                                          unsigned offset, unsigned elementBytes) {
  auto [place, rest] =
      threads.applyAndOffset(layout::scaled(access.address, elementBytes), offset * elementBytes);
  return shared.pointer(b.CreateAdd(base, place), rest);
}

void TileEmitter::storeShared(const layout::SharedAccess &access, llvm::Value *base,
                                llvm::ArrayRef<llvm::Value *> source, Type element) {
  shared.countWrite(access);
  llvm::Type *memory = lanes.memoryType(element);
  unsigned bytes = tile::byteSizeOf(element);
  for (const layout::SharedAccess::Step &step : access.steps) {
    // Of a matrix, one for each 32-bit register.
    Registers vectors(step.registers.size() / access.elements,
                      llvm::PoisonValue::get(llvm::FixedVectorType::get(memory, access.elements)));
    for (auto [i, reg] : llvm::enumerate(step.registers)) {
      llvm::Value *&vector = vectors[i / access.elements];
      vector =
          b.CreateInsertElement(vector, lanes.toMemory(source[reg], element), i % access.elements);
    }
    llvm::Value *pointer = sharedPointer(access, base, step.offset, bytes);
    if (access.instruction == layout::SharedInstruction::Vector)
      b.CreateAlignedStore(vectors[0], pointer, llvm::Align(access.elements * bytes));
    else
      instructions->storeMatrices(b, access, pointer, vectors);
  }
}

Registers TileEmitter::loadShared(const layout::SharedAccess &access, llvm::Value *base,
                                    unsigned count, Type element) {
  shared.countRead(access);
  llvm::Type *memory = lanes.memoryType(element);
  unsigned bytes = tile::byteSizeOf(element);
  Registers result(count, nullptr);
  for (const layout::SharedAccess::Step &step : access.steps) {
    llvm::Value *pointer = sharedPointer(access, base, step.offset, bytes);
    Registers vectors;
    if (access.instruction == layout::SharedInstruction::Vector)
      vectors = {b.CreateAlignedLoad(llvm::FixedVectorType::get(memory, access.elements), pointer,
                                     llvm::Align(access.elements * bytes))};
    else
      vectors = instructions->loadMatrices(b, access, pointer, memory);
    for (auto [i, reg] : llvm::enumerate(step.registers))
      result[reg] = lanes.fromMemory(
          b.CreateExtractElement(vectors[i / access.elements], i % access.elements), element);
  }
  return result;
}

void TileEmitter::emitRead(nv::ReadOp op) {
  auto source = llvm::cast<nv::SharedType>(op.getSource().getType());
  const layout::LinearLayout &layout = nv::layoutOf(op.getType());
  Type element = source.getElementType();
  // The access names each element once; the other registers are copies.
  layout::DistinctRegisters distinct = layout::distinctRegisters(layout);
  layout::SharedAccess access = layout::cheapestAccess(
      layout, source.getLayout(), tile::byteSizeOf(element), instructions->matrixInstructions().load);
  Registers loaded =
      loadShared(access, scalar(op.getSource()), registerCount(op.getType()), element);
  Registers result;
  for (unsigned index : distinct.indexOf)
    result.push_back(loaded[distinct.kept[index]]);
  values[op] = std::move(result);
}

void TileEmitter::emitWrite(nv::WriteOp op) {
  auto room = llvm::cast<nv::SharedType>(op.getTarget().getType());
  Type element = room.getElementType();
  layout::SharedAccess access =
      layout::cheapestAccess(nv::layoutOf(op.getTile()), room.getLayout(),
                             tile::byteSizeOf(element), instructions->matrixInstructions().store);
  shared.awaitReaders();
  storeShared(access, scalar(op.getTarget()), registersOf(op.getTile()), element);
  instructions->publishShared(b);
  shared.barrier();
  shared.forget();
}

} // namespace nereid::backend::gpu
