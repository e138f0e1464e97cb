// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans and histograms. Along the vector dimension, a scan combines the lanes of a register with
// those 1, 2, 4 ... places before, and then all with what came before the register; along another,
// every lane has a scan of its own.
#include "backend/cpu/emit/KernelEmitter.h"
#include "backend/llvm/Combine.h"

using namespace mlir;

namespace nereid::backend::cpu {

namespace {

using Values = Combiner::Values;

class ScanEmitter {
public:
  ScanEmitter(KernelEmitter &kernel, tile::ScanOp op)
      : kernel(kernel), b(kernel.builder()), lanes(kernel.lanes()), op(op),
        sources(op.getSources()), shape(tile::shapeOf(sources[0].getType())), axis(op.getAxis()),
        vectorDim(kernel.vectorDimFor(sources, shape)),
        combine(lanes, op.getCombine().front(),
                [&kernel](Value value) { return kernel.scalar(value); }) {}

  void emit() {
    // Along lanes, each step waits for the one before: a second register would only wait longer.
    unsigned width = kernel.widthFor(sources, shape[vectorDim], isAlongLanes() ? 1 : 2);
    carried.push_back(slotsFor(isAlongLanes() ? 1 : width));
    if (!isAlongLanes() && shape[vectorDim] % width != 0) // single lanes at the end
      carried.push_back(slotsFor(1));
    Nest nest(kernel, shape, loopOrder(), vectorDim, width);
    if (op.getReverse())
      nest.runBackwards(axis);
    for (Value source : sources)
      nest.expect(source, nest.identity());
    nest.emit([&] { emitStep(nest); }, [&] { clear(); });
  }

private:
  bool isAlongLanes() const { return vectorDim == axis; }

  llvm::SmallVector<unsigned, 4> loopOrder() const {
    llvm::SmallVector<unsigned, 4> order;
    for (unsigned dim = 0; dim < shape.size(); ++dim)
      if (dim != axis && dim != vectorDim)
        order.push_back(dim);
    if (!isAlongLanes())
      order.push_back(vectorDim);
    order.push_back(axis);
    return order;
  }

  /// Places for the last results, in stack slots that LLVM makes registers of.
  Values slotsFor(unsigned width) {
    Values slots;
    for (Value source : sources)
      slots.push_back(lanes.stackSlot(
          lanes.vectorOf(lanes.laneType(tile::elementOf(source.getType())), width)));
    return slots;
  }

  /// Until there is a result, the region is given zeros, and what it makes of them not taken.
  void clear() {
    for (const Values &slots : carried)
      for (llvm::Value *slot : slots) {
        llvm::Type *type = llvm::cast<llvm::AllocaInst>(slot)->getAllocatedType();
        b.CreateStore(llvm::Constant::getNullValue(type), slot);
      }
  }

  void emitStep(Nest &nest) {
    Values values, before;
    for (Value source : sources)
      values.push_back(nest.vector(nest.evaluate(source, nest.identity())));
    unsigned width = nest.width(), taken = isAlongLanes() ? width : 1;
    if (isAlongLanes())
      values = scanLanes(std::move(values), width);
    Values &slots = isAlongLanes() || width > 1 ? carried.front() : carried.back();
    for (llvm::Value *slot : slots) {
      llvm::Type *type = llvm::cast<llvm::AllocaInst>(slot)->getAllocatedType();
      before.push_back(lanes.splat(b.CreateLoad(type, slot), width));
    }
    Values combined = combine(before, values);
    int64_t first = op.getReverse() ? shape[axis] - taken : 0;
    llvm::Value *isFirst = b.CreateICmpEQ(nest.index(axis), b.getInt64(first));
    for (auto [i, result] : llvm::enumerate(op.getResults())) {
      llvm::Value *value = b.CreateSelect(isFirst, values[i], combined[i]);
      nest.writeScratch(kernel.storage().offsetOf(result), shape, tile::elementOf(result.getType()),
                        nest.identity(), value);
      if (isAlongLanes() && width > 1)
        value = b.CreateExtractElement(value, uint64_t(op.getReverse() ? 0 : width - 1));
      b.CreateStore(value, slots[i]);
    }
  }

  /// The scan of the lanes of one register.
  Values scanLanes(Values values, unsigned width) {
    for (unsigned distance = 1; distance < width; distance *= 2) {
      llvm::SmallVector<int> from;
      llvm::SmallVector<llvm::Constant *> hasPartner;
      for (unsigned lane = 0; lane < width; ++lane) {
        bool isInside = op.getReverse() ? lane + distance < width : lane >= distance;
        unsigned partner = op.getReverse() ? lane + distance : lane - distance;
        from.push_back(static_cast<int>(isInside ? partner : lane));
        hasPartner.push_back(b.getInt1(isInside));
      }
      Values before;
      for (llvm::Value *value : values)
        before.push_back(b.CreateShuffleVector(value, from));
      Values combined = combine(before, values);
      for (auto [value, wider] : llvm::zip(values, combined))
        value = b.CreateSelect(llvm::ConstantVector::get(hasPartner), wider, value);
    }
    return values;
  }

  KernelEmitter &kernel;
  Builder &b;
  LaneBuilder &lanes;
  tile::ScanOp op;
  llvm::SmallVector<Value> sources;
  llvm::ArrayRef<int64_t> shape;
  unsigned axis, vectorDim;
  Combiner combine;
  llvm::SmallVector<Values, 2> carried;
};

} // namespace

void KernelEmitter::emitScan(Operation *op) {
  ScanEmitter(*this, llvm::cast<tile::ScanOp>(op)).emit();
}

void KernelEmitter::emitHistogram(Operation *op) {
  auto histogram = llvm::cast<tile::HistogramOp>(op);
  Value source = histogram.getSource(), mask = histogram.getMask();
  Type counted = histogram.getType();
  llvm::Value *counts = scratch(plan.offsetOf(histogram.getResult()));
  b.CreateMemSet(counts, b.getInt8(0), storedBytes(counted), llvm::Align(scratchAlignment));
  Nest nest(*this, tile::shapeOf(source.getType()), {0}, /*vectorDim=*/0, /*width=*/1);
  nest.expect(source, nest.identity());
  nest.emit([&] {
    llvm::Value *value = nest.vector(nest.evaluate(source, nest.identity()));
    auto *bins = llvm::ConstantInt::get(value->getType(), tile::elementCount(counted));
    llvm::Value *isCounted = b.CreateICmpULT(value, bins);
    if (mask)
      isCounted = b.CreateAnd(isCounted, nest.vector(nest.evaluate(mask, nest.identity())));
    llvm::Value *place = b.CreateGEP(b.getInt32Ty(), counts, b.CreateZExt(value, b.getInt64Ty()));
    place = b.CreateSelect(isCounted, place, sinkSlot());
    llvm::Value *count = b.CreateAlignedLoad(b.getInt32Ty(), place, llvm::Align(4));
    b.CreateAlignedStore(b.CreateAdd(count, b.getInt32(1)), place, llvm::Align(4));
  });
}

} // namespace nereid::backend::cpu
