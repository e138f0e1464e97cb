// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of threads: each thread runs the text by itself. Its accesses are LLVM's own, through
// pointers of which LLVM finds out whether they are of global or of shared memory.
#include "backend/nvptx/emit/Emit.h"

#include "dialect/tile/SharedMemory.h"
#include "dialect/tile/Tile.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace mlir;

namespace nereid::backend::nvptx {

static void emitSyncBlock(KernelContext &c);
static void emitThreadLoad(KernelContext &c, tile::LoadOp op);
static void emitThreadStore(KernelContext &c, tile::StoreOp op);

static constexpr unsigned sharedMemory = 3; // an address space of NVPTX

void emitThreadId(KernelContext &c, tile::ThreadIdOp op) {
  constexpr llvm::Intrinsic::ID axes[] = {llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x,
                                          llvm::Intrinsic::nvvm_read_ptx_sreg_tid_y,
                                          llvm::Intrinsic::nvvm_read_ptx_sreg_tid_z};
  c.values[op.getResult()] = {c.b.CreateIntrinsic(c.b.getInt32Ty(), axes[op.getAxis()], {})};
}

/// Arrays of their own as far as such may go, since LLVM can tell them apart; more is asked for at
/// the launch.
void emitSharedMemory(KernelContext &c, tile::SharedOp op) {
  constexpr uint64_t mostDeclared = 48 << 10;
  if (tile::sharedBytes(c.kernel) > mostDeclared) {
    uint64_t bytes = op.getCount() * tile::byteSizeOf(op.getType().getPointee());
    llvm::Value *memory = c.shared.pointer(c.shared.allocate(bytes));
    c.values[op.getResult()] = {c.b.CreateAddrSpaceCast(memory, c.b.getPtrTy())};
    return;
  }
  llvm::Type *element = c.lanes.memoryType(op.getType().getPointee());
  auto *array = llvm::ArrayType::get(element, op.getCount());
  auto *memory =
      new llvm::GlobalVariable(c.module, array, /*isConstant=*/false,
                               llvm::GlobalValue::InternalLinkage, llvm::UndefValue::get(array),
                               "shared", nullptr, llvm::GlobalValue::NotThreadLocal, sharedMemory);
  memory->setAlignment(llvm::Align(16));
  c.values[op.getResult()] = {c.b.CreateAddrSpaceCast(memory, c.b.getPtrTy())};
}

void emitLocalMemory(KernelContext &c, tile::LocalOp op) {
  llvm::Type *element = c.lanes.memoryType(op.getType().getPointee());
  llvm::AllocaInst *memory = c.lanes.stackSlot(llvm::ArrayType::get(element, op.getCount()));
  memory->setAlignment(llvm::Align(16)); // bytes may be elements with fields of any size
  c.values[op.getResult()] = {memory};
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

void emitSyncThreads(KernelContext &c, tile::SyncThreadsOp op) {
  if (op.getWholeGrid()) {
    emitSyncBlock(c);
    auto *type = llvm::FunctionType::get(c.b.getVoidTy(), false);
    c.b.CreateCall(llvm::InlineAsm::get(type, meetGrid, "~{memory}", /*hasSideEffects=*/true));
  }
  emitSyncBlock(c);
}

static void emitSyncBlock(KernelContext &c) {
  c.b.CreateIntrinsic(c.b.getVoidTy(), llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all,
                      {c.b.getInt32(0)});
}

void emitSyncThreadsCount(KernelContext &c, tile::SyncThreadsCountOp op) {
  c.values[op.getResult()] = {
      c.b.CreateIntrinsic(c.b.getInt32Ty(), llvm::Intrinsic::nvvm_barrier_cta_red_popc_aligned_all,
                          {c.b.getInt32(0), c.scalar(op.getPredicate())})};
}

void emitSyncWarp(KernelContext &c, tile::SyncWarpOp op) {
  c.b.CreateIntrinsic(c.b.getVoidTy(), llvm::Intrinsic::nvvm_bar_warp_sync,
                      {c.scalar(op.getMembers())});
}

void emitBallot(KernelContext &c, tile::BallotOp op) {
  c.values[op.getResult()] = {
      c.b.CreateIntrinsic(c.b.getInt32Ty(), llvm::Intrinsic::nvvm_vote_ballot_sync,
                          {c.scalar(op.getMembers()), c.scalar(op.getPredicate())})};
}

void emitActiveMask(KernelContext &c, tile::ActiveMaskOp op) {
  c.values[op.getResult()] = {
      c.b.CreateIntrinsic(c.b.getInt32Ty(), llvm::Intrinsic::nvvm_activemask, {})};
}

/// In constant memory, where there is room for it beside the tables before it.
void emitTable(KernelContext &c, tile::TableOp op) {
  constexpr unsigned globalMemory = 1, constantMemory = 4;
  constexpr unsigned constantBytes = 65536; // of a module, says the PTX manual
  uint64_t taken = 0;
  for (const llvm::GlobalVariable &other : c.module.globals())
    if (other.getAddressSpace() == constantMemory)
      taken += llvm::alignTo(c.module.getDataLayout().getTypeAllocSize(other.getValueType()), 16);
  std::string bytes = op.bytes();
  auto *table = new llvm::GlobalVariable(
      c.module, llvm::ArrayType::get(c.b.getInt8Ty(), bytes.size()), /*isConstant=*/true,
      llvm::GlobalValue::InternalLinkage,
      llvm::ConstantDataArray::getString(c.b.getContext(), bytes, /*AddNull=*/false), "table",
      nullptr, llvm::GlobalValue::NotThreadLocal,
      taken + bytes.size() <= constantBytes ? constantMemory : globalMemory);
  table->setAlignment(llvm::Align(16));
  c.values[op.getResult()] = {c.b.CreateAddrSpaceCast(table, c.b.getPtrTy())};
}

void emitLoad(KernelContext &c, tile::LoadOp op) {
  c.isOfThreads() ? emitThreadLoad(c, op) : gpu::emitLoad(c, op);
}

void emitStore(KernelContext &c, tile::StoreOp op) {
  c.isOfThreads() ? emitThreadStore(c, op) : gpu::emitStore(c, op);
}

namespace {

/// An access of global memory with a hint for caches, which LLVM has no form of.
struct HintedAccess {
  HintedAccess(Builder &b, llvm::Type *held, tile::CacheModifier cache)
      : b(b), bits(static_cast<unsigned>(held->getPrimitiveSizeInBits())), word(b.getIntNTy(bits)),
        inRegister(b.getIntNTy(std::max(bits, 16U))), constraint(bits <= 16   ? "h"
                                                                 : bits == 32 ? "r"
                                                                              : "l"),
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
    auto *type =
        llvm::FunctionType::get(b.getVoidTy(), {place(pointer)->getType(), inRegister}, false);
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

static void emitThreadLoad(KernelContext &c, tile::LoadOp op) {
  Type element = op.getType();
  if (auto cache = op.getCache()) {
    llvm::Type *held = c.lanes.memoryType(element);
    llvm::Value *word = HintedAccess(c.b, held, *cache).load(c.scalar(op.getPointer()));
    c.values[op.getResult()] = {c.lanes.fromMemory(c.b.CreateBitCast(word, held), element)};
    return;
  }
  auto *load = c.b.CreateLoad(c.lanes.memoryType(element), c.scalar(op.getPointer()));
  load->setVolatile(op.getIsVolatile());
  c.values[op.getResult()] = {c.lanes.fromMemory(load, element)};
}

static void emitThreadStore(KernelContext &c, tile::StoreOp op) {
  Type element = op.getValue().getType();
  if (auto cache = op.getCache()) {
    llvm::Value *value = c.lanes.toMemory(c.scalar(op.getValue()), element);
    HintedAccess(c.b, value->getType(), *cache).store(c.scalar(op.getPointer()), value);
    return;
  }
  c.b.CreateStore(c.lanes.toMemory(c.scalar(op.getValue()), element), c.scalar(op.getPointer()));
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
static llvm::Value *emitWhere(KernelContext &c, Value mask, llvm::Type *type,
                              llvm::function_ref<llvm::Value *()> emit) {
  if (!mask)
    return emit();
  llvm::AllocaInst *slot = c.lanes.stackSlot(type);
  c.b.CreateStore(llvm::Constant::getNullValue(type), slot);
  llvm::BasicBlock *act = c.newBlock("act"), *rest = c.newBlock("rest");
  c.b.CreateCondBr(c.scalar(mask), act, rest);
  c.b.SetInsertPoint(act);
  c.b.CreateStore(emit(), slot);
  c.b.CreateBr(rest);
  c.b.SetInsertPoint(rest);
  return c.b.CreateLoad(type, slot);
}

void emitThreadAtomic(KernelContext &c, tile::AtomicRmwOp op) {
  Type element = op.getType();
  llvm::Value *value = c.lanes.toMemory(c.scalar(op.getValue()), element);
  llvm::SyncScope::ID scope = c.b.getContext().getOrInsertSyncScopeID("device");
  bool isOfFloats = op.getKind() == tile::AtomicKind::FAdd;
  llvm::Type *held = value->getType();
  if (isOfFloats && element.getIntOrFloatBitWidth() == 16)
    value = c.b.CreateBitCast(value, element.isBF16() ? c.b.getBFloatTy() : c.b.getHalfTy());
  llvm::Value *old = emitWhere(c, op.getMask(), held, [&]() -> llvm::Value * {
    auto *rmw = c.b.CreateAtomicRMW(instructionOf(op.getKind()), c.scalar(op.getPointer()), value,
                                    llvm::MaybeAlign(), llvm::AtomicOrdering::Monotonic, scope);
    return rmw->getType() == held ? static_cast<llvm::Value *>(rmw) : c.b.CreateBitCast(rmw, held);
  });
  c.values[op.getResult()] = {c.lanes.fromMemory(old, element)};
}

void emitThreadCas(KernelContext &c, tile::AtomicCasOp op) {
  Type element = op.getType();
  llvm::Type *bits = c.b.getIntNTy(element.getIntOrFloatBitWidth());
  auto word = [&](Value value) {
    return c.b.CreateBitCast(c.lanes.toMemory(c.scalar(value), element), bits);
  };
  llvm::Value *pair = c.b.CreateAtomicCmpXchg(
      c.scalar(op.getPointer()), word(op.getExpected()), word(op.getValue()), llvm::MaybeAlign(),
      llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic,
      c.b.getContext().getOrInsertSyncScopeID("device"));
  llvm::Value *old =
      c.b.CreateBitCast(c.b.CreateExtractValue(pair, 0), c.lanes.memoryType(element));
  c.values[op.getResult()] = {c.lanes.fromMemory(old, element)};
}

} // namespace nereid::backend::nvptx
