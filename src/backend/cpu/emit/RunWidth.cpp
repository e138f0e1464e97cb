// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many lanes the vectors of a nest have where quotients and remainders number its elements:
// those of a vector are one number, or neighbours, if no run ends within it.
#include "analysis/AxisInfo.h"
#include "backend/cpu/emit/KernelEmitter.h"
#include "dialect/tile/Lanes.h"
#include "dialect/tile/Tile.h"

#include <set>

using namespace mlir;

namespace nereid::backend::cpu {

/// Runs of fewer lanes are not worth it: a vector of them moves as much as one lane does.
static constexpr int64_t leastRunOfVector = 8;

namespace {

class Runs {
public:
  Runs(const KernelEmitter &kernel, unsigned vectorDim) : kernel(kernel), vectorDim(vectorDim) {}

  /// Looks at all that `value` is computed from in its nest; `at` are the coordinates of its lanes.
  void add(Value value, const Coordinates &at) {
    Operation *op = value.getDefiningOp();
    if (!op || !tile::isTile(value.getType()) || !tile::isLanewise(op) ||
        !seen.insert({value.getAsOpaquePointer(), at}).second)
      return;
    addRun(op, at);
    if (kernel.storage().isStored(value) && !isRoot(value))
      return;
    for (OpOperand &operand : op->getOpOperands())
      if (tile::isTile(operand.get().getType()))
        add(operand.get(), tile::mapThrough(tile::laneMapOf(operand), at));
  }
  void addRoot(Value value, const Coordinates &at) {
    root = value;
    add(value, at);
  }

  /// The longest vectors in which no run ends; 0 if there are none, or one is too short.
  int64_t shortest() const { return least == INT64_MAX || least < leastRunOfVector ? 0 : least; }

private:
  bool isRoot(Value value) const { return value == root; }

  void addRun(Operation *op, const Coordinates &at) {
    auto along = llvm::find(at, static_cast<int>(vectorDim));
    if (!llvm::isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) ||
        along == at.end())
      return;
    const analysis::Axis axis = kernel.axes().of(op->getResult(0)).axes[along - at.begin()];
    int64_t neighbours = axis.contiguity & -axis.contiguity,
            equal = axis.constancy & -axis.constancy;
    least = std::min(least, std::max(neighbours, equal));
  }

  const KernelEmitter &kernel;
  unsigned vectorDim;
  Value root;
  int64_t least = INT64_MAX;
  std::set<std::pair<void *, Coordinates>> seen;
};

} // namespace

unsigned KernelEmitter::widthOfRuns(llvm::ArrayRef<Value> roots, llvm::ArrayRef<int64_t> shape,
                                    unsigned vectorDim, unsigned width) const {
  Coordinates at;
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    at.push_back(shape[dim] == 1 ? none : static_cast<int>(dim));
  Runs runs(*this, vectorDim);
  for (Value value : roots)
    if (value)
      runs.addRoot(value, at);
  int64_t run = runs.shortest();
  return run > 0 && run < width && shape[vectorDim] % run == 0 ? run : width;
}

} // namespace nereid::backend::cpu
