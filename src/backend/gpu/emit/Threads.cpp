// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/emit/Threads.h"

#include <bit>

namespace nereid::backend::gpu {

using layout::Vector;

void Threads::begin(llvm::Instruction *end) {
  this->end = end;
  b.SetInsertPoint(end);
  threadId = target.threadId(b);
  laneId = b.CreateAnd(threadId, (1u << laneBits) - 1, "lane");
  warpId = warps > 1 ? b.CreateLShr(threadId, laneBits, "warp") : b.getInt32(0);
}

/// Bits whose vectors are neighbouring powers of two move together, by one mask and one shift.
llvm::Value *Threads::linear(llvm::Value *number, llvm::ArrayRef<Vector> bases) {
  llvm::Value *sum = nullptr;
  auto add = [&](llvm::Value *part) { sum = sum ? b.CreateXor(sum, part) : part; };
  for (size_t bit = 0; bit < bases.size();) {
    Vector basis = bases[bit];
    size_t next = bit + 1;
    if (std::has_single_bit(basis))
      while (next < bases.size() && bases[next] == basis << (next - bit))
        ++next;
    if (basis) {
      uint32_t mask = ((1u << (next - bit)) - 1) << bit;
      llvm::Value *bits = b.CreateAnd(number, mask);
      int shift = std::countr_zero(basis) - static_cast<int>(bit);
      if (!std::has_single_bit(basis))
        bits = b.CreateMul(b.CreateLShr(bits, bit), b.getInt32(basis));
      else if (shift > 0)
        bits = b.CreateShl(bits, shift);
      else if (shift < 0)
        bits = b.CreateLShr(bits, -shift);
      add(bits);
    }
    bit = next;
  }
  return sum;
}

llvm::Value *Threads::apply(const layout::ThreadMap &map) {
  llvm::Value *&value = known[{map.lane, map.warp}];
  if (value)
    return value;
  Builder::InsertPointGuard guard(b);
  b.SetInsertPoint(end);
  llvm::Value *ofLane = linear(laneId, map.lane), *ofWarp = linear(warpId, map.warp);
  if (ofLane && ofWarp)
    value = b.CreateXor(ofLane, ofWarp);
  else
    value = ofLane ? ofLane : ofWarp ? ofWarp : b.getInt32(0);
  return value;
}

llvm::Value *Threads::applyToWarp(const std::vector<Vector> &bases) {
  Builder::InsertPointGuard guard(b);
  b.SetInsertPoint(end);
  if (!uniformWarpId && warps > 1)
    uniformWarpId = shuffleFrom(warpId, b.getInt32(0));
  llvm::Value *value = warps > 1 ? linear(uniformWarpId, bases) : nullptr;
  return value ? value : b.getInt32(0);
}

llvm::Value *Threads::coordinate(const layout::LinearLayout &layout, unsigned dim, unsigned reg) {
  auto along = [&](const char *space) {
    std::vector<Vector> bases;
    for (Vector basis : layout.bases(space))
      bases.push_back(layout::unpack(layout.outputs(), basis)[dim]);
    return bases;
  };
  return applyWith({along(layout::Lane), along(layout::Warp)},
                   layout::combine(along(layout::Register), reg));
}

static Vector reachedBy(const layout::ThreadMap &map) {
  Vector reached = 0;
  for (const auto &bases : {map.lane, map.warp})
    for (Vector basis : bases)
      reached |= basis;
  return reached;
}

llvm::Value *Threads::applyWith(const layout::ThreadMap &map, Vector constant) {
  llvm::Value *ofThread = apply(map);
  // As a sum, the constant can become an offset of an address.
  if (!(reachedBy(map) & constant))
    return b.CreateAdd(ofThread, b.getInt32(constant), "", /*HasNUW=*/true, /*HasNSW=*/true);
  return b.CreateXor(ofThread, b.getInt32(constant));
}

std::pair<llvm::Value *, Vector> Threads::applyAndOffset(const layout::ThreadMap &map,
                                                         Vector constant) {
  const Vector turned = constant & reachedBy(map);
  return {b.CreateXor(apply(map), b.getInt32(turned)), constant & ~turned};
}

llvm::Value *Threads::isZero(unsigned mask) {
  llvm::Value *&test = zeroTests[mask];
  if (test)
    return test;
  Builder::InsertPointGuard guard(b);
  b.SetInsertPoint(end);
  test = b.CreateICmpEQ(b.CreateAnd(threadId, mask), b.getInt32(0));
  return test;
}

llvm::Value *bitsSideBySide(Builder &b, llvm::Value *number, unsigned mask) {
  llvm::Value *result = b.getInt32(0);
  unsigned place = 0;
  for (unsigned bit = 0; bit < 32; ++bit)
    if (mask & (1u << bit))
      result = b.CreateOr(result, b.CreateShl(b.CreateAnd(b.CreateLShr(number, bit), 1), place++));
  return result;
}

/// Places that hold one element differ by a vector of the kernel. Each class of them has one member
/// without the leading bits of the kernel's basis.
llvm::Value *Threads::isFirstHolder(const layout::LinearLayout &layout) {
  unsigned registerBits = layout.bases(layout::Register).size();
  uint64_t leading = 0;
  layout::Subspace kernel = layout.kernel();
  for (Vector vector : kernel.basis())
    leading |= std::bit_floor(vector);
  return leading ? isZero(leading >> registerBits) : nullptr;
}

} // namespace nereid::backend::gpu
