// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/products/ShareLoop.h"

#include "backend/cpu/emit/KernelEmitter.h"
#include "backend/cpu/products/DotShape.h"
#include "dialect/tile/Elements.h"

#include <cmath>

using namespace mlir;

namespace nereid::backend::cpu {
namespace {

/// Whether others could see that it has run.
bool hasEffect(Operation *op) {
  tile::Access access = tile::accessOf(op);
  auto load = llvm::dyn_cast<tile::LoadOp>(op);
  return access.writes || access.isOrdered() || (load && load.getIsVolatile()) ||
         llvm::isa<tile::PrintOp, tile::SharedOp, tile::BarrierOp>(op);
}

bool isQuick(Operation *op) {
  return !KernelEmitter::isRoot(op) ||
         llvm::isa<tile::ProgramIdOp, tile::NumProgramsOp, tile::TableOp>(op);
}

/// The same in all rounds: arithmetic on what stands before the loop.
bool isInvariant(Value value, scf::ForOp loop) {
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *op = value.getDefiningOp();
  return op && isScalarArithmetic(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isInvariant(operand, loop); });
}

/// What is added on the way from a scalar to the value that the next round has of it.
std::optional<llvm::SmallVector<Value, 2>> stepsOf(BlockArgument argument, Value yielded,
                                                   scf::ForOp loop) {
  llvm::SmallVector<Value, 2> steps;
  while (yielded != argument) {
    Operation *op = yielded.getDefiningOp();
    if (auto hint = llvm::dyn_cast_if_present<tile::HintOp>(op)) { // a promise moves nothing
      yielded = hint.getOperand();
      continue;
    }
    if (!llvm::isa_and_present<tile::OffsetOp, arith::AddIOp>(op))
      return std::nullopt;
    unsigned side = isInvariant(op->getOperand(1), loop) ? 1 : 0;
    if (!isInvariant(op->getOperand(side), loop) || (llvm::isa<tile::OffsetOp>(op) && side == 0))
      return std::nullopt;
    steps.push_back(op->getOperand(side));
    yielded = op->getOperand(1 - side);
  }
  return steps.empty() ? std::nullopt : std::optional(steps);
}

/// Whether a value comes from a product of the same round.
bool comesFromDot(Value value, Block *round) {
  llvm::SmallVector<Value> work = {value};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || op->getBlock() != round || !seen.insert(next).second)
      continue;
    if (llvm::isa<tile::DotOp>(op))
      return true;
    llvm::append_range(work, op->getOperands());
  }
  return false;
}

bool canAdd(Type type) {
  std::optional<DType> dtype = tile::dtypeOf(tile::elementOf(type));
  return dtype && runtime::SharedLoop::canAdd(*dtype);
}

/// Whether nobody reads a carried value but who adds to it, once or more often, in loops inside
/// too.
bool isSum(Value carried, Operation *yield, unsigned position) {
  if (!canAdd(carried.getType()))
    return false;
  for (bool isAdded = false; carried.hasOneUse(); isAdded = true) {
    OpOperand &use = *carried.use_begin();
    Operation *user = use.getOwner();
    if (user == yield)
      return isAdded && use.getOperandNumber() == position;
    if (user->getBlock() != yield->getBlock())
      return false;
    if (auto inner = llvm::dyn_cast<scf::ForOp>(user)) {
      BlockArgument argument = inner.getTiedLoopRegionIterArg(&use);
      unsigned place = argument ? argument.getArgNumber() - inner.getNumInductionVars() : 0;
      if (!argument || !isSum(argument, inner.getBody()->getTerminator(), place))
        return false;
      carried = inner.getResult(place);
      continue;
    }
    auto dot = llvm::dyn_cast<tile::DotOp>(user);
    bool isDotsSum = dot && &use == &dot.getAccumulatorMutable();
    bool isAddition =
        llvm::isa<arith::AddIOp>(user) ||
        (llvm::isa<arith::AddFOp>(user) &&
         comesFromDot(user->getOperand(1 - use.getOperandNumber()), user->getBlock()));
    if (!isDotsSum && !isAddition)
      return false;
    carried = user->getResult(0);
  }
  return false;
}

bool classify(ShareableLoop &found) {
  scf::ForOp loop = found.loop;
  Operation *yield = loop.getBody()->getTerminator();
  for (auto [position, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    std::optional<llvm::SmallVector<Value, 2>> steps;
    if (!tile::isTile(argument.getType()))
      steps = stepsOf(argument, yield->getOperand(position), loop);
    if (!steps && !isSum(argument, yield, position))
      return false;
    found.carried.push_back({steps.value_or(llvm::SmallVector<Value, 2>())});
  }
  return llvm::any_of(found.carried, [](const auto &carried) { return carried.isSum(); });
}

/// Of one core, roughly: products of a nanosecond, and bytes that come from the caches of all.
double productsPerNanosecond(const DotShape &shape, const target::CpuTarget &cpu) {
  double lanes = cpu.vectorBytes / shape.sumBytes();
  switch (shape.form) {
  case DotForm::Lanes:
    return 3 * lanes; // two multiply-adds in each cycle, some of which wait
  case DotForm::Groups:
    return 3 * lanes * static_cast<double>(shape.group);
  case DotForm::Tiles:
    return 200 * static_cast<double>(shape.group);
  }
  return 1;
}
constexpr double bytesPerNanosecond = 10;

} // namespace

std::optional<ShareableLoop> findShareableLoop(func::FuncOp kernel) {
  for (Operation &op : kernel.getBody().front()) {
    if (auto loop = llvm::dyn_cast<scf::ForOp>(op)) {
      bool mayRepeat = true, multiplies = false;
      loop.getBody()->walk([&](Operation *inner) {
        mayRepeat &= !hasEffect(inner);
        multiplies |= llvm::isa<tile::DotOp>(inner);
      });
      ShareableLoop found{loop, {}};
      if (!mayRepeat || !multiplies || !classify(found))
        return std::nullopt;
      return found;
    }
    if (hasEffect(&op) || !isQuick(&op))
      return std::nullopt;
  }
  return std::nullopt;
}

runtime::SharedLoop ShareableLoop::described(const target::CpuTarget &cpu) const {
  runtime::SharedLoop shared;
  for (auto [sum, argument] : llvm::zip(carried, scf::ForOp(loop).getRegionIterArgs()))
    if (sum.isSum()) {
      Type type = argument.getType();
      uint64_t elements = tile::isTile(type) ? tile::elementCount(type) : 1;
      shared.sums.push_back({*tile::dtypeOf(tile::elementOf(type)), elements});
    }
  double nanoseconds = 1;
  scf::ForOp(loop).getBody()->walk([&](tile::DotOp dot) {
    DotShape shape(dot, cpu);
    double products = static_cast<double>(shape.batch * shape.m * shape.n * shape.k);
    double bytes = static_cast<double>(shape.batch * (shape.m + shape.n) * shape.k) *
                   tile::byteSizeOf(tile::elementOf(dot.getLhs().getType()));
    nanoseconds +=
        std::max(products / productsPerNanosecond(shape, cpu), bytes / bytesPerNanosecond);
  });
  shared.roundNanoseconds = static_cast<uint64_t>(std::ceil(nanoseconds));
  return shared;
}

} // namespace nereid::backend::cpu
