// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer arithmetic. Functions see operands extended to 64 bits; what they return is cut to the
// width, which is what wrapping means. Division by zero gives 0 (TileDialect.td).
#include "interpret/operations/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <algorithm>
#include <bit>

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

static Unsigned shiftRightSigned(Signed x, Signed y, unsigned width) {
  // The amount is unsigned: a negative one is too large.
  return Unsigned(x >> (Unsigned(y) < width ? Unsigned(y) : 63));
}

static void addArithmetic(OperationTable &table) {
  addUnsigned<arith::AddIOp>(table, [](Unsigned x, Unsigned y) { return x + y; });
  addUnsigned<arith::SubIOp>(table, [](Unsigned x, Unsigned y) { return x - y; });
  addUnsigned<arith::MulIOp>(table, [](Unsigned x, Unsigned y) { return x * y; });
  addUnsigned<arith::DivUIOp>(table, [](Unsigned x, Unsigned y) { return y ? x / y : 0; });
  addUnsigned<arith::RemUIOp>(table, [](Unsigned x, Unsigned y) { return y ? x % y : 0; });
  addSigned<arith::DivSIOp>(table, divide);
  addSigned<arith::RemSIOp>(table, remainder);
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

static void addIntegerExtrema(OperationTable &table) {
  addUnsigned<arith::MaxUIOp>(table, [](Unsigned x, Unsigned y) { return std::max(x, y); });
  addUnsigned<arith::MinUIOp>(table, [](Unsigned x, Unsigned y) { return std::min(x, y); });
  addSigned<arith::MaxSIOp>(table, [](Signed x, Signed y) { return std::max(x, y); });
  addSigned<arith::MinSIOp>(table, [](Signed x, Signed y) { return std::min(x, y); });
}

/// The product in two halves.
static Step planExtendedProduct(Planner &planner, arith::MulUIExtendedOp op) {
  Slot a = planner.slotOf(op.getLhs()), b = planner.slotOf(op.getRhs());
  Slot low = planner.define(op.getLow()), high = planner.define(op.getHigh());
  return visitInteger(a.kind, [=](auto element) -> Step {
    using E = decltype(element);
    using T = typename E::Storage;
    return [=](Execution &) {
      for (int64_t i = 0, count = a.count(); i < count; ++i) {
        using Wide = unsigned __int128;
        Wide product = Wide(E::zeroExtend(a.as<T>()[i])) * Wide(E::zeroExtend(b.as<T>()[i]));
        low.as<T>()[i] = E::wrap(Unsigned(product));
        high.as<T>()[i] = E::wrap(Unsigned(product >> E::width));
      }
    };
  });
}

/// A function of one operand, zero-extended, and its width.
template <typename Op, typename F> static void addBitUnary(OperationTable &table, F f) {
  table.add<Op>([f](Planner &planner, Operation &op) {
    Slot a = planner.slotOf(op.getOperand(0)), out = planner.define(op.getResult(0));
    return visitInteger(a.kind, [=](auto element) -> Step {
      using E = decltype(element);
      using T = typename E::Storage;
      return loop<T, T>(out, a,
                        [f](T x) { return E::wrap(Unsigned(f(E::zeroExtend(x), E::width))); });
    });
  });
}

static void addUnaries(OperationTable &table) {
  // The minimum stays, as it wraps.
  addBitUnary<math::AbsIOp>(table,
                            [](Unsigned x, unsigned width) { return x >> (width - 1) ? -x : x; });
  addBitUnary<math::CountLeadingZerosOp>(
      table, [](Unsigned x, unsigned width) { return unsigned(std::countl_zero(x)) + width - 64; });
  addBitUnary<math::CtPopOp>(table, [](Unsigned x, unsigned) { return std::popcount(x); });
}

void addIntegerOperations(OperationTable &table) {
  addArithmetic(table);
  addBitwise(table);
  addIntegerExtrema(table);
  table.add<arith::MulUIExtendedOp>(planExtendedProduct);
  addUnaries(table);
}

} // namespace nereid::interpret
