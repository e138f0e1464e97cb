// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Strides.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

#include <map>

using namespace mlir;

namespace nereid::analysis {
namespace {

using Stride = std::optional<int64_t>;

/// The one value of a tile that is the same everywhere and known.
Stride uniformConstant(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) && constant.getSignificantBits() <= 64)
    return constant.getSExtValue();
  Operation *op = value.getDefiningOp();
  return op && tile::movesLanes(op) ? uniformConstant(op->getOperand(0)) : std::nullopt;
}

/// One question and the answers found on the way, since values are used more than once.
class Search {
public:
  Stride along(Value value, unsigned dim) {
    llvm::ArrayRef<int64_t> shape = tile::shapeOf(value.getType());
    if (shape.empty() || shape[dim] == 1)
      return 0;
    auto key = std::pair(value.getAsOpaquePointer(), dim);
    if (auto found = known.find(key); found != known.end())
      return found->second;
    Operation *op = value.getDefiningOp();
    Stride stride = op ? ofOperation(op, dim) : std::nullopt;
    return known[key] = fitting(value, shape[dim], stride);
  }

private:
  /// Nothing, if the elements along the dimension are further apart than the type can count: they
  /// would wrap and could meet.
  static Stride fitting(Value value, int64_t extent, Stride stride) {
    auto integer = llvm::dyn_cast<IntegerType>(tile::elementOf(value.getType()));
    if (!stride || !integer)
      return stride;
    std::optional<int64_t> span = llvm::checkedMul(*stride, extent - 1);
    bool fits = span && llvm::isIntN(std::min(integer.getWidth(), 64u), *span);
    return fits ? stride : std::nullopt;
  }

  Stride ofOperation(Operation *op, unsigned dim) {
    if (tile::movesLanes(op))
      return ofMovement(op, dim);
    return llvm::TypeSwitch<Operation *, Stride>(op)
        .Case([&](tile::RangeOp) { return 1; })
        .Case([&](arith::ConstantOp constant) {
          return llvm::isa<SplatElementsAttr>(constant.getValue()) ? Stride(0) : std::nullopt;
        })
        .Case<tile::OffsetOp, arith::AddIOp>([&](Operation *sum) {
          Stride lhs = along(sum->getOperand(0), dim), rhs = along(sum->getOperand(1), dim);
          return lhs && rhs ? llvm::checkedAdd(*lhs, *rhs) : std::nullopt;
        })
        .Case([&](arith::SubIOp difference) {
          Stride lhs = along(difference.getLhs(), dim), rhs = along(difference.getRhs(), dim);
          return lhs && rhs ? llvm::checkedSub(*lhs, *rhs) : std::nullopt;
        })
        .Case([&](arith::MulIOp product) { return ofProduct(product, dim); })
        .Case<arith::ExtSIOp, arith::ExtUIOp>(
            [&](Operation *widening) { return ofWidening(widening, dim); })
        .Default([](Operation *) { return std::nullopt; });
  }

  Stride ofProduct(arith::MulIOp op, unsigned dim) {
    Stride lhs = along(op.getLhs(), dim), rhs = along(op.getRhs(), dim);
    if (lhs == 0 && rhs == 0)
      return 0;
    if (Stride factor = uniformConstant(op.getRhs()); factor && lhs)
      return llvm::checkedMul(*factor, *lhs);
    if (Stride factor = uniformConstant(op.getLhs()); factor && rhs)
      return llvm::checkedMul(*factor, *rhs);
    return std::nullopt;
  }

  Stride ofMovement(Operation *op, unsigned dim) {
    if (!tile::isLanewise(op))
      return std::nullopt;
    OpOperand &source = op->getOpOperand(0);
    for (auto [from, to] : llvm::enumerate(tile::laneMapOf(source)))
      if (to == static_cast<int>(dim))
        return along(source.get(), from);
    return 0; // one lane serves the whole dimension
  }

  /// Neighbours stay neighbours unless the narrow value wraps between them.
  Stride ofWidening(Operation *op, unsigned dim) {
    Value source = op->getOperand(0);
    bool isKnownToKeep = isWideOffset(op) || isPlainRange(source);
    Stride stride = along(source, dim);
    return isKnownToKeep || stride == 0 ? stride : std::nullopt;
  }

  std::map<std::pair<void *, unsigned>, Stride> known;
};

} // namespace

bool isWideOffset(Operation *widening) {
  Type source = tile::elementOf(widening->getOperand(0).getType());
  return llvm::isa<arith::ExtSIOp>(widening) && source.getIntOrFloatBitWidth() >= 32;
}

bool isPlainRange(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto range = llvm::dyn_cast<tile::RangeOp>(op))
      return range.getStart() >= 0;
    if (!tile::movesLanes(op) && !llvm::isa<arith::ExtSIOp, arith::ExtUIOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

std::optional<int64_t> strideAlong(Value value, unsigned dim) { return Search().along(value, dim); }

} // namespace nereid::analysis
