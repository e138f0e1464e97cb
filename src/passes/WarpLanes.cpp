// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/WarpLanes.h"

using namespace mlir;

namespace nereid::passes {

static constexpr int64_t warpSize = 32;

static Value splat(ThreadLanes &lanes, int64_t value) {
  return lanes.spread(lanes.integer(value, 32));
}

static Value load(ThreadLanes &lanes, OpBuilder &b, Value pointer, Value mask) {
  return tile::LoadOp::create(b, lanes.loc(), tile::pointeeOf(pointer.getType()), pointer, mask,
                              Value(), tile::CacheModifierAttr(), tile::EvictionPolicyAttr(),
                              /*is_volatile=*/false);
}

static void store(ThreadLanes &lanes, OpBuilder &b, Value pointer, Value value, Value mask) {
  tile::StoreOp::create(b, lanes.loc(), pointer, value, mask, tile::CacheModifierAttr(),
                        tile::EvictionPolicyAttr());
}

Value shuffleLanes(ThreadLanes &lanes, OpBuilder &b, Value value, Value source, Value mask) {
  Location loc = lanes.loc();
  Type pointer = tile::PointerType::get(tile::elementOf(value.getType()));
  Value board = lanes.spread(lanes.sharedMemory(pointer, static_cast<uint64_t>(lanes.threads())));
  Value own = lanes.number();
  store(lanes, b, tile::OffsetOp::create(b, loc, board, own), value, mask);
  Value first = arith::AndIOp::create(b, loc, own, splat(lanes, -warpSize));
  Value lane = arith::AndIOp::create(b, loc, source, splat(lanes, warpSize - 1));
  Value wanted = arith::AddIOp::create(b, loc, first, lane);
  if (lanes.threads() % warpSize) {
    Value isThere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, wanted,
                                          splat(lanes, lanes.threads()));
    wanted = arith::SelectOp::create(b, loc, isThere, wanted, own);
  }
  return load(lanes, b, tile::OffsetOp::create(b, loc, board, wanted), mask);
}

Value ballotLanes(ThreadLanes &lanes, OpBuilder &b, Value holds, Value members) {
  Location loc = lanes.loc();
  Type words = lanes.typeOf(b.getI32Type());
  Value number = lanes.number();
  Value lane = arith::AndIOp::create(b, loc, number, splat(lanes, warpSize - 1));
  Value bit = arith::ShLIOp::create(b, loc, splat(lanes, 1), lane);
  Value zero = splat(lanes, 0);
  Value given = arith::SelectOp::create(b, loc, holds, bit, zero);
  uint64_t warps = static_cast<uint64_t>((lanes.threads() + warpSize - 1) / warpSize);
  Type pointer = tile::PointerType::get(b.getI32Type());
  Value warp = arith::ShRUIOp::create(b, loc, number, splat(lanes, 5));
  Value board =
      tile::OffsetOp::create(b, loc, lanes.spread(lanes.sharedMemory(pointer, warps)), warp);
  store(lanes, b, board, zero, Value());
  tile::AtomicRmwOp::create(b, loc, words, tile::AtomicKind::Or, board, given, Value(),
                            tile::MemoryOrder::Relaxed, tile::MemoryScope::Program);
  Value all = load(lanes, b, board, Value());
  return arith::AndIOp::create(b, loc, all, members);
}

} // namespace nereid::passes
