// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thread asks another of its warp for. Which lane that is, is computed for all executors
// alike; where it is so many up or down from the thread's own, or that with other bits, the
// instruction computes it.
#include "backend/nvptx/emit/Emit.h"

#include "analysis/IntegerRanges.h"
#include "dialect/tile/Tile.h"

#include "mlir/IR/Matchers.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

#include <array>

using namespace mlir;

namespace nereid::backend::nvptx {
namespace {

constexpr int64_t lastLane = 31;

bool isNumber(Value value, int64_t number) {
  llvm::APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) && constant.getSExtValue() == number;
}

/// By how much a sum of a thread's places grows along each axis of the block.
using GrowthByDimension = std::array<int64_t, 3>;

std::optional<GrowthByDimension> growthOf(Value value) {
  llvm::APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.isZero() ? std::optional(GrowthByDimension{}) : std::nullopt;
  Operation *op = value.getDefiningOp();
  if (auto id = llvm::dyn_cast_if_present<tile::ThreadIdOp>(op)) {
    GrowthByDimension growth{};
    growth[id.getAxis()] = 1;
    return growth;
  }
  if (!llvm::isa_and_present<arith::AddIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<GrowthByDimension> growth = growthOf(op->getOperand(0));
  if (llvm::isa<arith::MulIOp>(op)) {
    if (!growth || !matchPattern(op->getOperand(1), m_ConstantInt(&constant)))
      return std::nullopt;
    for (int64_t &each : *growth)
      each *= constant.getSExtValue();
    return growth;
  }
  std::optional<GrowthByDimension> other = growthOf(op->getOperand(1));
  if (!growth || !other)
    return std::nullopt;
  for (unsigned axis = 0; axis < 3; ++axis)
    (*growth)[axis] += (*other)[axis];
  return growth;
}

/// Whether it is the thread's place in its warp. Along an axis with one thread nothing grows.
bool isOwnLane(Value value, const tile::BlockShape &block) {
  auto masked = value.getDefiningOp<arith::AndIOp>();
  if (!masked || !isNumber(masked.getRhs(), lastLane))
    return false;
  std::optional<GrowthByDimension> growth = growthOf(masked.getLhs());
  return growth && (*growth)[0] == 1 && (block.y == 1 || (*growth)[1] == block.x) &&
         (block.z == 1 || (*growth)[2] == int64_t(block.x) * block.y);
}

/// The lane that is meant before those outside of the warp become the thread's own.
Value withinWarp(Value source) {
  auto choice = source.getDefiningOp<arith::SelectOp>();
  auto inside = choice ? choice.getCondition().getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  bool isGuard = inside && inside.getPredicate() == arith::CmpIPredicate::ult &&
                 inside.getLhs() == choice.getTrueValue() &&
                 isNumber(inside.getRhs(), lastLane + 1);
  return isGuard ? choice.getTrueValue() : Value();
}

/// Whether `source` gives back the thread's own lane where `meant` is none.
bool fallsBackTo(Value source, Value lane) {
  auto choice = source.getDefiningOp<arith::SelectOp>();
  return choice && choice.getFalseValue() == lane;
}

} // namespace

/// How a shuffle finds the lane: by which instruction, with what, and its limit of lanes.
struct Partner {
  llvm::Intrinsic::ID instruction;
  llvm::Value *lane;
  uint32_t limit;
};

/// The instruction that finds the lane by itself, and by how much that is away; or the lane.
static Partner partnerOf(KernelContext &c, tile::ShuffleOp op) {
  Value source = op.getSource(), guarded = withinWarp(source), meant = guarded ? guarded : source;
  Partner byIndex{llvm::Intrinsic::nvvm_shfl_sync_idx_i32, c.scalar(source), lastLane};
  Operation *sum = meant.getDefiningOp();
  if (!llvm::isa_and_present<arith::AddIOp, arith::SubIOp, arith::XOrIOp>(sum) ||
      !isOwnLane(sum->getOperand(0), *c.block) ||
      (guarded && !fallsBackTo(source, sum->getOperand(0))))
    return byIndex;
  Value distance = sum->getOperand(1);
  llvm::ConstantRange range = analysis::IntegerRanges(c.kernel).rangeOf(distance, op);
  auto isBetween = [&](int64_t least, int64_t most) {
    return range.getSignedMin().sge(least) && range.getSignedMax().sle(most);
  };
  if (llvm::isa<arith::XOrIOp>(sum)) // stays in the warp without a guard
    return isBetween(0, lastLane)
               ? Partner{llvm::Intrinsic::nvvm_shfl_sync_bfly_i32, c.scalar(distance), lastLane}
               : byIndex;
  if (!guarded)
    return byIndex;
  bool isBehind = llvm::isa<arith::SubIOp>(sum);
  if (isBetween(0, lastLane))
    return isBehind
               ? Partner{llvm::Intrinsic::nvvm_shfl_sync_up_i32, c.scalar(distance), 0}
               : Partner{llvm::Intrinsic::nvvm_shfl_sync_down_i32, c.scalar(distance), lastLane};
  if (!isBehind && isBetween(-lastLane, 0)) // as a difference of a constant is written
    return {llvm::Intrinsic::nvvm_shfl_sync_up_i32, c.b.CreateNeg(c.scalar(distance)), 0};
  return byIndex;
}

/// One word after the other.
void emitShuffle(KernelContext &c, tile::ShuffleOp op) {
  llvm::Value *value = c.scalar(op.getValue());
  llvm::Type *type = value->getType();
  llvm::Value *bits = c.b.CreateBitCast(value, c.b.getIntNTy(type->getPrimitiveSizeInBits()));
  Partner partner = partnerOf(c, op);
  auto exchange = [&](llvm::Value *word) {
    return c.b.CreateIntrinsic(
        c.b.getInt32Ty(), partner.instruction,
        {c.scalar(op.getMembers()), word, partner.lane, c.b.getInt32(partner.limit)});
  };
  llvm::Value *result;
  if (bits->getType() == c.b.getInt32Ty()) {
    result = exchange(bits);
  } else {
    llvm::Value *low = exchange(c.b.CreateTrunc(bits, c.b.getInt32Ty())),
                *high = exchange(c.b.CreateTrunc(c.b.CreateLShr(bits, 32), c.b.getInt32Ty()));
    result = c.b.CreateOr(c.b.CreateZExt(low, c.b.getInt64Ty()),
                          c.b.CreateShl(c.b.CreateZExt(high, c.b.getInt64Ty()), 32));
  }
  c.values[op.getResult()] = {c.b.CreateBitCast(result, type)};
}

} // namespace nereid::backend::nvptx
