// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/emit/KernelEmitter.h"

#include "backend/nvptx/Configuration.h"
#include "backend/nvptx/ptx/NvptxLaneTarget.h"
#include "backend/nvptx/ptx/PtxAsm.h"
#include "support/Check.h"

using namespace mlir;

namespace nereid::backend::nvptx {

/// A kernel of threads has a block and no configuration.
static Configuration configurationOrBlock(func::FuncOp kernel,
                                          const target::NvidiaTarget &target) {
  std::optional<tile::BlockShape> block = tile::blockOf(kernel);
  if (block)
    return {target, static_cast<unsigned>(llvm::divideCeil(block->threads(), target::warpSize))};
  std::optional<Configuration> configuration = configurationOf(kernel);
  NEREID_CHECK(configuration, "a kernel without nv.configuration");
  return *configuration;
}

static unsigned producerWarpsOf(func::FuncOp kernel) {
  auto warps = kernel->getAttrOfType<IntegerAttr>(nv::producerWarpsAttr);
  return warps ? static_cast<unsigned>(warps.getInt()) : 0;
}

KernelEmitter::KernelEmitter(llvm::Module &module, func::FuncOp kernel,
                             const LaneTarget &laneTarget, const target::NvidiaTarget &target)
    : KernelEmitter(module, kernel, laneTarget, target, configurationOrBlock(kernel, target)) {}

KernelEmitter::KernelEmitter(llvm::Module &module, func::FuncOp kernel,
                             const LaneTarget &laneTarget, const target::NvidiaTarget &target,
                             const Configuration &configuration)
    : TileEmitter(module, kernel, laneTarget, configuration), target(target),
      policy(configuration.policy), producerWarps(producerWarpsOf(kernel)) {}

unsigned KernelEmitter::threadsOfBlock() const {
  if (block)
    return static_cast<unsigned>(block->threads());
  return (threads.warpCount() + producerWarps) * target::warpSize;
}

// Entry

void KernelEmitter::emit(llvm::StringRef symbol, CodeSites *wanted) {
  sites = wanted;
  emitEntry(symbol);
  CodeSites::Scope scope(sites, b, kernel);
  emitBlock(kernel.getBody().front());
  if (takesClocks()) {
    noteEndOfWarp(/*isProducer=*/false);
    noteEndOfBlock();
  }
  b.CreateRetVoid();
}

/// Arrays of a launch lie in global memory, whatever pointers can reach.
llvm::Type *KernelEmitter::parameterType(Type type) {
  return llvm::isa<tile::PointerType>(type) ? b.getPtrTy(NvptxLaneTarget().addressSpace())
                                            : lanes.memoryType(type);
}

llvm::Value *KernelEmitter::inReach(llvm::Argument &argument) {
  bool isAnywhere = isOfThreads() && argument.getType()->isPointerTy();
  return isAnywhere ? b.CreateAddrSpaceCast(&argument, b.getPtrTy()) : &argument;
}

void KernelEmitter::emitEntry(llvm::StringRef symbol) {
  llvm::SmallVector<llvm::Type *> types;
  for (Type type : kernel.getArgumentTypes())
    types.push_back(parameterType(type));
  bool isPrinting =
      kernel.walk([](tile::PrintOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (isPrinting)
    types.push_back(llvm::PointerType::get(b.getContext(), NvptxLaneTarget().addressSpace()));
  size_t firstOfClocks = types.size();
  if (takesClocks())
    addClockParameters(types);
  size_t firstOfGrid = types.size();
  bool isLooping =
      kernel.walk([](nv::ProgramsOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (isLooping)
    types.append(3, b.getInt32Ty());
  kernel.walk([&](nv::BoxOp box) { boxOps.push_back(box); });
  auto *pointer = llvm::PointerType::get(b.getContext(), 0);
  types.append(boxOps.size(), pointer);
  function = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), types, false),
                                    llvm::Function::ExternalLinkage, symbol, module);
  function->setCallingConv(llvm::CallingConv::PTX_Kernel);
  if (sites)
    sites->begin(*function);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  // One block on an SM: setmaxnreg wants to know.
  if (producerWarps > 1)
    function->addFnAttr("nvvm.minctasm", "1");
  tile::BlockShape size = block.value_or(tile::BlockShape{threadsOfBlock(), 1, 1});
  function->addFnAttr("nvvm.reqntid", std::to_string(size.x) + "," + std::to_string(size.y) + "," +
                                          std::to_string(size.z));
  llvm::BasicBlock *entry = newBlock("entry"), *body = newBlock("body");
  b.SetInsertPoint(entry);
  threads.begin(b.CreateBr(body));
  b.SetInsertPoint(body);
  for (auto [value, argument] : llvm::zip_first(kernel.getArguments(), function->args()))
    values[value] = {lanes.fromMemory(inReach(argument), value.getType())};
  if (isPrinting)
    printBuffer = function->getArg(kernel.getNumArguments());
  for (unsigned axis = 0; isLooping && axis < 3; ++axis)
    gridArguments.push_back(function->getArg(firstOfGrid + axis));
  if (takesClocks())
    beginClocks(firstOfClocks);
  for (auto [i, box] : llvm::enumerate(boxOps))
    values[box->getResult(0)] = {tensorMap(function->arg_size() - boxOps.size() + i)};
}

// Operations

template <typename Operation, auto emit>
static void emitAs(KernelEmitter &kernel, mlir::Operation *op) {
  (kernel.*emit)(llvm::cast<Operation>(op));
}

template <typename Operation, auto emit>
static std::pair<TypeID, void (*)(KernelEmitter &, mlir::Operation *)> row() {
  return {TypeID::get<Operation>(), emitAs<Operation, emit>};
}

KernelEmitter::Emit KernelEmitter::emitterOf(Operation *op) {
  using E = KernelEmitter;
  static const std::pair<TypeID, Emit> rows[] = {
      row<arith::ConstantOp, &E::emitConstant>(),
      row<tile::RangeOp, &E::emitRange>(),
      row<tile::ProgramIdOp, &E::emitProgramId>(),
      row<tile::NumProgramsOp, &E::emitNumPrograms>(),
      row<tile::ThreadIdOp, &E::emitThreadId>(),
      row<tile::SharedOp, &E::emitSharedMemory>(),
      row<tile::LocalOp, &E::emitLocalMemory>(),
      row<tile::SyncThreadsOp, &E::emitSyncThreads>(),
      row<tile::SyncThreadsCountOp, &E::emitSyncThreadsCount>(),
      row<tile::SyncWarpOp, &E::emitSyncWarp>(),
      row<tile::ShuffleOp, &E::emitShuffle>(),
      row<tile::BallotOp, &E::emitBallot>(),
      row<tile::ActiveMaskOp, &E::emitActiveMask>(),
      row<tile::TableOp, &E::emitTable>(),
      row<tile::LoadOp, &E::emitLoad>(),
      row<tile::StoreOp, &E::emitStore>(),
      row<tile::PrintOp, &E::emitPrint>(),
      row<tile::BarrierOp, &E::emitBarrier>(),
      row<nv::SyncOp, &E::emitSync>(),
      row<nv::ClockOp, &E::emitClock>(),
      row<tile::AtomicRmwOp, &E::emitAtomicRmw>(),
      row<tile::AtomicCasOp, &E::emitAtomicCas>(),
      row<tile::ReduceOp, &E::emitReduce>(),
      row<tile::ScanOp, &E::emitScan>(),
      row<tile::GatherOp, &E::emitGather>(),
      row<tile::HistogramOp, &E::emitHistogram>(),
      row<tile::JoinOp, &E::emitJoin>(),
      row<tile::SplitOp, &E::emitSplit>(),
      row<tile::DotOp, &E::emitDot>(),
      row<nv::ConvertOp, &E::emitConvert>(),
      row<nv::AllocOp, &E::emitAlloc>(),
      row<nv::FreeOp, &E::emitFree>(),
      row<nv::SlotOp, &E::emitSlot>(),
      row<nv::ViewOp, &E::emitView>(),
      row<nv::ReadOp, &E::emitRead>(),
      row<nv::WriteOp, &E::emitWrite>(),
      row<nv::CopyOp, &E::emitCopy>(),
      row<nv::CommitCopiesOp, &E::emitCommitCopies>(),
      row<nv::AwaitCopiesOp, &E::emitAwaitCopies>(),
      row<nv::BoxOp, &E::emitBox>(),
      row<nv::RingOp, &E::emitRing>(),
      row<nv::FetchOp, &E::emitFetch>(),
      row<nv::AwaitSlotOp, &E::emitAwaitSlot>(),
      row<nv::ReleaseOp, &E::emitRelease>(),
      row<nv::FetchRowOp, &E::emitFetchRow>(),
      row<nv::ReadRowOp, &E::emitReadRow>(),
      row<nv::PrefetchRowOp, &E::emitPrefetchRow>(),
      row<nv::ProduceOp, &E::emitProduce>(),
      row<nv::ProgramsOp, &E::emitPrograms>(),
      row<nv::SendOp, &E::emitSend>(),
      row<nv::MultiplyAddOp, &E::emitMultiplyAdd>(),
      row<nv::MultiplyOp, &E::emitMultiply>(),
      row<nv::AwaitProductsOp, &E::emitAwaitProducts>(),
      row<nv::FinishOp, &E::emitFinish>(),
      row<scf::IfOp, &E::emitIf>(),
      row<scf::ForOp, &E::emitFor>(),
      row<scf::WhileOp, &E::emitWhile>(),
  };
  static const llvm::DenseMap<TypeID, Emit> emitters(std::begin(rows), std::end(rows));
  return emitters.lookup(op->getName().getTypeID());
}

void KernelEmitter::emitOperation(Operation *op) {
  CodeSites::Scope scope(sites, b, op);
  shared.takeFor(op);
  if (Emit emit = emitterOf(op))
    return emit(*this, op);
  if (tile::movesLanes(op))
    return emitMovement(op);
  if (isDivisionBesideProducer(op))
    return emitDivisionBesideProducer(op);
  emitLanewise(op);
}

} // namespace nereid::backend::nvptx
