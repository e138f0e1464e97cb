// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The context of emission, and what each lane computes by itself.
#include "backend/gpu/emit/Emit.h"

#include "backend/gpu/layouts/AccessWidth.h"
#include "dialect/nv/LaneSources.h"
#include "support/Check.h"

using namespace mlir;

namespace nereid::backend::gpu {

EmitContext::EmitContext(llvm::Module &module, func::FuncOp kernel, const LaneTarget &laneTarget,
                         const Configuration &configuration,
                         std::function<void(Operation *)> emitOperation)
    : module(module), kernel(kernel), axes(kernel), b(module.getContext()), lanes(b, laneTarget),
      instructions(configuration.instructions), policy(configuration.policy),
      threads(b, *instructions, configuration.warps, configuration.laneBits()),
      shared(module, b, *instructions, configuration.threads(), configuration.machine.lanesPerWarp),
      block(tile::blockOf(kernel)), emitOperation(std::move(emitOperation)) {
  threads.whenMeeting([this] { shared.countWarpBarrier(); });
}

const Registers &EmitContext::registersOf(Value value) const {
  auto found = values.find(value);
  NEREID_CHECK(found != values.end(), "a value is used before it is computed");
  return found->second;
}

llvm::BasicBlock *EmitContext::newBlock(llvm::StringRef name) {
  return llvm::BasicBlock::Create(b.getContext(), name, function);
}

unsigned registerCount(Type type) {
  return tile::isTile(type) ? 1u << nv::layoutOf(type).bases(layout::Register).size() : 1;
}

llvm::Value *isInside(EmitContext &c, Type tile, unsigned reg) {
  llvm::Value *inside = nullptr;
  layout::Shape padded = nv::paddedShape(tile);
  for (auto [dim, size] : llvm::enumerate(tile::shapeOf(tile))) {
    if (padded[dim] == static_cast<uint64_t>(size))
      continue;
    llvm::Value *at = c.threads.coordinate(nv::layoutOf(tile), dim, reg);
    llvm::Value *isBefore = c.b.CreateICmpULT(at, c.b.getInt32(size));
    inside = inside ? c.b.CreateAnd(inside, isBefore) : isBefore;
  }
  return inside;
}

void emitBlock(EmitContext &c, Block &block) {
  for (Operation &op : block.without_terminator())
    c.emitOperation(&op);
}

/// Each register of the results from one register of each operand.
void emitLanewise(EmitContext &c, Operation *op) {
  Type type = op->getResult(0).getType();
  unsigned count = registerCount(type);
  llvm::SmallVector<llvm::SmallVector<unsigned>, 3> sources;
  for (OpOperand &operand : op->getOpOperands())
    sources.push_back(tile::isTile(operand.get().getType())
                          ? nv::sourceRegisters(operand, nv::layoutOf(type))
                          : llvm::SmallVector<unsigned>(count, 0));
  for (Value result : op->getResults())
    c.values[result].resize(count);
  unsigned alike = registersAlike(c.axes, op);
  for (unsigned r = 0; r < count; ++r) {
    if (r % alike) {
      Registers &own = c.values[op->getResult(0)];
      own[r] = own[r - 1];
      continue;
    }
    llvm::SmallVector<llvm::Value *, 3> operands;
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      operands.push_back(c.registersOf(operand)[sources[i][r]]);
    auto results = c.lanes.emit(op, operands);
    NEREID_CHECK(!results.empty(), "no code for operation " + op->getName().getStringRef().str());
    for (auto [result, value] : llvm::zip(op->getResults(), results))
      c.values[result][r] = value;
  }
}

void emitConstant(EmitContext &c, arith::ConstantOp op) {
  if (auto splat = llvm::dyn_cast<SplatElementsAttr>(op.getValue()))
    c.values[op].assign(registerCount(op.getType()),
                        c.lanes.constant(splat.getSplatValue<Attribute>(), splat.getElementType()));
  else
    c.values[op] = {c.lanes.constant(op.getValue(), op.getType())};
}

void emitRange(EmitContext &c, tile::RangeOp op) {
  Registers result;
  for (unsigned r = 0; r < registerCount(op.getType()); ++r)
    result.push_back(c.b.CreateAdd(c.threads.coordinate(nv::layoutOf(op.getType()), 0, r),
                                   c.b.getInt32(op.getStart())));
  c.values[op] = std::move(result);
}

} // namespace nereid::backend::gpu
