// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of threads: each thread runs the text by itself. Its accesses are LLVM's own, through
// pointers of which LLVM finds out whether they are of global or of shared memory.
#include "backend/nvptx/emit/KernelEmitter.h"

#include "dialect/tile/SharedMemory.h"
#include "dialect/tile/Tile.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace mlir;

namespace nereid::backend::nvptx {

static constexpr unsigned sharedMemory = 3; // an address space of NVPTX

void KernelEmitter::emitThreadId(tile::ThreadIdOp op) {
  constexpr llvm::Intrinsic::ID axes[] = {llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x,
                                          llvm::Intrinsic::nvvm_read_ptx_sreg_tid_y,
                                          llvm::Intrinsic::nvvm_read_ptx_sreg_tid_z};
  values[op.getResult()] = {b.CreateIntrinsic(b.getInt32Ty(), axes[op.getAxis()], {})};
}

/// Arrays of their own as far as such may go, since LLVM can tell them apart; more is asked for at
/// the launch.
void KernelEmitter::emitSharedMemory(tile::SharedOp op) {
  constexpr uint64_t mostDeclared = 48 << 10;
  if (tile::sharedBytes(kernel) > mostDeclared) {
    uint64_t bytes = op.getCount() * tile::byteSizeOf(op.getType().getPointee());
    llvm::Value *memory = shared.pointer(shared.allocate(bytes));
    values[op.getResult()] = {b.CreateAddrSpaceCast(memory, b.getPtrTy())};
    return;
  }
  llvm::Type *element = lanes.memoryType(op.getType().getPointee());
  auto *array = llvm::ArrayType::get(element, op.getCount());
  auto *memory =
      new llvm::GlobalVariable(module, array, /*isConstant=*/false,
                               llvm::GlobalValue::InternalLinkage, llvm::UndefValue::get(array),
                               "shared", nullptr, llvm::GlobalValue::NotThreadLocal, sharedMemory);
  memory->setAlignment(llvm::Align(16));
  values[op.getResult()] = {b.CreateAddrSpaceCast(memory, b.getPtrTy())};
}

void KernelEmitter::emitLocalMemory(tile::LocalOp op) {
  llvm::Type *element = lanes.memoryType(op.getType().getPointee());
  llvm::AllocaInst *memory = lanes.stackSlot(llvm::ArrayType::get(element, op.getCount()));
  memory->setAlignment(llvm::Align(16)); // bytes may be elements with fields of any size
  values[op.getResult()] = {memory};
}

/// One thread of each block counts up what the driver gives the launch for this (CUDA's
/// cooperative_groups/details/driver_abi.h): the first block by so much that the top bit turns over
/// when all have come, for which they wait. What blocks have written before is seen then.
static constexpr llvm::StringLiteral meetGrid = R"({
.reg .pred %p;
.reg .b32 %a, %b, %low, %high, %add, %old, %now;
.reg .b64 %at;
mov.u32 %a, %tid.x;
mov.u32 %b, %tid.y;
or.b32 %a, %a, %b;
mov.u32 %b, %tid.z;
or.b32 %a, %a, %b;
setp.ne.u32 %p, %a, 0;
@%p bra DONE${:uid};
mov.u32 %high, %envreg1;
mov.u32 %low, %envreg2;
mov.b64 %at, {%low, %high};
mov.u32 %a, %nctaid.x;
mov.u32 %b, %nctaid.y;
mul.lo.u32 %a, %a, %b;
mov.u32 %b, %nctaid.z;
mul.lo.u32 %a, %a, %b;
sub.u32 %add, 0x80000001, %a;
mov.u32 %a, %ctaid.x;
mov.u32 %b, %ctaid.y;
or.b32 %a, %a, %b;
mov.u32 %b, %ctaid.z;
or.b32 %a, %a, %b;
setp.ne.u32 %p, %a, 0;
selp.b32 %add, 1, %add, %p;
fence.acq_rel.gpu;
atom.add.acq_rel.gpu.u32 %old, [%at+4], %add;
AGAIN${:uid}:
ld.acquire.gpu.u32 %now, [%at+4];
xor.b32 %now, %now, %old;
setp.ge.s32 %p, %now, 0;
@%p bra AGAIN${:uid};
fence.acq_rel.gpu;
DONE${:uid}:
})";

void KernelEmitter::emitSyncThreads(tile::SyncThreadsOp op) {
  if (op.getWholeGrid()) {
    emitSyncBlock();
    auto *type = llvm::FunctionType::get(b.getVoidTy(), false);
    b.CreateCall(llvm::InlineAsm::get(type, meetGrid, "~{memory}", /*hasSideEffects=*/true));
  }
  emitSyncBlock();
}

void KernelEmitter::emitSyncBlock() {
  b.CreateIntrinsic(b.getVoidTy(), llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all,
                    {b.getInt32(0)});
}

void KernelEmitter::emitSyncThreadsCount(tile::SyncThreadsCountOp op) {
  values[op.getResult()] = {
      b.CreateIntrinsic(b.getInt32Ty(), llvm::Intrinsic::nvvm_barrier_cta_red_popc_aligned_all,
                        {b.getInt32(0), scalar(op.getPredicate())})};
}

void KernelEmitter::emitSyncWarp(tile::SyncWarpOp op) {
  b.CreateIntrinsic(b.getVoidTy(), llvm::Intrinsic::nvvm_bar_warp_sync, {scalar(op.getMembers())});
}

void KernelEmitter::emitBallot(tile::BallotOp op) {
  values[op.getResult()] = {
      b.CreateIntrinsic(b.getInt32Ty(), llvm::Intrinsic::nvvm_vote_ballot_sync,
                        {scalar(op.getMembers()), scalar(op.getPredicate())})};
}

void KernelEmitter::emitActiveMask(tile::ActiveMaskOp op) {
  values[op.getResult()] = {
      b.CreateIntrinsic(b.getInt32Ty(), llvm::Intrinsic::nvvm_activemask, {})};
}

/// In constant memory, where there is room for it.
void KernelEmitter::emitTable(tile::TableOp op) {
  constexpr unsigned globalMemory = 1, constantMemory = 4;
  constexpr size_t mostConstant = 16 << 10; // a kernel has 64 KiB, for all its tables and more
  std::string bytes = op.bytes();
  auto *table = new llvm::GlobalVariable(
      module, llvm::ArrayType::get(b.getInt8Ty(), bytes.size()), /*isConstant=*/true,
      llvm::GlobalValue::InternalLinkage,
      llvm::ConstantDataArray::getString(b.getContext(), bytes, /*AddNull=*/false), "table",
      nullptr, llvm::GlobalValue::NotThreadLocal,
      bytes.size() <= mostConstant ? constantMemory : globalMemory);
  table->setAlignment(llvm::Align(16));
  values[op.getResult()] = {b.CreateAddrSpaceCast(table, b.getPtrTy())};
}

void KernelEmitter::emitLoad(tile::LoadOp op) {
  isOfThreads() ? emitThreadLoad(op) : TileEmitter::emitLoad(op);
}

void KernelEmitter::emitStore(tile::StoreOp op) {
  isOfThreads() ? emitThreadStore(op) : TileEmitter::emitStore(op);
}

namespace {

/// An access of global memory with a hint for caches, which LLVM has no form of.
struct HintedAccess {
  HintedAccess(Builder &b, llvm::Type *held, tile::CacheModifier cache)
      : b(b), bits(static_cast<unsigned>(held->getPrimitiveSizeInBits())),
        word(b.getIntNTy(bits)), inRegister(b.getIntNTy(std::max(bits, 16U))),
        constraint(bits <= 16 ? "h" : bits == 32 ? "r" : "l"),
        form("global." + tile::stringifyCacheModifier(cache).str() + ".b" + std::to_string(bits)) {}

  llvm::Value *place(llvm::Value *pointer) const {
    return b.CreateAddrSpaceCast(pointer, llvm::PointerType::get(b.getContext(), 1));
  }
  llvm::Value *load(llvm::Value *pointer) const {
    auto *type = llvm::FunctionType::get(inRegister, {place(pointer)->getType()}, false);
    auto *text = llvm::InlineAsm::get(type, "ld." + form + " $0, [$1];",
                                      "=" + constraint + ",l,~{memory}", /*hasSideEffects=*/true);
    return b.CreateTrunc(b.CreateCall(type, text, {place(pointer)}), word);
  }
  void store(llvm::Value *pointer, llvm::Value *value) const {
    llvm::Value *given = b.CreateZExt(b.CreateBitCast(value, word), inRegister);
    auto *type = llvm::FunctionType::get(b.getVoidTy(), {place(pointer)->getType(), inRegister},
                                         false);
    auto *text = llvm::InlineAsm::get(type, "st." + form + " [$0], $1;",
                                      "l," + constraint + ",~{memory}", /*hasSideEffects=*/true);
    b.CreateCall(type, text, {place(pointer), given});
  }

  Builder &b;
  unsigned bits;
  llvm::Type *word, *inRegister;
  std::string constraint, form;
};

} // namespace

void KernelEmitter::emitThreadLoad(tile::LoadOp op) {
  Type element = op.getType();
  if (auto cache = op.getCache()) {
    llvm::Type *held = lanes.memoryType(element);
    llvm::Value *word = HintedAccess(b, held, *cache).load(scalar(op.getPointer()));
    values[op.getResult()] = {lanes.fromMemory(b.CreateBitCast(word, held), element)};
    return;
  }
  auto *load = b.CreateLoad(lanes.memoryType(element), scalar(op.getPointer()));
  load->setVolatile(op.getIsVolatile());
  values[op.getResult()] = {lanes.fromMemory(load, element)};
}

void KernelEmitter::emitThreadStore(tile::StoreOp op) {
  Type element = op.getValue().getType();
  if (auto cache = op.getCache()) {
    llvm::Value *value = lanes.toMemory(scalar(op.getValue()), element);
    HintedAccess(b, value->getType(), *cache).store(scalar(op.getPointer()), value);
    return;
  }
  b.CreateStore(lanes.toMemory(scalar(op.getValue()), element), scalar(op.getPointer()));
}

static llvm::AtomicRMWInst::BinOp instructionOf(tile::AtomicKind kind) {
  using Op = llvm::AtomicRMWInst;
  switch (kind) {
  case tile::AtomicKind::Add:
    return Op::Add;
  case tile::AtomicKind::FAdd:
    return Op::FAdd;
  case tile::AtomicKind::SignedMax:
    return Op::Max;
  case tile::AtomicKind::SignedMin:
    return Op::Min;
  case tile::AtomicKind::UnsignedMax:
    return Op::UMax;
  case tile::AtomicKind::UnsignedMin:
    return Op::UMin;
  case tile::AtomicKind::And:
    return Op::And;
  case tile::AtomicKind::Or:
    return Op::Or;
  case tile::AtomicKind::Xor:
    return Op::Xor;
  case tile::AtomicKind::Exchange:
    return Op::Xchg;
  case tile::AtomicKind::CountUp:
    return Op::UIncWrap;
  case tile::AtomicKind::CountDown:
    return Op::UDecWrap;
  }
  llvm_unreachable("all kinds are listed");
}

/// What the frame around an atomic does where a mask leaves the thread out: the result is zero
/// there.
llvm::Value *KernelEmitter::emitWhere(Value mask, llvm::Type *type,
                                      llvm::function_ref<llvm::Value *()> emit) {
  if (!mask)
    return emit();
  llvm::AllocaInst *slot = lanes.stackSlot(type);
  b.CreateStore(llvm::Constant::getNullValue(type), slot);
  llvm::BasicBlock *act = newBlock("act"), *rest = newBlock("rest");
  b.CreateCondBr(scalar(mask), act, rest);
  b.SetInsertPoint(act);
  b.CreateStore(emit(), slot);
  b.CreateBr(rest);
  b.SetInsertPoint(rest);
  return b.CreateLoad(type, slot);
}

void KernelEmitter::emitThreadAtomic(tile::AtomicRmwOp op) {
  Type element = op.getType();
  llvm::Value *value = lanes.toMemory(scalar(op.getValue()), element);
  llvm::SyncScope::ID scope = b.getContext().getOrInsertSyncScopeID("device");
  bool isOfFloats = op.getKind() == tile::AtomicKind::FAdd;
  llvm::Type *held = value->getType();
  if (isOfFloats && element.getIntOrFloatBitWidth() == 16)
    value = b.CreateBitCast(value, element.isBF16() ? b.getBFloatTy() : b.getHalfTy());
  llvm::Value *old = emitWhere(op.getMask(), held, [&]() -> llvm::Value * {
    auto *rmw = b.CreateAtomicRMW(instructionOf(op.getKind()), scalar(op.getPointer()), value,
                                  llvm::MaybeAlign(), llvm::AtomicOrdering::Monotonic, scope);
    return rmw->getType() == held ? static_cast<llvm::Value *>(rmw) : b.CreateBitCast(rmw, held);
  });
  values[op.getResult()] = {lanes.fromMemory(old, element)};
}

void KernelEmitter::emitThreadCas(tile::AtomicCasOp op) {
  Type element = op.getType();
  llvm::Type *bits = b.getIntNTy(element.getIntOrFloatBitWidth());
  auto word = [&](Value value) {
    return b.CreateBitCast(lanes.toMemory(scalar(value), element), bits);
  };
  llvm::Value *pair = b.CreateAtomicCmpXchg(
      scalar(op.getPointer()), word(op.getExpected()), word(op.getValue()), llvm::MaybeAlign(),
      llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic,
      b.getContext().getOrInsertSyncScopeID("device"));
  llvm::Value *old = b.CreateBitCast(b.CreateExtractValue(pair, 0), lanes.memoryType(element));
  values[op.getResult()] = {lanes.fromMemory(old, element)};
}

} // namespace nereid::backend::nvptx
