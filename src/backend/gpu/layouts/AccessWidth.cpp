// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/layouts/AccessWidth.h"

#include "analysis/AxisRules.h"
#include "analysis/Slice.h"
#include "backend/gpu/tiles/RowEnds.h"
#include "dialect/nv/Nv.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

#include <numeric>

using namespace mlir;

namespace nereid::backend::gpu {
namespace {

/// A thread's first registers hold neighbours along a dimension.
struct Neighbours {
  unsigned dimension = 0;
  unsigned count = 1;
};

Neighbours firstNeighbours(const layout::LinearLayout &layout) {
  auto bases = layout.bases(layout::Register);
  if (bases.empty())
    return {};
  // The dimension along which the first bit steps, by one.
  layout::Coordinates first = layout::unpack(layout.outputs(), bases[0]);
  auto stepped = llvm::find(first, 1u);
  if (stepped == first.end() || llvm::count(first, 0u) + 1 != static_cast<long>(first.size()))
    return {};
  unsigned count = 2;
  for (unsigned bit = 1; bit < bases.size() && bases[bit] == bases[bit - 1] * 2; ++bit)
    count *= 2;
  return {static_cast<unsigned>(stepped - first.begin()), count};
}

/// Whether what the analysis says of the tile holds whatever its numbers are. Of quotients and
/// remainders it takes for granted that nothing is below zero or wraps, which addresses may rest
/// on.
bool isExact(Value tile) {
  llvm::SetVector<Value> sources;
  sources.insert(tile);
  for (size_t i = 0; i < sources.size(); ++i) {
    Operation *op = sources[i].getDefiningOp();
    if (!op || !isMemoryEffectFree(op) ||
        llvm::isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
      return false;
    if (!llvm::isa<tile::SplatOp>(op)) // what is the same everywhere is so whatever it is
      sources.insert(op->operand_begin(), op->operand_end());
  }
  return true;
}

bool isSplat(Value tile) {
  DenseElementsAttr elements;
  return matchPattern(tile, m_Constant(&elements)) ? elements.isSplat()
                                                   : bool(tile.getDefiningOp<tile::SplatOp>());
}

} // namespace

unsigned registersTogether(const analysis::AxisAnalysis &axes, Value pointer, Value mask) {
  if (!tile::isTile(pointer.getType()))
    return 1;
  auto [dimension, count] = firstNeighbours(nv::layoutOf(pointer));
  return std::min<int64_t>(count, analysis::vectorLength(axes, pointer, mask, dimension, 16));
}

WideRun wideRun(const analysis::AxisAnalysis &axes, Value pointer,
                const layout::LinearLayout &layout) {
  constexpr unsigned mostBytes = 16;
  auto [dimension, count] = firstNeighbours(layout);
  const analysis::Axis axis = axes.of(pointer).axes[dimension];
  const unsigned bytes = tile::byteSizeOf(tile::elementOf(tile::pointeeOf(pointer.getType())));
  const int64_t beside = std::gcd(analysis::axis::powerOfTwoIn(axis.contiguity),
                                  tile::shapeOf(pointer.getType())[dimension]);
  const int64_t registers = std::gcd<int64_t, int64_t>(beside, std::min(count, mostBytes / bytes));
  return {unsigned(registers), dimension, axis.divisibility % (registers * bytes) == 0};
}

std::optional<WideRun> wholeRuns(const analysis::AxisAnalysis &axes, Value pointer, Value mask,
                                 unsigned spared) {
  if (!tile::isTile(pointer.getType()))
    return std::nullopt;
  const WideRun run = wideRun(axes, pointer, nv::layoutOf(pointer));
  const bool isWorth = run.registers >= spared * registersTogether(axes, pointer, mask);
  if (!isWorth || nv::hasGhosts(pointer.getType()) ||
      (mask && !endsRows(mask, run.dimension, run.registers, axes)))
    return std::nullopt;
  return run;
}

uint64_t bitsOfOneAddress(const analysis::AxisAnalysis &axes, Value pointer, Value mask,
                          const layout::LinearLayout &layout) {
  // Along a dimension, the places that differ in bits below this have one address. A number that is
  // no power of two repeats from each of its multiples on, and so do the powers that divide it.
  auto below = [](const analysis::AxisInfo &info, unsigned dimension) {
    return uint64_t(1) << llvm::countr_zero(uint64_t(info.axes[dimension].constancy));
  };
  const analysis::AxisInfo places = axes.of(pointer);
  std::optional<analysis::AxisInfo> masked;
  if (mask)
    masked = axes.of(mask);
  uint64_t bits = 0;
  for (auto [bit, basis] : llvm::enumerate(layout.bases(layout::Register))) {
    bool isAlike = true;
    for (auto [dimension, step] : llvm::enumerate(layout::unpack(layout.outputs(), basis)))
      isAlike &= step < below(places, dimension) && (!masked || step < below(*masked, dimension));
    if (isAlike)
      bits |= uint64_t(1) << bit;
  }
  return bits;
}

uint64_t bitsOfOneLoad(const analysis::AxisAnalysis &axes, tile::LoadOp op) {
  const bool mayDiffer = op.getIsVolatile() || (op.getOther() && !isSplat(op.getOther()));
  if (mayDiffer || !tile::isTile(op.getPointer().getType()))
    return 0;
  return bitsOfOneAddress(axes, op.getPointer(), op.getMask(), nv::layoutOf(op.getPointer()));
}

unsigned registersAlike(const analysis::AxisAnalysis &axes, Operation *op) {
  auto compare = llvm::dyn_cast<arith::CmpIOp>(op);
  if (!compare || !tile::isTile(compare.getType()) || !isExact(compare.getResult()))
    return 1;
  auto [dimension, count] = firstNeighbours(nv::layoutOf(compare.getResult()));
  return std::gcd<int64_t, int64_t>(count, axes.of(compare.getResult()).axes[dimension].constancy);
}

bool prefersAnOrder(const analysis::AxisAnalysis &axes, Value pointer) {
  if (llvm::any_of(axes.of(pointer).axes, [](const analysis::Axis &axis) {
        return axis.contiguity > 1 || axis.constancy > 1;
      }))
    return true;
  auto belongs = [](Operation *source) {
    if (llvm::isa<tile::RangeOp>(source))
      return analysis::Belongs::Never;
    bool isTerm =
        tile::movesLanes(source) ||
        llvm::isa<tile::OffsetOp, arith::AddIOp, arith::MulIOp, arith::ExtSIOp, arith::ExtUIOp>(
            source);
    return isTerm ? analysis::Belongs::Yes : analysis::Belongs::No;
  };
  auto begin = [](BlockArgument argument) -> Value {
    auto loop = llvm::dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    OpOperand *initial = loop ? loop.getTiedLoopInit(argument) : nullptr;
    return initial ? initial->get() : Value();
  };
  return !analysis::backwardSlice(pointer, belongs, begin);
}

/// Whether what the tile is divided by, everywhere the same, is known and below `least`.
static bool isDividedBySmaller(Operation *quotient, int64_t least) {
  Value divisor = quotient->getOperand(1);
  DenseElementsAttr elements;
  if (matchPattern(divisor, m_Constant(&elements)))
    return !elements.isSplat() || elements.getSplatValue<APInt>().slt(least);
  return !divisor.getDefiningOp<tile::SplatOp>();
}

bool isOfQuotients(Value pointer, int64_t least) {
  bool isQuotient = false;
  auto belongs = [&](Operation *source) {
    if (!tile::isTile(source->getResult(0).getType()) || isSplat(source->getResult(0)))
      return analysis::Belongs::No;
    if (llvm::isa<arith::DivSIOp, arith::DivUIOp>(source)) {
      if (isDividedBySmaller(source, least))
        return analysis::Belongs::Never;
      isQuotient = true;
      return analysis::Belongs::No;
    }
    bool isTerm =
        tile::movesLanes(source) ||
        llvm::isa<tile::OffsetOp, arith::AddIOp, arith::MulIOp, arith::ExtSIOp, arith::ExtUIOp>(
            source);
    return isTerm ? analysis::Belongs::Yes : analysis::Belongs::Never;
  };
  return analysis::backwardSlice(pointer, belongs) && isQuotient;
}

} // namespace nereid::backend::gpu
