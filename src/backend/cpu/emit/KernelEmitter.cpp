// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/emit/KernelEmitter.h"

#include "analysis/Strides.h"
#include "backend/cpu/products/DotEmitter.h"
#include "backend/cpu/products/KeptPanels.h"
#include "support/Check.h"
#include "support/KernelArguments.h"

#include "llvm/Transforms/Utils/Local.h"

#include <set>

using namespace mlir;

namespace nereid::backend::cpu {

KernelEmitter::KernelEmitter(llvm::Module &module, func::FuncOp function, const StoragePlan &plan,
                             const target::CpuTarget &target,
                             std::vector<runtime::PrintSite> &prints, SourceLines *lines)
    : module(module), function(function), plan(plan), target(target), prints(prints), lines(lines),
      b(module.getContext()), laneTarget(target), laneBuilder(b, laneTarget),
      shareable(findShareableLoop(function)) {}

llvm::BasicBlock *KernelEmitter::newBlock(llvm::StringRef name) {
  return llvm::BasicBlock::Create(b.getContext(), name, entry);
}

llvm::BasicBlock *KernelEmitter::endOfProgram() {
  if (!programEnd)
    programEnd = newBlock("program.end");
  return programEnd;
}

llvm::Value *KernelEmitter::scratch(uint64_t offset) {
  return b.CreateConstGEP1_64(b.getInt8Ty(), scratchBase, offset);
}

llvm::Value *KernelEmitter::scalar(Value value) const {
  auto found = scalars.find(value);
  NEREID_CHECK(found != scalars.end(), "a scalar is used before it is computed");
  return found->second;
}

void KernelEmitter::loop(llvm::Value *begin, llvm::Value *end, llvm::Value *step,
                         llvm::function_ref<void(llvm::Value *)> body, llvm::StringRef name) {
  llvm::BasicBlock *before = b.GetInsertBlock(), *inside = newBlock(name.str() + ".body"),
                   *after = newBlock(name.str() + ".end");
  b.CreateCondBr(b.CreateICmpSLT(begin, end), inside, after);
  b.SetInsertPoint(inside);
  llvm::PHINode *index = b.CreatePHI(begin->getType(), 2, name);
  index->addIncoming(begin, before);
  body(index);
  llvm::Value *next = b.CreateAdd(index, step);
  index->addIncoming(next, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpSLT(next, end), inside, after);
  b.SetInsertPoint(after);
}

void KernelEmitter::loop(int64_t begin, int64_t end, int64_t step,
                         llvm::function_ref<void(llvm::Value *)> body, llvm::StringRef name) {
  if (begin + step >= end)
    body(b.getInt64(begin));
  else
    loop(b.getInt64(begin), b.getInt64(end), b.getInt64(step), body, name);
}

// Entry and programs

static bool usesTiles(func::FuncOp function, const target::CpuTarget &target) {
  auto found = function.walk([&](tile::DotOp dot) {
    bool isTiles = DotShape(dot, target).form == DotForm::Tiles;
    return isTiles ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

void KernelEmitter::emit(llvm::StringRef symbol) {
  llvm::Type *pointer = b.getPtrTy(), *i64 = b.getInt64Ty();
  auto *type =
      llvm::FunctionType::get(b.getVoidTy(), {pointer, pointer, i64, i64, pointer, pointer}, false);
  entry = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, module);
  if (lines)
    lines->begin(*entry);
  entry->addFnAttr("target-cpu", target.cpu);
  entry->addFnAttr("prefer-vector-width", std::to_string(target.vectorBytes * 8));
  entry->addFnAttr(llvm::Attribute::NoUnwind);
  entry->getArg(4)->addAttr(
      llvm::Attribute::getWithAlignment(b.getContext(), llvm::Align(scratchAlignment)));
  entry->addParamAttr(4, llvm::Attribute::NoAlias);
  b.SetInsertPoint(newBlock("entry"));
  scratchBase = entry->getArg(4);
  context = entry->getArg(5);
  zeros = b.CreateAlloca(b.getInt64Ty());
  sink = b.CreateAlloca(b.getInt64Ty());
  b.CreateStore(b.getInt64(0), zeros);
  workLeft = b.CreateAlloca(b.getInt64Ty());
  b.CreateStore(b.getInt64(workBetweenLooks), workLeft);
  for (auto [i, argument] : llvm::enumerate(function.getArguments())) {
    llvm::Value *slot = b.CreateConstGEP1_64(
        b.getInt8Ty(), entry->getArg(0), i * sizeof(ArgumentSlot) + offsetof(ArgumentSlot, bits));
    scalars[argument] = b.CreateLoad(laneBuilder.laneType(argument.getType()), slot);
  }
  for (unsigned axis = 0; axis < 3; ++axis)
    gridSize[axis] =
        b.CreateLoad(b.getInt32Ty(), b.CreateConstGEP1_64(b.getInt32Ty(), entry->getArg(1), axis));
  if (shareable)
    readParts();
  if (plan.keepsPanels())
    forgetEarlierPanels(*this, function, context);
  bool hasTiles = usesTiles(function, target);
  if (hasTiles)
    configureTiles(b);
  emitPrograms();
  if (hasTiles)
    releaseTiles(b);
  emitStreamFence();
  b.CreateRetVoid();
}

/// An id that nobody asks for counts itself alone, which no pass takes for dead: its slot goes, and
/// with it two divisions and four instructions of a loop, which take 4 of the 50 million
/// instructions by which a sum of two arrays is compiled. The last axis first, since it waits for
/// the others.
static void forgetUnusedIds(llvm::ArrayRef<llvm::Value *> ids, llvm::Value *lastCarry,
                            llvm::ArrayRef<llvm::AllocaInst *> slots) {
  llvm::RecursivelyDeleteTriviallyDeadInstructions(lastCarry);
  for (size_t axis = ids.size(); axis-- > 0 && ids[axis]->hasOneUse();) {
    llvm::SmallVector<llvm::StoreInst *> stores;
    for (llvm::User *user : slots[axis]->users())
      if (auto *store = llvm::dyn_cast<llvm::StoreInst>(user))
        stores.push_back(store);
    for (llvm::StoreInst *store : stores) {
      llvm::Value *stored = store->getValueOperand();
      store->eraseFromParent();
      llvm::RecursivelyDeleteTriviallyDeadInstructions(stored);
    }
    NEREID_CHECK(slots[axis]->use_empty(), "an id is read elsewhere");
    slots[axis]->eraseFromParent();
  }
}

/// The loop over this thread's programs. Ids are counted x fastest: those of the first program by
/// divisions, which take as long as a short row, the others from the ids before. The parts of a
/// program come before the next one.
void KernelEmitter::emitPrograms() {
  llvm::Type *id = b.getInt32Ty();
  llvm::Value *x = b.CreateZExt(gridSize[0], b.getInt64Ty());
  llvm::Value *y = b.CreateZExt(gridSize[1], b.getInt64Ty());
  llvm::Value *first = entry->getArg(2);
  llvm::AllocaInst *nextPart = nullptr;
  if (shareable) {
    nextPart = laneBuilder.stackSlot(b.getInt64Ty());
    b.CreateStore(b.CreateURem(first, parts), nextPart);
    first = b.CreateUDiv(first, parts);
  }
  llvm::Value *rest = b.CreateUDiv(first, x);
  llvm::Value *start[] = {b.CreateURem(first, x), b.CreateURem(rest, y), b.CreateUDiv(rest, y)};
  llvm::AllocaInst *next[3];
  llvm::Value *lastCarry = nullptr;
  for (unsigned axis = 0; axis < 3; ++axis) {
    next[axis] = laneBuilder.stackSlot(id);
    b.CreateStore(b.CreateTrunc(start[axis], id), next[axis]);
  }
  auto body = [&](llvm::Value *index) {
    llvm::Value *carry = b.getInt32(1);
    if (shareable) {
      part = index;
      partOfProgram = b.CreateLoad(b.getInt64Ty(), nextPart);
      llvm::Value *sum = b.CreateAdd(partOfProgram, b.getInt64(1));
      llvm::Value *isOver = b.CreateICmpEQ(sum, parts);
      b.CreateStore(b.CreateSelect(isOver, b.getInt64(0), sum), nextPart);
      carry = b.CreateZExt(isOver, id);
    }
    for (unsigned axis = 0; axis < 3; ++axis) {
      programId[axis] = b.CreateLoad(id, next[axis]);
      llvm::Value *sum = b.CreateAdd(programId[axis], carry);
      llvm::Value *isOver = b.CreateICmpEQ(sum, gridSize[axis]);
      nextProgramId[axis] = b.CreateSelect(isOver, b.getInt32(0), sum);
      b.CreateStore(nextProgramId[axis], next[axis]);
      carry = lastCarry = b.CreateZExt(isOver, id);
    }
    emitBlock(function.getBody().front());
    if (programEnd) {
      b.CreateBr(programEnd);
      b.SetInsertPoint(programEnd);
    }
  };
  loop(entry->getArg(2), entry->getArg(3), b.getInt64(1), body, "program");
  forgetUnusedIds(programId, lastCarry, next);
}

void KernelEmitter::emitBlock(Block &block) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>())
      emitOperation(&op);
}

template <typename Operation, auto emit>
static void emitAs(KernelEmitter &kernel, mlir::Operation *op) {
  (kernel.*emit)(llvm::cast<Operation>(op));
}

KernelEmitter::Emit KernelEmitter::rootEmitterOf(Operation *op) {
  static const llvm::DenseMap<TypeID, Emit> emitters = {
      {TypeID::get<scf::ForOp>(), emitAs<scf::ForOp, &KernelEmitter::emitFor>},
      {TypeID::get<scf::IfOp>(), emitAs<scf::IfOp, &KernelEmitter::emitIf>},
      {TypeID::get<scf::WhileOp>(), emitAs<scf::WhileOp, &KernelEmitter::emitWhile>},
      {TypeID::get<tile::ReduceOp>(), emitAs<tile::ReduceOp, &KernelEmitter::emitReduce>},
      {TypeID::get<tile::ScanOp>(), emitAs<tile::ScanOp, &KernelEmitter::emitScan>},
      {TypeID::get<tile::HistogramOp>(), emitAs<tile::HistogramOp, &KernelEmitter::emitHistogram>},
      {TypeID::get<tile::GatherOp>(), emitAs<tile::GatherOp, &KernelEmitter::emitGather>},
      {TypeID::get<tile::DotOp>(), emitAs<tile::DotOp, &KernelEmitter::emitDot>},
      {TypeID::get<tile::StoreOp>(), emitAs<tile::StoreOp, &KernelEmitter::emitStore>},
      {TypeID::get<tile::JoinOp>(), emitAs<tile::JoinOp, &KernelEmitter::emitJoin>},
      {TypeID::get<tile::AtomicRmwOp>(), emitAs<tile::AtomicRmwOp, &KernelEmitter::emitAtomic>},
      {TypeID::get<tile::AtomicCasOp>(), emitAs<tile::AtomicCasOp, &KernelEmitter::emitAtomicCas>},
      {TypeID::get<tile::SharedOp>(), emitAs<tile::SharedOp, &KernelEmitter::emitShared>},
      {TypeID::get<tile::TableOp>(), emitAs<tile::TableOp, &KernelEmitter::emitTable>},
      {TypeID::get<tile::SyncThreadsOp>(),
       emitAs<tile::SyncThreadsOp, &KernelEmitter::emitSyncGrid>},
      {TypeID::get<tile::BarrierOp>(), emitAs<tile::BarrierOp, &KernelEmitter::emitBarrier>},
      {TypeID::get<tile::PrintOp>(), emitAs<tile::PrintOp, &KernelEmitter::emitPrint>},
      {TypeID::get<tile::ProgramIdOp>(), emitAs<tile::ProgramIdOp, &KernelEmitter::emitProgramId>},
      {TypeID::get<tile::NumProgramsOp>(),
       emitAs<tile::NumProgramsOp, &KernelEmitter::emitNumPrograms>},
  };
  return emitters.lookup(op->getName().getTypeID());
}

void KernelEmitter::emitTable(tile::TableOp op) {
  auto *numbers = llvm::ConstantDataArray::getString(b.getContext(), op.bytes(), /*AddNull=*/false);
  auto *table = new llvm::GlobalVariable(module, numbers->getType(), /*isConstant=*/true,
                                         llvm::GlobalValue::InternalLinkage, numbers, "table");
  table->setAlignment(llvm::Align(16));
  scalars[op.getResult()] = table;
}

void KernelEmitter::emitOperation(Operation *op) {
  SourceLines::Scope scope(lines, b, op);
  if (Emit emit = rootEmitterOf(op))
    return emit(*this, op);
  if (!tile::isTile(op->getResult(0).getType()))
    emitScalar(op);
  // A reshape that moves lanes is a view of stored memory; other tiles wait for their readers.
  else if (tile::isLanewise(op))
    for (Value result : op->getResults())
      if (plan.isStored(result) && !plan.isWrittenByReduction(result))
        writeTile(result, plan.offsetOf(result), /*isDefinition=*/true);
  if (tile::accessOf(op).acquires)
    b.CreateFence(llvm::AtomicOrdering::Acquire);
}

void KernelEmitter::emitScalar(Operation *op) {
  Value result = op->getResult(0);
  if (auto constant = llvm::dyn_cast<arith::ConstantOp>(op)) {
    scalars[result] = laneBuilder.constant(constant.getValue(), constant.getType());
  } else if (llvm::isa<tile::LoadOp, tile::ReshapeOp>(op)) {
    Nest nest(*this, {}, {}, 0, 1);
    scalars[result] = nest.evaluateScalar(op);
  } else {
    llvm::SmallVector<llvm::Value *, 3> operands;
    for (Value operand : op->getOperands())
      operands.push_back(scalar(operand));
    auto results = laneBuilder.emit(op, operands);
    NEREID_CHECK(!results.empty(), "no code for operation " + op->getName().getStringRef().str());
    for (auto [value, emitted] : llvm::zip(op->getResults(), results))
      scalars[value] = emitted;
  }
}

const analysis::AxisAnalysis &KernelEmitter::axes() const {
  if (!axesOfKernel)
    axesOfKernel.emplace(function);
  return *axesOfKernel;
}

// Loop nests over whole tiles

unsigned KernelEmitter::widthFor(llvm::ArrayRef<Value> roots, int64_t extent,
                                 unsigned registers) const {
  unsigned widest = 1;
  for (Value root : roots) {
    Type element = tile::elementOf(root.getType());
    // Narrow floats are computed in 32 bits.
    bool isSmallFloat = llvm::isa<FloatType>(element) && element.getIntOrFloatBitWidth() <= 16;
    widest = std::max(widest, isSmallFloat ? 4 : tile::byteSizeOf(element));
  }
  // What has no vector form is emitted lane by lane, so that code grows with the width: 32 lanes
  // are two registers of 4-byte lanes where registers are widest.
  unsigned mostLanes = 16 * std::max(registers, 2u);
  unsigned width = std::min(registers * target.vectorBytes / widest, mostLanes);
  return static_cast<unsigned>(std::min<uint64_t>(width, llvm::bit_floor<uint64_t>(extent)));
}

namespace {

/// What speaks for each dimension of a nest: one vote for each access that steps from element to
/// element along it.
class ContiguityVotes {
public:
  ContiguityVotes(const KernelEmitter &kernel, const StoragePlan &plan, size_t rank)
      : kernel(kernel), plan(plan), votes(rank, 0) {}

  /// Counts what the definition of `root` reads; `dims` are the coordinates of its elements.
  void addDefinition(Value root, const Coordinates &dims) {
    Operation *op = root.getDefiningOp();
    if (op && tile::isLanewise(op))
      addOperation(op, dims);
  }
  int &operator[](unsigned dim) { return votes[dim]; }

  /// Whether elements are neighbours along a dimension: all of them, or as many as a register has.
  /// Of the latter only what has an element for each of the nest's counts: the others are seldom
  /// loaded.
  bool isInOrder(Value pointer, unsigned dim) const {
    if (analysis::strideAlong(pointer, dim) == 1)
      return true;
    llvm::ArrayRef<int64_t> shape = tile::shapeOf(pointer.getType());
    return shape.size() == votes.size() && !llvm::is_contained(shape, 1) &&
           kernel.axes().of(pointer).axes[dim].contiguity % leastRun == 0;
  }

private:
  static constexpr int64_t leastRun = 16; // with 8 a sum of rows took 7 % longer than lane by lane

  void add(Value value, const Coordinates &dims) {
    if (!seen.insert({value.getAsOpaquePointer(), dims}).second)
      return;
    if (!plan.isStored(value))
      addDefinition(value, dims);
    else if (!dims.empty() && dims.back() != none)
      ++votes[dims.back()];
  }

  void addOperation(Operation *op, const Coordinates &dims) {
    if (auto load = llvm::dyn_cast<tile::LoadOp>(op)) {
      for (auto [dim, target] : llvm::enumerate(dims))
        if (target != none && isInOrder(load.getPointer(), dim))
          ++votes[target];
      return;
    }
    for (OpOperand &operand : op->getOpOperands())
      if (tile::isTile(operand.get().getType()))
        add(operand.get(), tile::mapThrough(tile::laneMapOf(operand), dims));
  }

  const KernelEmitter &kernel;
  const StoragePlan &plan;
  llvm::SmallVector<int, 4> votes;
  std::set<std::pair<void *, Coordinates>> seen;
};

} // namespace

unsigned KernelEmitter::vectorDimFor(llvm::ArrayRef<Value> roots, llvm::ArrayRef<int64_t> shape,
                                     Value written) const {
  Coordinates dims;
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    dims.push_back(shape[dim] == 1 ? none : static_cast<int>(dim));
  ContiguityVotes votes(*this, plan, shape.size());
  for (Value root : roots)
    if (tile::isTile(root.getType()))
      votes.addDefinition(root, dims);
  // Lanes can be gathered one by one as they are read, but scattering them costs more: a store in
  // order outweighs a load, and ties with two. Chosen so, not measured.
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    if (written && dims[dim] != none && votes.isInOrder(written, dim))
      votes[dim] += 2;
  unsigned best = shape.size() - 1;
  for (int dim = static_cast<int>(shape.size()) - 1; dim >= 0; --dim)
    if (shape[dim] > 1 && (votes[dim] > votes[best] || shape[best] == 1))
      best = dim;
  // Fewer than four lanes do not fill the smallest register (16 bytes of 4); the longest dimension
  // is then the better one.
  if (shape[best] < 4)
    best = std::distance(shape.begin(), llvm::max_element(shape));
  return best;
}

void KernelEmitter::writeTile(Value tile, uint64_t offset, bool isDefinition) {
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(tile.getType());
  unsigned vectorDim = vectorDimFor(tile, shape);
  unsigned width = widthFor(tile, shape[vectorDim], 2);
  if (isDefinition)
    width = widthOfRuns(tile, shape, vectorDim, width);
  Nest nest(*this, shape, innermostLast(shape.size(), vectorDim), vectorDim, width);
  nest.distinguishInactive();
  nest.turnLoads();
  if (isDefinition)
    nest.askAhead(tile.getDefiningOp());
  if (isDefinition)
    nest.expectDefinition(tile, nest.identity());
  else
    nest.expect(tile, nest.identity());
  nest.emit([&] {
    Lanes lanes = isDefinition ? nest.evaluateDefinition(tile, nest.identity())
                               : nest.evaluate(tile, nest.identity());
    nest.writeScratch(offset, shape, tile::elementOf(tile.getType()), nest.identity(),
                      nest.vector(lanes));
  });
}

void KernelEmitter::emitStore(Operation *op) {
  auto store = llvm::cast<tile::StoreOp>(op);
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(store.getPointer().getType());
  llvm::SmallVector<unsigned, 4> order;
  unsigned vectorDim = 0, width = 1;
  if (!shape.empty()) {
    vectorDim = vectorDimFor({store.getValue()}, shape, store.getPointer());
    width = widthFor({store.getValue()}, shape[vectorDim], 2);
    width = widthOfRuns({store.getValue(), store.getPointer(), store.getMask()}, shape, vectorDim,
                        width);
    order = innermostLast(shape.size(), vectorDim);
  }
  Nest nest(*this, shape, order, vectorDim, width);
  nest.turnStored();
  nest.expect(store.getValue(), nest.identity());
  nest.expectMask(store.getMask(), nest.identity());
  nest.skipWhereFalse(store.getMask(), nest.identity());
  if (plan.runsBackwards(op))
    nest.runBackwards(vectorDim);
  nest.stream(streamingOf(store));
  nest.askAhead(op);
  nest.emit([&] { nest.store(op, nest.identity()); });
}

/// Both halves lane for lane, so that each is computed once and memory is written in order.
void KernelEmitter::emitJoin(tile::JoinOp op) {
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(op.getFirst().getType());
  unsigned last = shape.size() - 1;
  unsigned width = widthFor({op.getFirst(), op.getSecond()}, shape[last], 2);
  Nest nest(*this, shape, innermostLast(shape.size(), last), last, width);
  for (Value half : op->getOperands())
    nest.expect(half, nest.identity());
  nest.emit([&] {
    Coordinates at = nest.identity();
    llvm::Value *first = nest.vector(nest.evaluate(op.getFirst(), at));
    llvm::Value *second = nest.vector(nest.evaluate(op.getSecond(), at));
    nest.writePairs(plan.offsetOf(op.getResult()), shape, tile::elementOf(op.getType()), at, first,
                    second);
  });
}

} // namespace nereid::backend::cpu
