// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between element types. Each rounds once.
#include "interpret/operations/Elementwise.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace nereid::interpret {

template <bool isSigned> static Step planIntegers(Planner &planner, Operation &op) {
  Slot a = planner.slotOf(op.getOperand(0)), out = planner.define(op.getResult(0));
  return visitInteger(a.kind, [=](auto from) {
    return visitInteger(out.kind, [=](auto to) -> Step {
      using From = typename decltype(from)::Storage;
      using To = typename decltype(to)::Storage;
      return loop<To, From>(out, a, [=](From x) {
        return to.wrap(isSigned ? uint64_t(from.signExtend(x)) : from.zeroExtend(x));
      });
    });
  });
}

/// A double that rounds to any format of 16 bits or fewer as the integer itself would: what does
/// not fit into its mantissa is gathered in the lowest bit, which is too low to be mistaken for a
/// tie.
static double roundedToOdd(uint64_t magnitude) {
  int excess = std::max(0, 64 - std::countl_zero(magnitude) - 53);
  uint64_t kept = magnitude >> excess;
  bool isInexact = kept << excess != magnitude;
  return std::ldexp(double(kept | uint64_t(isInexact)), excess);
}

template <typename To, typename Integer> static typename To::Storage floatFrom(Integer value) {
  if constexpr (sizeof(typename To::Storage) > 2)
    return typename To::Storage(value);
  else if (value < 0)
    return To::round(-roundedToOdd(-uint64_t(value)));
  else
    return To::round(roundedToOdd(uint64_t(value)));
}

template <bool isSigned> static Step planToFloat(Planner &planner, Operation &op) {
  Slot a = planner.slotOf(op.getOperand(0)), out = planner.define(op.getResult(0));
  return visitInteger(a.kind, [=](auto from) {
    return visitFloat(out.kind, [=](auto to) -> Step {
      using From = typename decltype(from)::Storage;
      using To = typename decltype(to)::Storage;
      return loop<To, From>(out, a, [=](From x) {
        if constexpr (isSigned)
          return floatFrom<decltype(to)>(from.signExtend(x));
        else
          return floatFrom<decltype(to)>(from.zeroExtend(x));
      });
    });
  });
}

/// The nearest integer that `width` bits can hold, after dropping the fraction; 0 for NaN.
template <bool isSigned> static uint64_t saturated(double value, unsigned width) {
  if (std::isnan(value))
    return 0;
  double limit = std::ldexp(1.0, int(width) - isSigned); // the first that is too large
  double low = isSigned ? -limit : 0;
  if (value >= limit)
    return isSigned ? (uint64_t(1) << (width - 1)) - 1 : ~uint64_t(0);
  if (value <= low)
    return isSigned ? uint64_t(1) << (width - 1) : 0;
  return isSigned ? uint64_t(int64_t(value)) : uint64_t(value);
}

template <bool isSigned> static Step planToInteger(Planner &planner, Operation &op) {
  Slot a = planner.slotOf(op.getOperand(0)), out = planner.define(op.getResult(0));
  return visitFloat(a.kind, [=](auto from) {
    return visitInteger(out.kind, [=](auto to) -> Step {
      using From = typename decltype(from)::Storage;
      using To = typename decltype(to)::Storage;
      return loop<To, From>(out, a, [=](From x) {
        return to.wrap(saturated<isSigned>(double(from.load(x)), to.width));
      });
    });
  });
}

static Step planFloatCast(Planner &planner, Operation &op) {
  if (auto truncation = llvm::dyn_cast<arith::TruncFOp>(op)) {
    auto mode = truncation.getRoundingmode();
    NEREID_CHECK(!mode || *mode == arith::RoundingMode::to_nearest_even,
                 "arith.truncf with a rounding mode the interpreter does not know");
  }
  Slot a = planner.slotOf(op.getOperand(0)), out = planner.define(op.getResult(0));
  return visitFloat(a.kind, [=](auto from) {
    return visitFloat(out.kind, [=](auto to) -> Step {
      using From = typename decltype(from)::Storage;
      using To = typename decltype(to)::Storage;
      return loop<To, From>(out, a, [=](From x) { return to.round(double(from.load(x))); });
    });
  });
}

static Step planBitcast(Planner &planner, Operation &op) {
  Slot a = planner.slotOf(op.getOperand(0)), out = planner.define(op.getResult(0));
  NEREID_CHECK(bytesOf(a.kind) == bytesOf(out.kind), "arith.bitcast between sizes");
  return [=](Execution &) { std::memcpy(out.data, a.data, out.count() * bytesOf(out.kind)); };
}

void addCastOperations(OperationTable &table) {
  table.add<arith::ExtSIOp>(planIntegers<true>);
  table.add<arith::ExtUIOp>(planIntegers<false>);
  table.add<arith::TruncIOp>(planIntegers<false>);
  table.add<arith::SIToFPOp>(planToFloat<true>);
  table.add<arith::UIToFPOp>(planToFloat<false>);
  table.add<arith::FPToSIOp>(planToInteger<true>);
  table.add<arith::FPToUIOp>(planToInteger<false>);
  table.add<arith::ExtFOp>(planFloatCast);
  table.add<arith::TruncFOp>(planFloatCast);
  table.add<tile::NarrowOp>(planFloatCast);
  table.add<arith::BitcastOp>(planBitcast);
}

} // namespace nereid::interpret
