// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Distances.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace mlir;

namespace nereid::analysis {
namespace {

/// Sums are taken apart: what all elements have in common, however odd, is no distance.
class Distances {
public:
  Distances(const AxisAnalysis &analysis, int64_t most) : analysis(analysis), most(most) {}

  /// In units of `bytes`.
  int64_t of(Value value, int64_t bytes) {
    if (!tile::isTile(value.getType()) || isUniform(value))
      return most;
    if (!value.getDefiningOp()) // carried by a loop
      return ofMultiples(value, bytes);
    return llvm::TypeSwitch<Operation *, int64_t>(value.getDefiningOp())
        .Case([&](tile::OffsetOp offset) {
          unsigned size = tile::byteSizeOf(tile::elementOf(tile::pointeeOf(offset.getType())));
          return std::min(of(offset.getPointer(), 1), of(offset.getOffset(), size));
        })
        .Case<arith::AddIOp, arith::SubIOp>([&](Operation *sum) {
          return std::min(of(sum->getOperand(0), bytes), of(sum->getOperand(1), bytes));
        })
        .Case<tile::ExpandDimsOp, tile::BroadcastOp, arith::ExtSIOp>(
            [&](Operation *same) { return of(same->getOperand(0), bytes); })
        .Default([&](Operation *) { return ofMultiples(value, bytes); });
  }

private:
  bool isUniform(Value value) const {
    return llvm::all_of(
        llvm::zip(tile::shapeOf(value.getType()), analysis.of(value).axes),
        [](auto extent) { return std::get<1>(extent).constancy >= std::get<0>(extent); });
  }

  /// All elements being multiples of something, where none is the next of another.
  int64_t ofMultiples(Value value, int64_t bytes) const {
    int64_t unit = most;
    for (const Axis &axis : analysis.of(value).axes)
      unit = std::min(unit, axis.contiguity > 1 ? bytes : axis.divisibility * bytes);
    return unit;
  }

  const AxisAnalysis &analysis;
  int64_t most;
};

} // namespace

int64_t unitOfDistances(const AxisAnalysis &analysis, Value pointer, int64_t most) {
  return Distances(analysis, most).of(pointer, 1);
}

} // namespace nereid::analysis
