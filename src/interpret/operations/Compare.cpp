// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons, and the choice between two values.
#include "interpret/operations/Elementwise.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;

namespace nereid::interpret {

template <typename F> static Step compareSigned(Slot out, Slot a, Slot b, F f) {
  return visitInteger(a.kind, [=](auto element) -> Step {
    using T = typename decltype(element)::Storage;
    return loop<uint8_t, T>(
        out, a, b, [=](T x, T y) { return f(element.signExtend(x), element.signExtend(y)); });
  });
}

template <typename F> static Step compareUnsigned(Slot out, Slot a, Slot b, F f) {
  return visitBits(a.kind,
                   [=](auto bits) -> Step { return loop<uint8_t, decltype(bits)>(out, a, b, f); });
}

static Step planIntegers(Planner &planner, Operation &op) {
  using enum arith::CmpIPredicate;
  Slot a = planner.slotOf(op.getOperand(0)), b = planner.slotOf(op.getOperand(1));
  Slot out = planner.define(op.getResult(0));
  switch (llvm::cast<arith::CmpIOp>(op).getPredicate()) {
  case eq:
    return compareUnsigned(out, a, b, std::equal_to<>());
  case ne:
    return compareUnsigned(out, a, b, std::not_equal_to<>());
  case slt:
    return compareSigned(out, a, b, std::less<>());
  case sle:
    return compareSigned(out, a, b, std::less_equal<>());
  case sgt:
    return compareSigned(out, a, b, std::greater<>());
  case sge:
    return compareSigned(out, a, b, std::greater_equal<>());
  case ult:
    return compareUnsigned(out, a, b, std::less<>());
  case ule:
    return compareUnsigned(out, a, b, std::less_equal<>());
  case ugt:
    return compareUnsigned(out, a, b, std::greater<>());
  case uge:
    return compareUnsigned(out, a, b, std::greater_equal<>());
  }
  NEREID_UNREACHABLE("integer predicate");
}

template <typename F> static Step compareFloats(Slot out, Slot a, Slot b, F f) {
  return visitFloat(a.kind, [=](auto element) -> Step {
    using T = typename decltype(element)::Storage;
    return loop<uint8_t, T>(out, a, b,
                            [=](T x, T y) { return f(element.load(x), element.load(y)); });
  });
}

/// `ordered` predicates are false, the others true, where an operand is NaN.
template <typename F> static Step compareFloats(Slot out, Slot a, Slot b, bool ordered, F f) {
  if (ordered)
    return compareFloats(out, a, b,
                         [f](auto x, auto y) { return !std::isunordered(x, y) && f(x, y); });
  return compareFloats(out, a, b,
                       [f](auto x, auto y) { return std::isunordered(x, y) || f(x, y); });
}

static Step planFloatComparison(Planner &planner, Operation &op) {
  using enum arith::CmpFPredicate;
  Slot a = planner.slotOf(op.getOperand(0)), b = planner.slotOf(op.getOperand(1));
  Slot out = planner.define(op.getResult(0));
  auto predicate = llvm::cast<arith::CmpFOp>(op).getPredicate();
  switch (predicate) {
  case AlwaysFalse:
    return compareFloats(out, a, b, [](auto, auto) { return false; });
  case AlwaysTrue:
    return compareFloats(out, a, b, [](auto, auto) { return true; });
  case ORD:
    return compareFloats(out, a, b, [](auto x, auto y) { return !std::isunordered(x, y); });
  case UNO:
    return compareFloats(out, a, b, [](auto x, auto y) { return std::isunordered(x, y); });
  case OEQ:
  case UEQ:
    return compareFloats(out, a, b, predicate == OEQ, std::equal_to<>());
  case ONE:
  case UNE:
    return compareFloats(out, a, b, predicate == ONE, std::not_equal_to<>());
  case OLT:
  case ULT:
    return compareFloats(out, a, b, predicate == OLT, std::less<>());
  case OLE:
  case ULE:
    return compareFloats(out, a, b, predicate == OLE, std::less_equal<>());
  case OGT:
  case UGT:
    return compareFloats(out, a, b, predicate == OGT, std::greater<>());
  case OGE:
  case UGE:
    return compareFloats(out, a, b, predicate == OGE, std::greater_equal<>());
  }
  NEREID_UNREACHABLE("float predicate");
}

static Step planSelect(Planner &planner, Operation &op) {
  Slot condition = planner.slotOf(op.getOperand(0));
  Slot a = planner.slotOf(op.getOperand(1)), b = planner.slotOf(op.getOperand(2));
  Slot out = planner.define(op.getResult(0));
  // A scalar condition chooses between whole tiles.
  bool isWhole =
      tile::isTile(op.getResult(0).getType()) && !tile::isTile(op.getOperand(0).getType());
  return visitBits(out.kind, [=](auto bits) -> Step {
    using T = decltype(bits);
    return [=](Execution &) {
      const uint8_t *chosen = condition.as<uint8_t>();
      for (int64_t i = 0, count = out.count(); i < count; ++i)
        out.as<T>()[i] = chosen[isWhole ? 0 : i] ? a.as<T>()[i] : b.as<T>()[i];
    };
  });
}

void addCompareOperations(OperationTable &table) {
  table.add<arith::CmpIOp>(planIntegers);
  table.add<arith::CmpFOp>(planFloatComparison);
  table.add<arith::SelectOp>(planSelect);
}

} // namespace nereid::interpret
