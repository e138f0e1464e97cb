// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/products/SharedFactors.h"

using namespace mlir;

namespace nereid::backend::gpu {

Value SharedFactors::findView(Value factor, llvm::function_ref<bool(nv::SharedType)> isReadable) {
  llvm::SmallVector<tile::PermuteOp> turns;
  while (auto permute = factor.getDefiningOp<tile::PermuteOp>()) {
    turns.push_back(permute);
    factor = permute.getSource();
  }
  auto read = factor.getDefiningOp<nv::ReadOp>();
  if (!read)
    return {};
  Value view = read.getSource();
  builder.setInsertionPoint(read);
  for (tile::PermuteOp turn : llvm::reverse(turns))
    view = nv::ViewOp::create(builder, dot.getLoc(), view,
                              llvm::to_vector_of<int32_t>(turn.getOrder()));
  return isReadable(llvm::cast<nv::SharedType>(view.getType())) ? view : Value();
}

Value SharedFactors::stage(Value factor, nv::SharedType type) {
  return stage(factor, type,
               [&](Value room) { nv::WriteOp::create(builder, dot.getLoc(), factor, room); });
}

Value SharedFactors::turn(Value view, nv::SharedType type) {
  return stage(view, type,
               [&](Value room) { nv::TurnOp::create(builder, dot.getLoc(), view, room); });
}

Value SharedFactors::stage(Value factor, nv::SharedType type, llvm::function_ref<void(Value)> put) {
  Location loc = dot.getLoc();
  Operation *user = factor.getParentBlock()->findAncestorOpInBlock(*dot);
  builder.setInsertionPoint(user);
  Value room = nv::AllocOp::create(builder, loc, type, 1, IntegerAttr());
  put(room);
  if (user == dot) {
    rooms.push_back(room);
    return room;
  }
  Operation *last = user;
  while (llvm::isa<nv::FinishOp>(last->getNextNode()))
    last = last->getNextNode();
  builder.setInsertionPointAfter(last);
  nv::FreeOp::create(builder, loc, room);
  return room;
}

void SharedFactors::freeRooms(OpBuilder &builder) {
  for (Value room : llvm::reverse(rooms))
    nv::FreeOp::create(builder, dot.getLoc(), room);
}

} // namespace nereid::backend::gpu
