// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles in shared memory: rooms for them, copies into them, and their way from and to registers.
#include "backend/nvptx/ptx/GlobalAccess.h"
#include "backend/nvptx/emit/KernelEmitter.h"
#include "backend/nvptx/ptx/MatrixInstructions.h"
#include "backend/nvptx/ptx/PtxAsm.h"
#include "backend/gpu/emit/RegisterAddresses.h"

#include "support/Check.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace mlir;

namespace nereid::backend::nvptx {

void KernelEmitter::emitAlloc(nv::AllocOp op) {
  values[op] = {shared.allocate(op.getType().getSlotBytes() * op.getStages(), op.getReserved())};
}

void KernelEmitter::emitFree(nv::FreeOp op) {
  Operation *room = op.getRoom().getDefiningOp();
  auto ring = llvm::dyn_cast<nv::RingOp>(room);
  unsigned stages = ring ? ring.getStages() : llvm::cast<nv::AllocOp>(room).getStages();
  if (llvm::any_of(room->getUsers(), llvm::IsaPred<nv::SendOp>))
    awaitSent(0, /*isRead=*/true);
  shared.free(llvm::cast<nv::SharedType>(op.getRoom().getType()).getSlotBytes() * stages);
}

void KernelEmitter::emitSlot(nv::SlotOp op) {
  llvm::Value *distance =
      b.CreateMul(scalar(op.getIndex()), b.getInt32(op.getType().getSlotBytes()));
  values[op] = {b.CreateAdd(scalar(op.getRoom()), distance)};
}

void KernelEmitter::emitView(nv::ViewOp op) { values[op] = {scalar(op.getSource())}; }

/// The map of a place in elements, in bytes.
static layout::ThreadMap inBytes(layout::ThreadMap map, unsigned elementBytes) {
  for (auto *bases : {&map.lane, &map.warp})
    for (layout::Vector &basis : *bases)
      basis *= elementBytes;
  return map;
}

llvm::Value *KernelEmitter::sharedPointer(const layout::SharedAccess &access, llvm::Value *base,
                                          unsigned offset, unsigned elementBytes) {
  llvm::Value *place =
      threads.applyWith(inBytes(access.address, elementBytes), offset * elementBytes);
  return shared.pointer(b.CreateAdd(base, place));
}

namespace {

struct MatrixIntrinsics {
  llvm::Intrinsic::ID load, loadTransposed, store, storeTransposed;
};

/// Of 1, 2 and 4 matrices.
constexpr MatrixIntrinsics matrixIntrinsics[] = {
    {llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x1_b16,
     llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x1_trans_b16,
     llvm::Intrinsic::nvvm_stmatrix_sync_aligned_m8n8_x1_b16,
     llvm::Intrinsic::nvvm_stmatrix_sync_aligned_m8n8_x1_trans_b16},
    {llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_b16,
     llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_trans_b16,
     llvm::Intrinsic::nvvm_stmatrix_sync_aligned_m8n8_x2_b16,
     llvm::Intrinsic::nvvm_stmatrix_sync_aligned_m8n8_x2_trans_b16},
    {llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16,
     llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16,
     llvm::Intrinsic::nvvm_stmatrix_sync_aligned_m8n8_x4_b16,
     llvm::Intrinsic::nvvm_stmatrix_sync_aligned_m8n8_x4_trans_b16}};

bool isTransposed(const layout::SharedAccess &access) {
  return access.instruction == layout::SharedInstruction::MatrixTransposed;
}

const MatrixIntrinsics &intrinsicsOf(const layout::SharedAccess &access) {
  return matrixIntrinsics[llvm::Log2_32(access.matrices)];
}

/// Each of `vectors` is a lane's 32 bits of a matrix.
void storeMatrices(Builder &b, const layout::SharedAccess &access, llvm::Value *pointer,
                   llvm::ArrayRef<llvm::Value *> vectors) {
  const MatrixIntrinsics &ids = intrinsicsOf(access);
  llvm::SmallVector<llvm::Value *, 5> operands = {pointer};
  for (llvm::Value *vector : vectors)
    operands.push_back(b.CreateBitCast(vector, b.getInt32Ty()));
  b.CreateIntrinsic(b.getVoidTy(), isTransposed(access) ? ids.storeTransposed : ids.store,
                    operands);
}

/// The 32-bit registers that one step loads, then as vectors of elements.
Registers loadMatrices(Builder &b, const layout::SharedAccess &access, llvm::Value *pointer,
                       llvm::Type *memory) {
  const MatrixIntrinsics &ids = intrinsicsOf(access);
  llvm::Type *word = b.getInt32Ty();
  llvm::Type *result =
      access.matrices == 1
          ? word
          : llvm::StructType::get(b.getContext(),
                                  llvm::SmallVector<llvm::Type *>(access.matrices, word));
  llvm::Value *loaded =
      b.CreateIntrinsic(result, isTransposed(access) ? ids.loadTransposed : ids.load, {pointer});
  Registers vectors;
  for (unsigned i = 0; i < access.matrices; ++i)
    vectors.push_back(
        b.CreateBitCast(access.matrices == 1 ? loaded : b.CreateExtractValue(loaded, i),
                        llvm::FixedVectorType::get(memory, access.elements)));
  return vectors;
}

} // namespace

void KernelEmitter::storeShared(const layout::SharedAccess &access, llvm::Value *base,
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
      storeMatrices(b, access, pointer, vectors);
  }
}

Registers KernelEmitter::loadShared(const layout::SharedAccess &access, llvm::Value *base,
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
      vectors = loadMatrices(b, access, pointer, memory);
    for (auto [i, reg] : llvm::enumerate(step.registers))
      result[reg] = lanes.fromMemory(
          b.CreateExtractElement(vectors[i / access.elements], i % access.elements), element);
  }
  return result;
}

void KernelEmitter::emitRead(nv::ReadOp op) {
  auto source = llvm::cast<nv::SharedType>(op.getSource().getType());
  const layout::LinearLayout &layout = nv::layoutOf(op.getType());
  Type element = source.getElementType();
  // The access names each element once; the other registers are copies.
  layout::DistinctRegisters distinct = layout::distinctRegisters(layout);
  layout::SharedAccess access = layout::cheapestAccess(
      layout, source.getLayout(), tile::byteSizeOf(element), matricesOf(target).load);
  Registers loaded =
      loadShared(access, scalar(op.getSource()), registerCount(op.getType()), element);
  Registers result;
  for (unsigned index : distinct.indexOf)
    result.push_back(loaded[distinct.kept[index]]);
  values[op] = std::move(result);
}

void KernelEmitter::emitWrite(nv::WriteOp op) {
  auto room = llvm::cast<nv::SharedType>(op.getTarget().getType());
  Type element = room.getElementType();
  layout::SharedAccess access =
      layout::cheapestAccess(nv::layoutOf(op.getTile()), room.getLayout(),
                             tile::byteSizeOf(element), matricesOf(target).store);
  shared.awaitReaders();
  storeShared(access, scalar(op.getTarget()), registersOf(op.getTile()), element);
  publish();
  shared.barrier();
  shared.forget();
}

/// wgmma reads shared memory past the way of ordinary stores.
void KernelEmitter::publish() {
  if (target.hasWarpgroupProducts)
    emitPtx(b, "fence.proxy.async.shared::cta;");
}

// Copies

void KernelEmitter::emitCopy(nv::CopyOp op) {
  auto room = llvm::cast<nv::SharedType>(op.getTarget().getType());
  const layout::LinearLayout &layout = nv::layoutOf(op.getPointer());
  Type element = room.getElementType();
  unsigned bytes = tile::byteSizeOf(element);
  unsigned together = registersTogether(op.getPointer(), op.getMask());
  layout::LinearLayout offsets = layout.then(room.getLayout().inverse());
  auto over = [&](const char *space) {
    return std::vector(offsets.bases(space).begin(), offsets.bases(space).end());
  };
  layout::ThreadMap ofThread = inBytes({over(layout::Lane), over(layout::Warp)}, bytes);
  llvm::Value *isActing = threads.isFirstHolder(layout);
  RegisterAddresses addresses(b, op.getPointer(), registersOf(op.getPointer()));
  for (unsigned reg = 0; reg < registerCount(op.getPointer().getType()); reg += together) {
    llvm::Value *place = threads.applyWith(ofThread, offsets(reg) * bytes);
    emitAsyncCopy(b.CreateAdd(scalar(op.getTarget()), place), addresses[reg],
                  registersOf(op.getMask())[reg], together * bytes, isActing);
  }
}

/// Zeros where `mask` is false; nothing where `isActing` is, which may be null.
void KernelEmitter::emitAsyncCopy(llvm::Value *target, llvm::Value *source, llvm::Value *mask,
                                  unsigned bytes, llvm::Value *isActing) {
  NEREID_CHECK(bytes == 4 || bytes == 8 || bytes == 16, "cp.async copies 4, 8 or 16 bytes");
  llvm::SmallVector<llvm::Value *, 4> operands = {
      target, source, b.CreateSelect(mask, b.getInt32(bytes), b.getInt32(0))};
  std::string text = std::string("cp.async.") + (bytes == 16 ? "cg" : "ca") +
                     ".shared.global [$0], [$1], " + std::to_string(bytes) + ", $2;";
  std::string constraints = "r,l,r";
  if (isActing) {
    text = "@$3 " + text;
    constraints += ",b";
    operands.push_back(isActing);
  }
  emitPtx(b, text, nullptr, constraints, operands);
}

void KernelEmitter::emitCommitCopies(nv::CommitCopiesOp) { emitPtx(b, "cp.async.commit_group;"); }

void KernelEmitter::emitAwaitCopies(nv::AwaitCopiesOp op) {
  emitPtx(b, "cp.async.wait_group " + std::to_string(op.getPending()) + ";");
  publish();
  shared.barrier();
}

} // namespace nereid::backend::nvptx
