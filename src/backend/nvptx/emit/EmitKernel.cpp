// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel's entry, and which emitter an operation has.
#include "backend/nvptx/emit/Emit.h"
#include "backend/nvptx/rings/SpreadRows.h"

#include "backend/nvptx/Configuration.h"
#include "backend/nvptx/ptx/NvptxLaneTarget.h"
#include "backend/nvptx/ptx/NvptxTarget.h"
#include "backend/nvptx/ptx/PtxAsm.h"
#include "support/Check.h"

using namespace mlir;

namespace nereid::backend::nvptx {

/// Whether wgmma or the copy engine touches its shared memory.
static bool hasEngines(func::FuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        bool isTheirs = llvm::isa<nv::MultiplyOp, nv::FetchOp, nv::FetchRowOp, nv::SendOp>(op);
        return isTheirs ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// A kernel of threads has a block and no configuration.
static Configuration configurationOrBlock(func::FuncOp kernel, const target::NvidiaTarget &target,
                                          const Policy &policy) {
  std::optional<tile::BlockShape> block = tile::blockOf(kernel);
  if (block)
    return {target, static_cast<unsigned>(llvm::divideCeil(block->threads(), target::warpSize)),
            policy};
  std::optional<Configuration> configuration = configurationOf(kernel);
  NEREID_CHECK(configuration, "a kernel without nv.configuration");
  configuration->instructions = std::make_shared<NvptxTarget>(
      target, configuration->policy.hinted_caches, hasEngines(kernel));
  return *configuration;
}

static unsigned producerWarpsOf(func::FuncOp kernel) {
  auto warps = kernel->getAttrOfType<IntegerAttr>(nv::producerWarpsAttr);
  return warps ? static_cast<unsigned>(warps.getInt()) : 0;
}

KernelContext::KernelContext(llvm::Module &module, func::FuncOp kernel,
                             const LaneTarget &laneTarget, const target::NvidiaTarget &target,
                             const Policy &policy)
    : KernelContext(module, kernel, laneTarget, target,
                    configurationOrBlock(kernel, target, policy)) {}

KernelContext::KernelContext(llvm::Module &module, func::FuncOp kernel,
                             const LaneTarget &laneTarget, const target::NvidiaTarget &target,
                             const Configuration &configuration)
    : EmitContext(module, kernel, laneTarget, configuration,
                  [this](Operation *op) { nvptx::emitOperation(*this, op); }),
      target(target), policy(configuration.policy), producerWarps(producerWarpsOf(kernel)) {}

unsigned KernelContext::threadsOfBlock() const {
  if (block)
    return static_cast<unsigned>(block->threads());
  return (threads.warpCount() + producerWarps) * target::warpSize;
}

bool KernelContext::takesClocks() const { return kernel->hasAttr(nv::clocksAttr); }

// Entry

/// Arrays of a launch lie in global memory, whatever pointers can reach.
static llvm::Type *parameterType(KernelContext &c, Type type) {
  return llvm::isa<tile::PointerType>(type) ? c.b.getPtrTy(NvptxLaneTarget().addressSpace())
                                            : c.lanes.memoryType(type);
}

static llvm::Value *inReach(KernelContext &c, llvm::Argument &argument) {
  bool isAnywhere = c.isOfThreads() && argument.getType()->isPointerTy();
  return isAnywhere ? c.b.CreateAddrSpaceCast(&argument, c.b.getPtrTy()) : &argument;
}

static void emitEntry(KernelContext &c, llvm::StringRef symbol) {
  llvm::SmallVector<llvm::Type *> types;
  for (Type type : c.kernel.getArgumentTypes())
    types.push_back(parameterType(c, type));
  bool isPrinting = c.kernel
                        .walk([](Operation *op) {
                          bool isReporting = llvm::isa<tile::PrintOp, tile::AssertOp>(op);
                          return isReporting ? WalkResult::interrupt() : WalkResult::advance();
                        })
                        .wasInterrupted();
  if (isPrinting)
    types.push_back(llvm::PointerType::get(c.b.getContext(), NvptxLaneTarget().addressSpace()));
  size_t firstOfClocks = types.size();
  if (c.takesClocks())
    addClockParameters(c, types);
  size_t firstOfGrid = types.size();
  bool isLooping =
      c.kernel.walk([](nv::ProgramsOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (isLooping)
    types.append(3, c.b.getInt32Ty());
  c.kernel.walk([&](nv::BoxOp box) { c.boxOps.push_back(box); });
  auto *pointer = llvm::PointerType::get(c.b.getContext(), 0);
  types.append(c.boxOps.size(), pointer);
  c.function = llvm::Function::Create(llvm::FunctionType::get(c.b.getVoidTy(), types, false),
                                      llvm::Function::ExternalLinkage, symbol, c.module);
  c.function->setCallingConv(llvm::CallingConv::PTX_Kernel);
  if (c.sites)
    c.sites->begin(*c.function);
  c.function->addFnAttr(llvm::Attribute::NoUnwind);
  // One block on an SM: setmaxnreg wants to know.
  if (c.producerWarps > 1)
    c.function->addFnAttr("nvvm.minctasm", "1");
  tile::BlockShape size = c.block.value_or(tile::BlockShape{c.threadsOfBlock(), 1, 1});
  c.function->addFnAttr("nvvm.reqntid", std::to_string(size.x) + "," + std::to_string(size.y) +
                                            "," + std::to_string(size.z));
  llvm::BasicBlock *entry = c.newBlock("entry"), *body = c.newBlock("body");
  c.b.SetInsertPoint(entry);
  c.threads.begin(c.b.CreateBr(body));
  c.b.SetInsertPoint(body);
  for (auto [value, argument] : llvm::zip_first(c.kernel.getArguments(), c.function->args()))
    c.values[value] = {c.lanes.fromMemory(inReach(c, argument), value.getType())};
  if (isPrinting)
    c.printBuffer = c.function->getArg(c.kernel.getNumArguments());
  for (unsigned axis = 0; isLooping && axis < 3; ++axis)
    c.gridArguments.push_back(c.function->getArg(firstOfGrid + axis));
  if (c.takesClocks())
    beginClocks(c, firstOfClocks);
  for (auto [i, box] : llvm::enumerate(c.boxOps))
    c.values[box->getResult(0)] = {tensorMap(c, c.function->arg_size() - c.boxOps.size() + i)};
}

bool overlapsPrevious(const KernelContext &c) {
  return c.policy.overlapped_launches && c.target.overlapsLaunches && !c.takesClocks() &&
         !tile::meetsWholeGrid(c.kernel);
}

void awaitPrevious(KernelContext &c) {
  if (c.hasAwaitedPrevious || !overlapsPrevious(c))
    return;
  c.hasAwaitedPrevious = true;
  emitPtx(c.b, "griddepcontrol.wait;");
  if (c.policy.overlapped_launches > 1)
    emitPtx(c.b, "griddepcontrol.launch_dependents;");
}

/// Whether an operation of the kernel's own block leaves alone what earlier launches may still read
/// and write: it computes, or makes room in shared memory and barriers there. What the author's PTX
/// does nobody knows, even if it is said to have no effects. Roles wait where they begin.
static bool isOfBlockAlone(Operation *op) {
  if (llvm::isa<nv::BoxOp, nv::RingOp, nv::AllocOp, nv::ProduceOp, tile::SharedOp, tile::LocalOp>(
          op))
    return true;
  auto stop = [](tile::AssemblyOp) { return WalkResult::interrupt(); };
  return isMemoryEffectFree(op) && !op->walk(stop).wasInterrupted();
}

void emitKernel(KernelContext &c, llvm::StringRef symbol, CodeSites *sites) {
  c.sites = sites;
  emitEntry(c, symbol);
  CodeSites::Scope scope(c.sites, c.b, c.kernel);
  if (blocksOfProgram(c.kernel) > 1)
    beginCluster(c);
  for (Operation &op : c.kernel.getBody().front().without_terminator()) {
    if (!isOfBlockAlone(&op))
      awaitPrevious(c);
    emitOperation(c, &op);
  }
  awaitPrevious(c);
  if (c.takesClocks()) {
    noteEndOfWarp(c, /*isProducer=*/false);
    noteEndOfBlock(c);
  }
  c.b.CreateRetVoid();
  if (c.takesClocks())
    copyWithoutClocks(c);
}

// Operations

template <typename Operation, auto emit> static void emitAs(KernelContext &c, mlir::Operation *op) {
  emit(c, llvm::cast<Operation>(op));
}

template <typename Operation, auto emit>
static std::pair<TypeID, void (*)(KernelContext &, mlir::Operation *)> row() {
  return {TypeID::get<Operation>(), emitAs<Operation, emit>};
}

using Emit = void (*)(KernelContext &, Operation *);

static Emit emitterOf(Operation *op) {
  static const std::pair<TypeID, Emit> rows[] = {
      row<arith::ConstantOp, gpu::emitConstant>(),
      row<tile::RangeOp, gpu::emitRange>(),
      row<tile::ProgramIdOp, emitProgramId>(),
      row<tile::NumProgramsOp, emitNumPrograms>(),
      row<tile::ThreadIdOp, emitThreadId>(),
      row<tile::SharedOp, emitSharedMemory>(),
      row<tile::LocalOp, emitLocalMemory>(),
      row<tile::SyncThreadsOp, emitSyncThreads>(),
      row<tile::SyncThreadsCountOp, emitSyncThreadsCount>(),
      row<tile::SyncWarpOp, emitSyncWarp>(),
      row<tile::ShuffleOp, emitShuffle>(),
      row<tile::BallotOp, emitBallot>(),
      row<tile::ActiveMaskOp, emitActiveMask>(),
      row<tile::TableOp, emitTable>(),
      row<tile::LoadOp, nvptx::emitLoad>(),
      row<tile::StoreOp, nvptx::emitStore>(),
      row<tile::PrintOp, emitPrint>(),
      row<tile::AssertOp, emitAssert>(),
      row<tile::BarrierOp, gpu::emitBarrier>(),
      row<nv::SyncOp, gpu::emitSync>(),
      row<nv::ClockOp, emitClock>(),
      row<tile::AtomicRmwOp, emitAtomicRmw>(),
      row<tile::AtomicCasOp, emitAtomicCas>(),
      row<tile::ReduceOp, gpu::emitReduce>(),
      row<tile::ScanOp, gpu::emitScan>(),
      row<tile::GatherOp, gpu::emitGather>(),
      row<tile::HistogramOp, gpu::emitHistogram>(),
      row<tile::JoinOp, gpu::emitJoin>(),
      row<tile::SplitOp, gpu::emitSplit>(),
      row<tile::DotOp, emitDot>(),
      row<nv::ConvertOp, gpu::emitConvert>(),
      row<nv::AllocOp, gpu::emitAlloc>(),
      row<nv::FreeOp, nvptx::emitFree>(),
      row<nv::SlotOp, gpu::emitSlot>(),
      row<nv::ViewOp, gpu::emitView>(),
      row<nv::ReadOp, gpu::emitRead>(),
      row<nv::WriteOp, gpu::emitWrite>(),
      row<nv::CopyOp, emitCopy>(),
      row<nv::CommitCopiesOp, emitCommitCopies>(),
      row<nv::AwaitCopiesOp, emitAwaitCopies>(),
      row<nv::BoxOp, emitBox>(),
      row<nv::RingOp, emitRing>(),
      row<nv::FetchOp, emitFetch>(),
      row<nv::AwaitSlotOp, emitAwaitSlot>(),
      row<nv::ReleaseOp, emitRelease>(),
      row<nv::FetchRowOp, emitFetchRow>(),
      row<nv::ReadRowOp, emitReadRow>(),
      row<nv::PrefetchRowOp, emitPrefetchRow>(),
      row<nv::KeepRowOp, emitKeepRow>(),
      row<nv::ReadKeptOp, emitReadKept>(),
      row<nv::ProduceOp, emitProduce>(),
      row<nv::ProgramsOp, emitPrograms>(),
      row<nv::SendOp, emitSend>(),
      row<nv::AwaitSentOp, emitAwaitSent>(),
      row<nv::MultiplyAddOp, gpu::emitMultiplyAdd>(),
      row<nv::MultiplyOp, emitMultiply>(),
      row<nv::TurnOp, emitTurn>(),
      row<nv::AwaitProductsOp, emitAwaitProducts>(),
      row<nv::FinishOp, emitFinish>(),
      row<nv::BlockOfProgramOp, emitBlockOfProgram>(),
      row<nv::GatherBlocksOp, emitGatherBlocks>(),
      row<scf::IfOp, gpu::emitIf>(),
      row<scf::ForOp, gpu::emitFor>(),
      row<scf::WhileOp, gpu::emitWhile>(),
  };
  static const llvm::DenseMap<TypeID, Emit> emitters(std::begin(rows), std::end(rows));
  return emitters.lookup(op->getName().getTypeID());
}

bool hasEmitter(Operation *op) { return emitterOf(op); }

void emitOperation(KernelContext &c, Operation *op) {
  CodeSites::Scope scope(c.sites, c.b, op);
  c.shared.takeFor(op);
  if (Emit emit = emitterOf(op))
    return emit(c, op);
  if (tile::movesLanes(op))
    return emitMovement(c, op);
  if (isDivisionBesideProducer(c, op))
    return emitDivisionBesideProducer(c, op);
  emitLanewise(c, op);
}

} // namespace nereid::backend::nvptx
