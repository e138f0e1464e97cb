// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer arithmetic. Functions see operands extended to 64 bits; what they return is cut to the
// width, which is what wrapping means. Division by zero gives 0 (TileDialect.td).
#include "interpret/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <algorithm>

using namespace mlir;

namespace nereid::interpret {

using Unsigned = uint64_t;
using Signed = int64_t;

/// The minimum divided by -1 wraps to the minimum, so it is done as a negation without overflow.
static Signed divide(Signed x, Signed y) {
  if (y == 0)
    return 0;
  return y == -1 ? Signed(-Unsigned(x)) : x / y;
}

static Signed remainder(Signed x, Signed y) { return y == 0 || y == -1 ? 0 : x % y; }

static Signed floorDivide(Signed x, Signed y) {
  return divide(x, y) - (remainder(x, y) != 0 && (x < 0) != (y < 0));
}

static Signed ceilDivide(Signed x, Signed y) {
  return divide(x, y) + (remainder(x, y) != 0 && (x < 0) == (y < 0));
}

static Unsigned shiftRightSigned(Signed x, Signed y, unsigned width) {
  // The amount is unsigned: a negative one is too large.
  return Unsigned(x >> (Unsigned(y) < width ? Unsigned(y) : 63));
}

static Unsigned power(Signed base, Signed exponent) {
  if (exponent < 0) // the integer part of 1 / base^-exponent, and 0 for the undefined 1 / 0
    return base == 1 ? 1 : base == -1 ? (exponent & 1 ? Unsigned(-1) : 1) : 0;
  Unsigned result = 1, square = Unsigned(base);
  for (; exponent; exponent >>= 1, square *= square)
    if (exponent & 1)
      result *= square;
  return result;
}

static void addArithmetic(OperationTable &table) {
  addUnsigned<arith::AddIOp>(table, [](Unsigned x, Unsigned y) { return x + y; });
  addUnsigned<arith::SubIOp>(table, [](Unsigned x, Unsigned y) { return x - y; });
  addUnsigned<arith::MulIOp>(table, [](Unsigned x, Unsigned y) { return x * y; });
  addUnsigned<arith::DivUIOp>(table, [](Unsigned x, Unsigned y) { return y ? x / y : 0; });
  addUnsigned<arith::RemUIOp>(table, [](Unsigned x, Unsigned y) { return y ? x % y : 0; });
  addUnsigned<arith::CeilDivUIOp>(
      table, [](Unsigned x, Unsigned y) { return y ? x / y + (x % y != 0) : 0; });
  addSigned<arith::DivSIOp>(table, divide);
  addSigned<arith::RemSIOp>(table, remainder);
  addSigned<arith::FloorDivSIOp>(table, floorDivide);
  addSigned<arith::CeilDivSIOp>(table, ceilDivide);
  addSigned<math::IPowIOp>(table, power);
}

static void addBitwise(OperationTable &table) {
  addUnsigned<arith::AndIOp>(table, [](Unsigned x, Unsigned y) { return x & y; });
  addUnsigned<arith::OrIOp>(table, [](Unsigned x, Unsigned y) { return x | y; });
  addUnsigned<arith::XOrIOp>(table, [](Unsigned x, Unsigned y) { return x ^ y; });
  addUnsigned<arith::ShLIOp>(
      table, [](Unsigned x, Unsigned y, unsigned width) { return y < width ? x << y : 0; });
  addUnsigned<arith::ShRUIOp>(
      table, [](Unsigned x, Unsigned y, unsigned width) { return y < width ? x >> y : 0; });
  addSigned<arith::ShRSIOp>(table, shiftRightSigned);
}

static void addExtrema(OperationTable &table) {
  addUnsigned<arith::MaxUIOp>(table, [](Unsigned x, Unsigned y) { return std::max(x, y); });
  addUnsigned<arith::MinUIOp>(table, [](Unsigned x, Unsigned y) { return std::min(x, y); });
  addSigned<arith::MaxSIOp>(table, [](Signed x, Signed y) { return std::max(x, y); });
  addSigned<arith::MinSIOp>(table, [](Signed x, Signed y) { return std::min(x, y); });
}

/// An operation with two results: `low` is the wrapped value, `high` computed from the operands.
template <typename Op, typename Low, typename High>
static void addExtended(OperationTable &table, Low low, High high) {
  table.add<Op>([=](Planner &planner, Operation &op) {
    Slot a = planner.slotOf(op.getOperand(0)), b = planner.slotOf(op.getOperand(1));
    Slot lowOut = planner.define(op.getResult(0)), highOut = planner.define(op.getResult(1));
    return visitInteger(a.kind, [=](auto element) -> Step {
      using E = decltype(element);
      using T = typename E::Storage;
      return [=](Execution &) {
        for (int64_t i = 0, count = a.count(); i < count; ++i) {
          T x = a.as<T>()[i], y = b.as<T>()[i];
          lowOut.as<T>()[i] = E::wrap(low(E::zeroExtend(x), E::zeroExtend(y)));
          // The carry of addui_extended is an i1, held in a byte of its own.
          Unsigned upper = high(element, x, y);
          if (highOut.kind == ElementKind::I1)
            highOut.as<uint8_t>()[i] = upper & 1;
          else
            highOut.as<T>()[i] = E::wrap(upper);
        }
      };
    });
  });
}

static void addExtendedArithmetic(OperationTable &table) {
  auto multiply = [](Unsigned x, Unsigned y) { return x * y; };
  addExtended<arith::MulUIExtendedOp>(table, multiply, [](auto element, auto x, auto y) {
    using Wide = unsigned __int128;
    return Unsigned(Wide(element.zeroExtend(x)) * Wide(element.zeroExtend(y)) >> element.width);
  });
  addExtended<arith::MulSIExtendedOp>(table, multiply, [](auto element, auto x, auto y) {
    using Wide = __int128;
    return Unsigned(Wide(element.signExtend(x)) * Wide(element.signExtend(y)) >> element.width);
  });
  auto add = [](Unsigned x, Unsigned y) { return x + y; };
  addExtended<arith::AddUIExtendedOp>(table, add, [](auto element, auto x, auto y) {
    using Wide = unsigned __int128;
    return Unsigned((Wide(element.zeroExtend(x)) + Wide(element.zeroExtend(y))) >> element.width);
  });
}

/// A function of the zero-extended operand and the width.
template <typename Op, typename F> static void addIntegerUnary(OperationTable &table, F f) {
  table.add<Op>([f](Planner &planner, Operation &op) {
    Slot a = planner.slotOf(op.getOperand(0)), out = planner.define(op.getResult(0));
    return visitInteger(a.kind, [=](auto element) -> Step {
      using E = decltype(element);
      using T = typename E::Storage;
      return loop<T, T>(out, a, [f](T x) { return E::wrap(f(E::zeroExtend(x), E::width)); });
    });
  });
}

static void addIntegerMath(OperationTable &table) {
  addIntegerUnary<math::AbsIOp>(table, [](Unsigned x, unsigned width) {
    return x >> (width - 1) ? -x : x; // the minimum stays, as it wraps
  });
  addIntegerUnary<math::CountLeadingZerosOp>(
      table, [](Unsigned x, unsigned width) { return std::countl_zero(x) - (64 - width); });
  addIntegerUnary<math::CountTrailingZerosOp>(table, [](Unsigned x, unsigned width) {
    return std::min<Unsigned>(std::countr_zero(x), width);
  });
  addIntegerUnary<math::CtPopOp>(table,
                                 [](Unsigned x, unsigned) { return Unsigned(std::popcount(x)); });
}

void addIntegerOperations(OperationTable &table) {
  addArithmetic(table);
  addBitwise(table);
  addExtrema(table);
  addExtendedArithmetic(table);
  addIntegerMath(table);
}

} // namespace nereid::interpret
