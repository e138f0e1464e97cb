// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles in shared memory: rooms for them, and their way from and to registers.
#include "backend/gpu/emit/Emit.h"

#include "backend/gpu/layouts/TileMoves.h"
#include "support/Check.h"

using namespace mlir;

namespace nereid::backend::gpu {

void emitAlloc(EmitContext &c, nv::AllocOp op) {
  c.values[op] = {
      c.shared.allocate(op.getType().getSlotBytes() * op.getStages(), op.getReserved())};
}

void emitFree(EmitContext &c, nv::FreeOp op) {
  Operation *room = op.getRoom().getDefiningOp();
  auto ring = llvm::dyn_cast<nv::RingOp>(room);
  unsigned stages = ring ? ring.getStages() : llvm::cast<nv::AllocOp>(room).getStages();
  c.shared.free(llvm::cast<nv::SharedType>(op.getRoom().getType()).getSlotBytes() * stages);
}

void emitSlot(EmitContext &c, nv::SlotOp op) {
  llvm::Value *distance =
      c.b.CreateMul(c.scalar(op.getIndex()), c.b.getInt32(op.getType().getSlotBytes()));
  c.values[op] = {c.b.CreateAdd(c.scalar(op.getRoom()), distance)};
}

void emitView(EmitContext &c, nv::ViewOp op) { c.values[op] = {c.scalar(op.getSource())}; }

static llvm::Value *sharedPointer(EmitContext &c, const layout::SharedAccess &access,
                                  llvm::Value *base, unsigned offset, unsigned elementBytes) {
  auto [place, rest] =
      c.threads.applyAndOffset(layout::scaled(access.address, elementBytes), offset * elementBytes);
  return c.shared.pointer(c.b.CreateAdd(base, place), rest);
}

void storeShared(EmitContext &c, const layout::SharedAccess &access, llvm::Value *base,
                 llvm::ArrayRef<llvm::Value *> source, Type element) {
  c.shared.countWrite(access);
  llvm::Type *memory = c.lanes.memoryType(element);
  unsigned bytes = tile::byteSizeOf(element);
  for (const layout::SharedAccess::Step &step : access.steps) {
    // A matrix has one for each 32-bit register.
    Registers vectors(step.registers.size() / access.elements,
                      llvm::PoisonValue::get(llvm::FixedVectorType::get(memory, access.elements)));
    for (auto [i, reg] : llvm::enumerate(step.registers)) {
      llvm::Value *&vector = vectors[i / access.elements];
      vector = c.b.CreateInsertElement(vector, c.lanes.toMemory(source[reg], element),
                                       i % access.elements);
    }
    llvm::Value *pointer = sharedPointer(c, access, base, step.offset, bytes);
    if (access.instruction == layout::SharedInstruction::Vector)
      c.b.CreateAlignedStore(vectors[0], pointer, llvm::Align(access.elements * bytes));
    else
      c.instructions->storeMatrices(c.b, access, pointer, vectors);
  }
}

Registers loadShared(EmitContext &c, const layout::SharedAccess &access, llvm::Value *base,
                     unsigned count, Type element) {
  c.shared.countRead(access);
  llvm::Type *memory = c.lanes.memoryType(element);
  unsigned bytes = tile::byteSizeOf(element);
  Registers result(count, nullptr);
  for (const layout::SharedAccess::Step &step : access.steps) {
    llvm::Value *pointer = sharedPointer(c, access, base, step.offset, bytes);
    Registers vectors;
    if (access.instruction == layout::SharedInstruction::Vector)
      vectors = {c.b.CreateAlignedLoad(llvm::FixedVectorType::get(memory, access.elements), pointer,
                                       llvm::Align(access.elements * bytes))};
    else
      vectors = c.instructions->loadMatrices(c.b, access, pointer, memory);
    for (auto [i, reg] : llvm::enumerate(step.registers))
      result[reg] = c.lanes.fromMemory(
          c.b.CreateExtractElement(vectors[i / access.elements], i % access.elements), element);
  }
  return result;
}

Registers readShared(EmitContext &c, Type tile, nv::SharedType source, llvm::Value *address) {
  const layout::LinearLayout &layout = nv::layoutOf(tile);
  Type element = source.getElementType();
  // The access names each element once; the other registers are copies.
  layout::DistinctRegisters distinct = layout::distinctRegisters(layout);
  layout::SharedAccess access = readAccess(tile, source, c.instructions->matrixInstructions());
  Registers loaded = loadShared(c, access, address, registerCount(tile), element);
  Registers result;
  for (unsigned index : distinct.indexOf)
    result.push_back(loaded[distinct.kept[index]]);
  return result;
}

void emitRead(EmitContext &c, nv::ReadOp op) {
  c.values[op] = readShared(c, op.getType(), op.getSource().getType(), c.scalar(op.getSource()));
}

/// Whether a barrier of the block stands between those who read the room in the round before and
/// this write: all of them are products of its round, each is done before the round ends, and
/// threads meet behind that for something else.
static bool areReadersAwaited(nv::WriteOp op) {
  Block *round = op->getBlock();
  auto room = op.getTarget().getDefiningOp<nv::AllocOp>();
  if (!room || room->getBlock() == round)
    return false;
  Operation *last = nullptr; // behind which nobody reads
  for (Operation *user : room->getUsers()) {
    if (user == op || llvm::isa<nv::FreeOp>(user))
      continue;
    auto multiply = llvm::dyn_cast<nv::MultiplyOp>(user);
    if (!multiply || multiply->getBlock() != round || multiply->isBeforeInBlock(op) ||
        !multiply->hasOneUse())
      return false;
    auto finish = llvm::dyn_cast<nv::FinishOp>(*multiply->user_begin());
    if (!finish || finish->getBlock() != round)
      return false;
    if (!last || last->isBeforeInBlock(finish))
      last = finish;
  }
  if (!last)
    return false;
  for (Operation *behind = last->getNextNode(); behind; behind = behind->getNextNode())
    if (llvm::isa<nv::SendOp, nv::WriteOp>(behind))
      return true;
  return false;
}

void emitWrite(EmitContext &c, nv::WriteOp op) {
  auto room = llvm::cast<nv::SharedType>(op.getTarget().getType());
  Type element = room.getElementType();
  layout::SharedAccess access =
      writeAccess(op.getTile().getType(), room, c.instructions->matrixInstructions());
  if (!areReadersAwaited(op))
    c.shared.awaitReaders();
  storeShared(c, access, c.scalar(op.getTarget()), c.registersOf(op.getTile()), element);
  c.instructions->publishShared(c.b);
  c.shared.barrier();
  c.shared.forget();
}

} // namespace nereid::backend::gpu
