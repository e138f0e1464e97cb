// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where doubts begin. Lanes that have one from their operands already keep it.
#include "dialect/tile/Access.h"
#include "dialect/tile/Lanes.h"
#include "dialect/tile/Tile.h"
#include "interpret/LaneAccess.h"
#include "interpret/doubts/Doubts.h"
#include "interpret/operations/PromiseTest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>
#include <type_traits>

using namespace mlir;

namespace nereid::interpret {

namespace {

/// A place of the kernel that can raise a doubt.
struct Source {
  DoubtSites &sites;
  DoubtSites::Site site;
  uint8_t cached = 0;
  uint8_t number() { return sites.number(cached, site); }
};

/// Gives each lane for which `isDoubtful` holds the doubt of `source`, if any is.
template <typename F> void raiseWhere(Source &source, Shadow out, F isDoubtful) {
  bool isAny = false;
  for (int64_t i = 0; i < out.count; ++i)
    isAny |= isDoubtful(i);
  if (!isAny)
    return;
  out.spellOut();
  uint8_t number = source.number();
  for (int64_t i = 0; i < out.count; ++i)
    if (!out.lanes[i] && isDoubtful(i))
      out.lanes[i] = number;
  out.settle();
}

/// Where a masked access does not take place, it gives `other`, which may have doubts of its own;
/// without one, nothing that can be relied on.
Step raiseByMask(Source source, Slot mask, Shadow other, Shadow out) {
  return [=](Execution &) mutable {
    const uint8_t *takesPart = mask.as<uint8_t>();
    out.clear();
    if (!other.exists())
      return raiseWhere(source, out, [=](int64_t i) { return !takesPart[i]; });
    if (!other.isAny())
      return;
    for (int64_t i = 0; i < out.count; ++i)
      out.lanes[i] = takesPart[i] ? 0 : other.lanes[i];
    out.settle();
  };
}

/// Whether the exact result does not fit the type. T is signed; int64_t holds all but the widest.
struct AddWraps {
  template <typename T> static bool test(T a, T b) {
    T sum;
    return __builtin_add_overflow(a, b, &sum);
  }
};
struct SubtractWraps {
  template <typename T> static bool test(T a, T b) {
    T difference;
    return __builtin_sub_overflow(a, b, &difference);
  }
};
struct MultiplyWraps {
  template <typename T> static bool test(T a, T b) {
    if constexpr (sizeof(T) <= 4) { // so that it becomes vector code
      int64_t product = int64_t(a) * int64_t(b);
      return product != T(product);
    } else {
      T product;
      return __builtin_mul_overflow(a, b, &product);
    }
  }
};
struct ShiftWraps {
  template <typename T> static bool test(T a, T b) {
    constexpr int width = 8 * sizeof(T);
    if (b < 0 || b >= width)
      return a != 0;
    auto shifted = T(std::make_unsigned_t<T>(a) << b);
    return T(shifted >> b) != a;
  }
};

template <typename Wraps> Step raiseByWrap(Source source, Slot a, Slot b, Shadow out) {
  return visitInteger(a.kind, [=](auto element) -> Step {
    using Storage = typename decltype(element)::Storage;
    using T = std::make_signed_t<Storage>;
    if constexpr (decltype(element)::width == 1)
      return {};
    else
      return [=](Execution &) mutable {
        const T *x = a.as<T>(), *y = b.as<T>();
        raiseWhere(source, out, [=](int64_t i) { return Wraps::test(x[i], y[i]); });
      };
  });
}

Step raiseByDivisor(Source source, Slot divisor, Shadow out) {
  return visitBits(divisor.kind, [=](auto bits) -> Step {
    using T = decltype(bits);
    return [=](Execution &) mutable {
      raiseWhere(source, out, [=](int64_t i) { return divisor.as<T>()[i] == 0; });
    };
  });
}

Step raiseByPromise(Planner &planner, Source source, tile::HintOp op, Shadow out) {
  return [=, test = PromiseTest(planner, op)](Execution &execution) mutable {
    if (!test.holds(execution))
      raiseWhere(source, out, [](int64_t) { return true; });
  };
}

enum class FloatClass : uint8_t { Finite, Infinite, NaN };

FloatClass classOf(Slot slot, int64_t lane) {
  return visitFloat(slot.kind, [=](auto element) {
    double number = double(element.load(slot.as<typename decltype(element)::Storage>()[lane]));
    return std::isnan(number)   ? FloatClass::NaN
           : std::isinf(number) ? FloatClass::Infinite
                                : FloatClass::Finite;
  });
}

/// Lanes that are worse than all that they were computed from: infinite although nothing of that
/// was, or no number although all of it were numbers, constant infinities among them.
Step raiseByValue(Planner &planner, Operation &op, Source source, Slot result, Shadow out) {
  std::vector<Slot> operands;
  for (Value operand : op.getOperands())
    if (Slot slot = planner.slotOf(operand); isFloat(slot.kind))
      operands.push_back(slot);
  bool isLanewise = tile::isLanewise(&op);
  return [=](Execution &) mutable {
    auto isBorn = [&](int64_t lane) {
      FloatClass born = classOf(result, lane);
      if (born == FloatClass::Finite)
        return false;
      for (const Slot &operand : operands) {
        bool isLaneForLane = isLanewise && operand.capacity == result.capacity;
        int64_t first = isLaneForLane ? lane : 0,
                last = isLaneForLane ? lane + 1 : operand.capacity;
        for (int64_t i = first; i < last; ++i)
          if (classOf(operand, i) >= born)
            return false;
      }
      return true;
    };
    raiseWhere(source, out, isBorn);
  };
}

} // namespace

Step Doubts::raise(Planner &planner, Operation &op, DoubtKinds kinds) {
  auto kind = DoubtKind(std::countr_zero(kinds)); // an operation raises one
  Value result = op.getResult(0);
  Slot value = planner.slotOf(result);
  Source source{sites, {kind, op.getLoc(), 8 * bytesOf(value.kind)}};
  Shadow out(planner.shadowOf(result));
  switch (kind) {
  case DoubtKind::Undefined:
    return raiseByMask(source, planner.slotOf(tile::accessOf(&op).mask), {}, out);
  case DoubtKind::Wrapped: {
    Slot a = planner.slotOf(op.getOperand(0)), b = planner.slotOf(op.getOperand(1));
    if (isa<arith::AddIOp>(op))
      return raiseByWrap<AddWraps>(source, a, b, out);
    if (isa<arith::SubIOp>(op))
      return raiseByWrap<SubtractWraps>(source, a, b, out);
    if (isa<arith::MulIOp>(op))
      return raiseByWrap<MultiplyWraps>(source, a, b, out);
    return raiseByWrap<ShiftWraps>(source, a, b, out);
  }
  case DoubtKind::DividedByZero:
    return raiseByDivisor(source, planner.slotOf(op.getOperand(1)), out);
  case DoubtKind::BrokenPromise:
    return raiseByPromise(planner, source, cast<tile::HintOp>(op), out);
  case DoubtKind::NotFinite:
    return raiseByValue(planner, op, source, value, out);
  }
  NEREID_UNREACHABLE("doubt kind");
}

Step Doubts::after(Planner &planner, Operation &op) {
  std::vector<Step> steps;
  steps.push_back(raisedOrPassedBy(planner, op));
  steps.push_back(findsOverflow(planner, op));
  return inOrder(std::move(steps));
}

Step Doubts::raisedOrPassedBy(Planner &planner, Operation &op) {
  // What leaves a branch or a loop brings its shadow along.
  bool isControlFlow = isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op);
  if (isControlFlow || op.getNumResults() == 0 || !planner.shadowOf(op.getResult(0)).data)
    return {};
  Shadow out(planner.shadowOf(op.getResult(0)));
  DoubtKinds raised = analysis.raisedBy(&op);
  if (auto load = dyn_cast<tile::LoadOp>(op); load && !raised)
    return raiseByMask({sites, {DoubtKind::Undefined, op.getLoc(), 0}},
                       planner.slotOf(load.getMask()), Shadow(planner.shadowOf(load.getOther())),
                       out);
  std::vector<Step> steps;
  bool isAccess = tile::accessOf(&op).touchesMemory();
  bool isCombined = entersCombining(op);
  if (isCombined)
    for (Value result : op.getResults())
      steps.push_back([out = Shadow(planner.shadowOf(result))](Execution &) { out.settle(); });
  if (Step flow = isAccess ? Step() : planDoubtFlow(planner, op, sites))
    steps.push_back(std::move(flow));
  else if (!isCombined)
    steps.push_back([out](Execution &) { out.clear(); });
  if (raised)
    steps.push_back(raise(planner, op, raised));
  return inOrder(std::move(steps));
}

} // namespace nereid::interpret
