// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products: floats are summed in double and rounded once, integers wrap.
#include "dialect/tile/Tile.h"
#include "interpret/operations/OperationTable.h"

#include <algorithm>

using namespace mlir;

namespace nereid::interpret {

struct DotShape {
  int64_t batch, m, n, k;
};

static DotShape dotShapeOf(tile::DotOp op) {
  llvm::ArrayRef<int64_t> lhs = tile::shapeOf(op.getLhs().getType());
  llvm::ArrayRef<int64_t> rhs = tile::shapeOf(op.getRhs().getType());
  return {lhs.size() == 3 ? lhs[0] : 1, lhs[lhs.size() - 2], rhs.back(), lhs.back()};
}

/// Adds the product of two row-major matrices to `sum`.
template <typename T>
static void multiply(const T *lhs, const T *rhs, T *sum, int64_t m, int64_t n, int64_t k) {
  for (int64_t row = 0; row < m; ++row)
    for (int64_t inner = 0; inner < k; ++inner) {
      T factor = lhs[row * k + inner];
      for (int64_t column = 0; column < n; ++column)
        sum[row * n + column] += factor * rhs[inner * n + column];
    }
}

/// The operands' elements in the type that sums are taken in.
template <typename Sum> struct DotOperands {
  std::vector<Sum> lhs, rhs, sum;
};

/// Runs all products of the batch; `widen` fills a row of the wide type, `finish` writes the
/// result.
template <typename Sum, typename Widen, typename Finish>
static Step dotStep(DotShape shape, Slot lhs, Slot rhs, Slot out, Widen widen, Finish finish) {
  return [=, wide = DotOperands<Sum>()](Execution &) mutable {
    auto [batch, m, n, k] = shape;
    wide.lhs.resize(lhs.capacity);
    wide.rhs.resize(rhs.capacity);
    // -0 and not 0: what is added to it stays as it is, be it -0.
    wide.sum.assign(out.capacity, std::is_floating_point_v<Sum> ? Sum(-0.0) : Sum());
    widen(lhs, wide.lhs.data());
    widen(rhs, wide.rhs.data());
    for (int64_t i = 0; i < batch; ++i)
      multiply(wide.lhs.data() + i * m * k, wide.rhs.data() + i * k * n,
               wide.sum.data() + i * m * n, m, n, k);
    finish(wide.sum.data());
  };
}

static Step dotOfFloats(DotShape shape, Slot lhs, Slot rhs, Slot accumulator, Slot out) {
  // The factors may be of two types.
  auto widen = [](Slot from, double *to) {
    visitFloat(from.kind, [=](auto factor) {
      using From = typename decltype(factor)::Storage;
      std::transform(from.as<From>(), from.as<From>() + from.capacity, to,
                     [=](From x) { return double(factor.load(x)); });
    });
  };
  return visitFloat(out.kind, [=](auto result) -> Step {
    using To = typename decltype(result)::Storage;
    auto finish = [=](const double *sum) {
      for (int64_t i = 0; i < out.capacity; ++i)
        out.as<To>()[i] = result.round(sum[i] + double(result.load(accumulator.as<To>()[i])));
    };
    return dotStep<double>(shape, lhs, rhs, out, widen, finish);
  });
}

static Step dotOfIntegers(DotShape shape, Slot lhs, Slot rhs, Slot accumulator, Slot out) {
  return visitInteger(lhs.kind, [=](auto factor) {
    return visitInteger(out.kind, [=](auto result) -> Step {
      using From = typename decltype(factor)::Storage;
      using To = typename decltype(result)::Storage;
      // Wrapping to 64 bits and then to fewer is the same as wrapping to fewer at each step.
      auto widen = [=](Slot from, uint64_t *to) {
        std::transform(from.as<From>(), from.as<From>() + from.capacity, to,
                       [=](From x) { return uint64_t(factor.signExtend(x)); });
      };
      auto finish = [=](const uint64_t *sum) {
        for (int64_t i = 0; i < out.capacity; ++i)
          out.as<To>()[i] = result.wrap(sum[i] + accumulator.as<To>()[i]);
      };
      return dotStep<uint64_t>(shape, lhs, rhs, out, widen, finish);
    });
  });
}

static Step planDot(Planner &planner, tile::DotOp op) {
  Slot lhs = planner.slotOf(op.getLhs()), rhs = planner.slotOf(op.getRhs());
  Slot accumulator = planner.slotOf(op.getAccumulator()), out = planner.define(op.getResult());
  if (isFloat(lhs.kind))
    return dotOfFloats(dotShapeOf(op), lhs, rhs, accumulator, out);
  return dotOfIntegers(dotShapeOf(op), lhs, rhs, accumulator, out);
}

void addDotOperations(OperationTable &table) { table.add<tile::DotOp>(planDot); }

} // namespace nereid::interpret
