// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of single threads out of shared memory: a loop over the depth.
#include "backend/gpu/emit/Emit.h"
#include "backend/gpu/emit/MultiplyAdd.h"
#include "backend/gpu/products/DotLayouts.h"

#include "dialect/nv/LaneSources.h"
#include "support/Check.h"

using namespace mlir;

namespace nereid::backend::gpu {

namespace {

/// One factor: what a thread reads of it for some steps along the depth, beginning with any that
/// is a multiple of their number.
class FactorReader {
public:
  FactorReader(nv::SharedType type, unsigned depthDimension, const layout::LinearLayout &result)
      : type(type), depthDimension(depthDimension) {
    unsigned rank = type.getShape().size();
    layout::Shape shape = layout::shapeOf(type.getLayout());
    held = factorLayout(result, shape, depthDimension == rank - 1 ? rank - 2 : rank - 1);
    bytes = tile::byteSizeOf(type.getElementType());
    access = layout::vectorAccess(held, type.getLayout(), bytes);
    for (auto [i, step] : llvm::enumerate(access.steps))
      for (unsigned reg : step.registers)
        stepOf[reg] = i;
    for (auto [element, reg] : nv::registersByElement(held))
      registerOf[element] = reg;
    layout::LinearLayout offsets = type.getLayout().inverse();
    for (uint64_t k = 1; k < shape[depthDimension]; k *= 2) {
      layout::Coordinates at(rank, 0);
      at[depthDimension] = k;
      depthBases.push_back(offsets(layout::pack(held.outputs(), at)) * bytes);
    }
  }

  /// Steps along the depth that one access takes in.
  uint64_t stepsTogether() const {
    uint64_t last = 0;
    for (unsigned reg : access.steps[0].registers)
      last = std::max(last, layout::unpack(held.outputs(), held(reg))[depthDimension]);
    return last + 1;
  }
  /// Accesses that begin inside the factor.
  uint64_t stepsInside() const {
    return llvm::count_if(access.steps, [&](const layout::SharedAccess::Step &step) {
      layout::Coordinates at = layout::unpack(held.outputs(), held(step.registers[0]));
      return int64_t(at[depthDimension]) < type.getShape()[depthDimension];
    });
  }
  /// The register that holds the element at a coordinate of the result and step `k`.
  unsigned registerAt(layout::Coordinates at, uint64_t k) const {
    at[depthDimension] = k;
    return registerOf.at(layout::pack(held.outputs(), at));
  }
  const layout::SharedAccess::Step &stepWith(unsigned reg) const {
    return access.steps[stepOf.at(reg)];
  }

  nv::SharedType type;
  unsigned depthDimension, bytes;
  layout::LinearLayout held;
  layout::SharedAccess access;
  std::vector<layout::Vector> depthBases; // by bits of the step, bytes

private:
  llvm::DenseMap<unsigned, unsigned> stepOf;
  llvm::DenseMap<layout::Vector, unsigned> registerOf;
};

/// Its registers for the steps from `first` on, each loaded when it is first asked for.
class FactorChunk {
public:
  FactorChunk(const FactorReader &reader, LaneBuilder &lanes, Threads &threads, SharedStack &shared,
              llvm::Value *base, llvm::Value *first)
      : reader(reader), lanes(lanes), b(lanes.builder()), shared(shared), base(base) {
    layout::ThreadMap ofThread = reader.access.address;
    for (auto *bases : {&ofThread.lane, &ofThread.warp})
      for (layout::Vector &basis : *bases)
        reached |= basis *= reader.bytes;
    place = threads.apply(ofThread);
    if (llvm::Value *along = threads.linear(first, reader.depthBases))
      place = b.CreateXor(place, along);
    for (layout::Vector basis : reader.depthBases)
      reached |= basis;
  }

  llvm::Value *operator()(const layout::Coordinates &at, uint64_t k) {
    unsigned reg = reader.registerAt(at, k);
    if (!loaded.contains(reg))
      load(reader.stepWith(reg));
    return loaded.at(reg);
  }

private:
  void load(const layout::SharedAccess::Step &step) {
    Type element = reader.type.getElementType();
    uint64_t offset = uint64_t(step.offset) * reader.bytes;
    // As a sum, the constant can become an offset of an address.
    llvm::Value *at = reached & offset ? b.CreateXor(place, b.getInt32(offset))
                                       : b.CreateAdd(place, b.getInt32(offset));
    unsigned count = step.registers.size();
    llvm::Value *vector = b.CreateAlignedLoad(
        llvm::FixedVectorType::get(lanes.memoryType(element), count),
        shared.pointer(b.CreateAdd(base, at)), llvm::Align(count * reader.bytes));
    for (auto [i, reg] : llvm::enumerate(step.registers))
      loaded[reg] = lanes.fromMemory(b.CreateExtractElement(vector, i), element);
  }

  const FactorReader &reader;
  LaneBuilder &lanes;
  Builder &b;
  SharedStack &shared;
  llvm::Value *base, *place;
  layout::Vector reached = 0; // bits of the place that differ
  llvm::DenseMap<unsigned, llvm::Value *> loaded;
};

} // namespace

void emitMultiplyAdd(EmitContext &c, nv::MultiplyAddOp op) {
  auto lhsType = llvm::cast<nv::SharedType>(op.getLhs().getType());
  auto rhsType = llvm::cast<nv::SharedType>(op.getRhs().getType());
  layout::LinearLayout result = op.resultLayout();
  unsigned rank = lhsType.getShape().size();
  FactorReader lhs(lhsType, rank - 1, result), rhs(rhsType, rank - 2, result);
  // Over all steps along the depth each is read once, but for those beyond the factors' end.
  for (const FactorReader *factor : {&lhs, &rhs})
    c.shared.countRead(factor->access, factor->stepsInside());
  MultiplyAdd product(c.lanes, lhsType.getElementType(), tile::elementOf(op.getType()));
  Registers sums = c.registersOf(op.getAccumulator());
  for (llvm::Value *&sum : sums)
    sum = product.begin(sum);

  auto addSteps = [&](llvm::Value *first, uint64_t count) {
    FactorChunk rows(lhs, c.lanes, c.threads, c.shared, c.scalar(op.getLhs()), first);
    FactorChunk columns(rhs, c.lanes, c.threads, c.shared, c.scalar(op.getRhs()), first);
    for (uint64_t k = 0; k < count; ++k)
      for (auto [r, sum] : llvm::enumerate(sums)) {
        layout::Coordinates at = layout::unpack(result.outputs(), result(r));
        sum = product.add(sum, rows(at, k), columns(at, k));
      }
  };
  uint64_t depth = lhsType.getShape()[rank - 1];
  uint64_t steps =
      std::max<uint64_t>({lhs.stepsTogether(), rhs.stepsTogether(), c.policy.multiply_steps});
  uint64_t end = depth / steps * steps;
  if (end > 0)
    emitRounds(c, end / steps, sums, [&](llvm::Value *round) {
      addSteps(c.b.CreateMul(round, c.b.getInt32(steps)), steps);
    });
  if (end < depth)
    addSteps(c.b.getInt32(end), depth - end);
  for (llvm::Value *&sum : sums)
    sum = product.end(sum);
  c.values[op] = std::move(sums);
}

/// `body` changes what is carried.
void emitRounds(EmitContext &c, uint64_t count, Registers &carried,
                llvm::function_ref<void(llvm::Value *)> body) {
  llvm::BasicBlock *before = c.b.GetInsertBlock(), *inside = c.newBlock("steps"),
                   *after = c.newBlock("endsteps");
  c.b.CreateBr(inside);
  c.b.SetInsertPoint(inside);
  CodeSites::Scope scope(c.sites, c.b, count);
  llvm::PHINode *round = c.b.CreatePHI(c.b.getInt32Ty(), 2);
  round->addIncoming(c.b.getInt32(0), before);
  llvm::SmallVector<llvm::PHINode *> values;
  for (llvm::Value *&value : carried) {
    values.push_back(c.b.CreatePHI(value->getType(), 2));
    values.back()->addIncoming(value, before);
    value = values.back();
  }
  body(round);
  llvm::Value *next = c.b.CreateAdd(round, c.b.getInt32(1));
  round->addIncoming(next, c.b.GetInsertBlock());
  for (auto [phi, value] : llvm::zip(values, carried))
    phi->addIncoming(value, c.b.GetInsertBlock());
  c.b.CreateCondBr(c.b.CreateICmpEQ(next, c.b.getInt32(count)), after, inside);
  c.b.SetInsertPoint(after);
}

} // namespace nereid::backend::gpu
