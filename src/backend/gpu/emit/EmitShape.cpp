// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that only move elements: those of a thread change their registers, unless padding lies
// between them.
#include "backend/gpu/emit/Emit.h"
#include "dialect/nv/LaneSources.h"

using namespace mlir;

namespace nereid::backend::gpu {

void emitMovement(EmitContext &c, Operation *op) {
  OpOperand &source = op->getOpOperand(0);
  Type type = op->getResult(0).getType();
  bool isBetweenTiles = tile::isTile(source.get().getType()) && tile::isTile(type);
  if (isBetweenTiles && !nv::hasSourceElements(op))
    return emitReshapeInShared(c, llvm::cast<tile::ReshapeOp>(op));
  Registers from = c.registersOf(source.get()), result;
  if (isBetweenTiles)
    for (unsigned r : nv::sourceRegisters(source, nv::layoutOf(type)))
      result.push_back(from[r]);
  else if (tile::isTile(type))
    result.assign(registerCount(type), from[0]);
  else
    result = {from[0]}; // the one element, which every thread holds
  c.values[op->getResult(0)] = std::move(result);
}

/// A thread has both tiles' elements at the place of each of its own.
void emitJoin(EmitContext &c, tile::JoinOp op) {
  const layout::LinearLayout &layout = nv::layoutOf(op.getType());
  unsigned last = tile::shapeOf(op.getType()).size() - 1;
  llvm::SmallVector<unsigned> first = nv::sourceRegisters(op.getFirstMutable(), layout),
                              second = nv::sourceRegisters(op.getSecondMutable(), layout);
  Registers result;
  for (unsigned r = 0; r < registerCount(op.getType()); ++r)
    result.push_back(c.b.CreateSelect(
        c.b.CreateICmpEQ(c.threads.coordinate(layout, last, r), c.b.getInt32(0)),
        c.registersOf(op.getFirst())[first[r]], c.registersOf(op.getSecond())[second[r]]));
  c.values[op.getResult()] = std::move(result);
}

/// Both halves of each pair lie in one thread, as sourceLayout() asks for.
void emitSplit(EmitContext &c, tile::SplitOp op) {
  const layout::LinearLayout &half = nv::layoutOf(op.getFirst()),
                             &both = nv::layoutOf(op.getSource());
  llvm::DenseMap<layout::Vector, unsigned> registers;
  for (unsigned r = 0; r < registerCount(op.getSource().getType()); ++r)
    registers.try_emplace(both(r), r);
  const Registers source = c.registersOf(op.getSource());
  Registers first, second;
  for (unsigned r = 0; r < registerCount(op.getFirst().getType()); ++r) {
    // The last dimension is the lowest bit of an element's number.
    first.push_back(source[registers.at(half(r) << 1)]);
    second.push_back(source[registers.at(half(r) << 1 | 1)]);
  }
  c.values[op.getFirst()] = std::move(first);
  c.values[op.getSecond()] = std::move(second);
}

} // namespace nereid::backend::gpu
