// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns a function on one element into an evaluator for an operation: the loop and the element type
// are chosen while planning, so that running is one call and one loop over arrays.
#pragma once

#include "interpret/operations/OperationTable.h"

namespace nereid::interpret {

/// out[i] = f(a[i]) for all elements.
template <typename Out, typename A, typename F> Step loop(Slot out, Slot a, F f) {
  return [=](Execution &) {
    Out *__restrict to = out.as<Out>();
    const A *from = a.as<A>();
    for (int64_t i = 0, count = out.count(); i < count; ++i)
      to[i] = f(from[i]);
  };
}

/// out[i] = f(a[i], b[i]) for all elements.
template <typename Out, typename In, typename F> Step loop(Slot out, Slot a, Slot b, F f) {
  return [=](Execution &) {
    Out *__restrict to = out.as<Out>();
    const In *lhs = a.as<In>(), *rhs = b.as<In>();
    for (int64_t i = 0, count = out.count(); i < count; ++i)
      to[i] = f(lhs[i], rhs[i]);
  };
}

/// Calls an integer function, which may also want to know the width.
template <typename Element, typename F, typename... Args> uint64_t callInteger(F f, Args... args) {
  if constexpr (std::is_invocable_v<F, Args..., unsigned>)
    return uint64_t(f(args..., Element::width));
  else
    return uint64_t(f(args...));
}

/// An integer operation whose function takes operands extended to 64 bits by `extend` (and, if it
/// likes, the width) and whose result is wrapped to the width of the operation's result.
template <typename Op, typename Extend, typename F>
void addInteger(OperationTable &table, Extend extend, F f) {
  table.add<Op>([extend, f](Planner &planner, mlir::Operation &op) {
    Slot a = planner.slotOf(op.getOperand(0)), b = planner.slotOf(op.getOperand(1));
    Slot out = planner.define(op.getResult(0));
    return visitInteger(a.kind, [=](auto element) -> Step {
      using E = decltype(element);
      using T = typename E::Storage;
      return loop<T, T>(out, a, b, [=](T x, T y) {
        return E::wrap(callInteger<E>(f, extend(element, x), extend(element, y)));
      });
    });
  });
}

/// One whose function takes operands zero-extended to uint64_t.
template <typename Op, typename F> void addUnsigned(OperationTable &table, F f) {
  addInteger<Op>(table, [](auto element, auto x) { return element.zeroExtend(x); }, f);
}

/// One whose function takes operands sign-extended to int64_t.
template <typename Op, typename F> void addSigned(OperationTable &table, F f) {
  addInteger<Op>(table, [](auto element, auto x) { return element.signExtend(x); }, f);
}

/// A float operation on one or two operands; the function takes and gives the type that the element
/// is computed in (float for 16-bit elements).
template <typename Op, typename F> void addFloatUnary(OperationTable &table, F f) {
  table.add<Op>([f](Planner &planner, mlir::Operation &op) {
    Slot a = planner.slotOf(op.getOperand(0)), out = planner.define(op.getResult(0));
    return visitFloat(a.kind, [=](auto element) -> Step {
      using E = decltype(element);
      using T = typename E::Storage;
      return loop<T, T>(out, a, [f](T x) { return E::round(f(E::load(x))); });
    });
  });
}

template <typename Op, typename F> void addFloatBinary(OperationTable &table, F f) {
  table.add<Op>([f](Planner &planner, mlir::Operation &op) {
    Slot a = planner.slotOf(op.getOperand(0)), b = planner.slotOf(op.getOperand(1));
    Slot out = planner.define(op.getResult(0));
    return visitFloat(a.kind, [=](auto element) -> Step {
      using E = decltype(element);
      using T = typename E::Storage;
      return loop<T, T>(out, a, b, [f](T x, T y) { return E::round(f(E::load(x), E::load(y))); });
    });
  });
}

} // namespace nereid::interpret
