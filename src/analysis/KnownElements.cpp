// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/KnownElements.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using llvm::APInt;

namespace nereid::analysis {
namespace {

constexpr int64_t mostElements = 4096;  // of which each operation is done here
constexpr unsigned mostOperations = 64; // on the way to the ranges

using Element = std::optional<APInt>;

/// What an operation makes of one element of each operand; nothing if that is not known.
Element elementOf(Operation *op, llvm::ArrayRef<APInt> of) {
  const unsigned bits = getElementTypeOrSelf(op->getResult(0).getType()).getIntOrFloatBitWidth();
  auto shifted = [&](auto shift) -> Element {
    return of[1].ult(bits) ? Element(shift()) : std::nullopt;
  };
  auto divided = [&](auto divide) -> Element {
    const bool overflows = of[0].isMinSignedValue() && of[1].isAllOnes();
    return of[1].isZero() || overflows ? std::nullopt : Element(divide());
  };
  return llvm::TypeSwitch<Operation *, Element>(op)
      .Case([&](arith::AddIOp) { return of[0] + of[1]; })
      .Case([&](arith::SubIOp) { return of[0] - of[1]; })
      .Case([&](arith::MulIOp) { return of[0] * of[1]; })
      .Case([&](arith::AndIOp) { return of[0] & of[1]; })
      .Case([&](arith::OrIOp) { return of[0] | of[1]; })
      .Case([&](arith::XOrIOp) { return of[0] ^ of[1]; })
      .Case([&](arith::ShLIOp) { return shifted([&] { return of[0].shl(of[1]); }); })
      .Case([&](arith::ShRUIOp) { return shifted([&] { return of[0].lshr(of[1]); }); })
      .Case([&](arith::ShRSIOp) { return shifted([&] { return of[0].ashr(of[1]); }); })
      .Case([&](arith::DivSIOp) { return divided([&] { return of[0].sdiv(of[1]); }); })
      .Case([&](arith::RemSIOp) { return divided([&] { return of[0].srem(of[1]); }); })
      .Case([&](arith::DivUIOp) { return divided([&] { return of[0].udiv(of[1]); }); })
      .Case([&](arith::RemUIOp) { return divided([&] { return of[0].urem(of[1]); }); })
      .Case([&](arith::MaxSIOp) { return of[0].sgt(of[1]) ? of[0] : of[1]; })
      .Case([&](arith::MinSIOp) { return of[0].slt(of[1]) ? of[0] : of[1]; })
      .Case([&](arith::MaxUIOp) { return of[0].ugt(of[1]) ? of[0] : of[1]; })
      .Case([&](arith::MinUIOp) { return of[0].ult(of[1]) ? of[0] : of[1]; })
      .Case([&](arith::CmpIOp compare) {
        return APInt(1, arith::applyCmpPredicate(compare.getPredicate(), of[0], of[1]));
      })
      .Case([&](arith::SelectOp) { return of[0].isZero() ? of[2] : of[1]; })
      .Case([&](arith::ExtSIOp) { return of[0].sext(bits); })
      .Case([&](arith::ExtUIOp) { return of[0].zext(bits); })
      .Case([&](arith::TruncIOp) { return of[0].trunc(bits); })
      .Default([](Operation *) { return std::nullopt; });
}

class Known {
public:
  using Elements = std::optional<std::vector<APInt>>;

  Elements along(Value tile, unsigned axis) {
    llvm::ArrayRef<int64_t> shape = tile::shapeOf(tile.getType());
    if (axis >= shape.size() || shape[axis] > mostElements || ++operations > mostOperations ||
        !getElementTypeOrSelf(tile.getType()).isInteger())
      return std::nullopt;
    const size_t size = shape[axis];
    APInt all;
    if (matchPattern(tile, m_ConstantInt(&all)))
      return std::vector<APInt>(size, all);
    Operation *op = tile.getDefiningOp();
    if (auto range = llvm::dyn_cast_or_null<tile::RangeOp>(op)) {
      std::vector<APInt> elements;
      for (size_t i = 0; i < size; ++i)
        elements.emplace_back(32, uint64_t(int64_t(range.getStart()) + int64_t(i)), true);
      return elements;
    }
    if (auto splat = llvm::dyn_cast_or_null<tile::SplatOp>(op))
      return matchPattern(splat.getOperand(), m_ConstantInt(&all))
                 ? Elements(std::vector<APInt>(size, all))
                 : std::nullopt;
    if (auto expand = llvm::dyn_cast_or_null<tile::ExpandDimsOp>(op))
      return expand.getAxis() == axis
                 ? std::nullopt
                 : along(op->getOperand(0), axis - (expand.getAxis() < axis ? 1 : 0));
    if (llvm::isa_and_present<tile::BroadcastOp>(op)) {
      Elements source = along(op->getOperand(0), axis);
      return source && source->size() != size ? std::vector<APInt>(size, source->front()) : source;
    }
    const bool isOneForOne = op && op->getNumResults() == 1 && tile::isElementwise(op);
    return isOneForOne ? eachOf(op, axis, size) : std::nullopt;
  }

private:
  Elements eachOf(Operation *op, unsigned axis, size_t size) {
    std::vector<std::vector<APInt>> operands;
    for (Value operand : op->getOperands()) {
      Elements elements = tile::isTile(operand.getType()) ? along(operand, axis) : std::nullopt;
      if (!elements)
        return std::nullopt;
      operands.push_back(std::move(*elements));
    }
    std::vector<APInt> results;
    for (size_t i = 0; i < size; ++i) {
      llvm::SmallVector<APInt, 3> of;
      for (const std::vector<APInt> &operand : operands)
        of.push_back(operand[i]);
      Element element = elementOf(op, of);
      if (!element)
        return std::nullopt;
      results.push_back(std::move(*element));
    }
    return results;
  }

  unsigned operations = 0;
};

} // namespace

std::optional<std::vector<APInt>> knownElements(Value tile, unsigned axis) {
  return Known().along(tile, axis);
}

} // namespace nereid::analysis
