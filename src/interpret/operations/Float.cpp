// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Float arithmetic, in the type of the elements (float for 16-bit ones) without fusing.
#include "interpret/operations/Elementwise.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

using namespace mlir;

namespace nereid::interpret {

/// The lesser of two numbers, with -0 below +0.
template <typename T> static T lesser(T x, T y) {
  if (x == y)
    return std::signbit(x) ? x : y;
  return x < y ? x : y;
}

template <typename T> static T greater(T x, T y) {
  if (x == y)
    return std::signbit(x) ? y : x;
  return x > y ? x : y;
}

static void addFloatExtrema(OperationTable &table) {
  // `num`: a NaN gives way to a number; without: it wins.
  addFloatBinary<arith::MinNumFOp>(table, [](auto x, auto y) {
    return std::isnan(x) ? y : std::isnan(y) ? x : lesser(x, y);
  });
  addFloatBinary<arith::MaxNumFOp>(table, [](auto x, auto y) {
    return std::isnan(x) ? y : std::isnan(y) ? x : greater(x, y);
  });
  addFloatBinary<arith::MinimumFOp>(table, [](auto x, auto y) {
    return std::isnan(x) ? x : std::isnan(y) ? y : lesser(x, y);
  });
  addFloatBinary<arith::MaximumFOp>(table, [](auto x, auto y) {
    return std::isnan(x) ? x : std::isnan(y) ? y : greater(x, y);
  });
}

/// A function of three floats of one type.
template <typename F> static Step planTernary(Planner &planner, Operation &op, F f) {
  Slot a = planner.slotOf(op.getOperand(0)), b = planner.slotOf(op.getOperand(1));
  Slot c = planner.slotOf(op.getOperand(2)), out = planner.define(op.getResult(0));
  return visitFloat(a.kind, [=](auto element) -> Step {
    using E = decltype(element);
    using T = typename E::Storage;
    return [=](Execution &) {
      for (int64_t i = 0, count = out.count(); i < count; ++i)
        out.as<T>()[i] =
            E::round(f(E::load(a.as<T>()[i]), E::load(b.as<T>()[i]), E::load(c.as<T>()[i])));
    };
  });
}

/// x * y + z of numbers of float16, rounded to odd: rounding again to float16 is right, where from
/// the nearest float it may not be. As double the product is exact, and what the sum loses is too
/// far below for float16 to see.
static float fusedHalf(float x, float y, float z) {
  double exact = double(x) * double(y) + double(z);
  float sum = float(exact);
  if (std::isnan(exact) || double(sum) == exact)
    return sum;
  auto bits = std::bit_cast<uint32_t>(sum);
  if (std::fabs(double(sum)) > std::fabs(exact))
    --bits;
  return std::bit_cast<float>(bits | 1);
}

static void addFused(OperationTable &table) {
  table.add<math::FmaOp>([](Planner &planner, Operation &op) {
    bool isHalf = tile::elementOf(op.getResult(0).getType()).isF16();
    return planTernary(planner, op, [isHalf](auto x, auto y, auto z) {
      if constexpr (std::is_same_v<decltype(x), float>)
        return isHalf ? fusedHalf(x, y, z) : std::fma(x, y, z);
      else
        return std::fma(x, y, z);
    });
  });
}

void addFloatOperations(OperationTable &table) {
  addFloatBinary<arith::AddFOp>(table, [](auto x, auto y) { return x + y; });
  addFloatBinary<arith::SubFOp>(table, [](auto x, auto y) { return x - y; });
  addFloatBinary<arith::MulFOp>(table, [](auto x, auto y) { return x * y; });
  addFloatBinary<arith::DivFOp>(table, [](auto x, auto y) { return x / y; });
  addFloatBinary<arith::RemFOp>(table, [](auto x, auto y) { return std::fmod(x, y); });
  addFloatUnary<arith::NegFOp>(table, [](auto x) { return -x; });
  addFloatUnary<math::AbsFOp>(table, [](auto x) { return std::fabs(x); });
  addFloatBinary<math::CopySignOp>(table, [](auto x, auto y) { return std::copysign(x, y); });
  addFused(table);
  addFloatExtrema(table);
}

} // namespace nereid::interpret
