// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans: by runs where every element before one is there, element for element elsewhere.
#include "backend/gpu/emit/Scan.h"
#include "support/Check.h"

using namespace mlir;

namespace nereid::backend::gpu {

namespace {

using Values = Combiner::Values;

/// For each bit of the coordinate along the axis, the bit of the place that it is.
llvm::SmallVector<PlaceBits> bitsAlong(const layout::LinearLayout &layout, unsigned axis) {
  llvm::SmallVector<PlaceBits> result(layout.outputs()[axis].bits);
  const std::pair<const char *, unsigned PlaceBits::*> spaces[] = {
      {layout::Warp, &PlaceBits::warps},
      {layout::Lane, &PlaceBits::lanes},
      {layout::Register, &PlaceBits::registers}};
  for (auto [space, mask] : spaces)
    for (auto [bit, basis] : llvm::enumerate(layout.bases(space))) {
      uint64_t step = layout::unpack(layout.outputs(), basis)[axis];
      if (!step)
        continue;
      NEREID_CHECK(std::has_single_bit(basis), "a thread's bit steps along two dimensions");
      PlaceBits &place = result[std::countr_zero(step)];
      place = {};
      place.*mask = 1u << bit;
    }
  return result;
}

uint64_t bytesOf(llvm::Type *type) {
  return type->isPointerTy() ? 8 : llvm::divideCeil(type->getScalarSizeInBits(), 8);
}

} // namespace

Scan::Slots Scan::give(llvm::ArrayRef<Values> elements, llvm::ArrayRef<unsigned> registers,
                       unsigned fixed, unsigned givers, llvm::Value *warp) {
  Slots slots;
  const unsigned count = elements[0].size();
  slots.laneBits = threads.laneBitCount() - std::popcount(fixed);
  slots.ofNumber = uint64_t(threads.warpCount()) << slots.laneBits;
  for (llvm::Value *value : elements[0])
    slots.bytes = std::max(slots.bytes, bytesOf(value->getType()));
  slots.base = shared.beginWriting(slots.ofNumber * registers.size() * count * slots.bytes);
  slots.lane = bitsSideBySide(b, threads.lane(), ~fixed & ((1u << threads.laneBitCount()) - 1));
  llvm::Value *isGiver =
      fixed ? b.CreateICmpEQ(b.CreateAnd(threads.lane(), fixed), b.getInt32(givers)) : nullptr;
  for (auto [i, r] : llvm::enumerate(registers))
    for (auto [j, value] : llvm::enumerate(elements[r]))
      shared.store(value, address(slots, warp, b.getInt32(i * count + j)), isGiver);
  shared.beginReading();
  return slots;
}

llvm::Value *Scan::address(const Slots &slots, llvm::Value *warp, llvm::Value *number) {
  llvm::Value *row = b.CreateShl(warp, slots.laneBits);
  llvm::Value *slot =
      b.CreateAdd(b.CreateAdd(row, slots.lane), b.CreateMul(number, b.getInt32(slots.ofNumber)));
  return b.CreateAdd(slots.base, b.CreateMul(slot, b.getInt32(slots.bytes)));
}

void emitScan(EmitContext &c, tile::ScanOp op) {
  Type type = op.getSources()[0].getType();
  llvm::SmallVector<Values> elements(registerCount(type));
  for (Value source : op.getSources())
    for (auto [element, value] : llvm::zip(elements, c.registersOf(source)))
      element.push_back(value);
  Combiner combine(c.lanes, op.getCombine().front(), [&](Value value) { return c.scalar(value); });
  Scan scan{c.b,
            c.threads,
            c.shared,
            c.policy,
            std::move(combine),
            nv::layoutOf(type),
            op.getAxis(),
            tile::shapeOf(type)[op.getAxis()],
            op.getReverse()};
  const llvm::SmallVector<PlaceBits> bits = bitsAlong(scan.layout, scan.axis);
  const bool mayBeginBeyond = scan.isReverse && !std::has_single_bit(uint64_t(scan.size));
  (mayBeginBeyond ? scanSteps : scanRuns)(scan, elements, bits);
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    Registers registers;
    for (const Values &element : elements)
      registers.push_back(element[i]);
    c.values[result] = std::move(registers);
  }
}

} // namespace nereid::backend::gpu
