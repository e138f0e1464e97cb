// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products: by mma.sync where DotLayouts found one, else by multiply-adds of single threads.
#include "backend/nvptx/DotLayouts.h"
#include "backend/nvptx/KernelEmitter.h"
#include "backend/nvptx/MmaSync.h"

#include "dialect/nv/LaneSources.h"
#include "support/Check.h"

using namespace mlir;

namespace nereid::backend::nvptx {

namespace {

/// The registers of a tile by the number of the element that each holds in the first thread.
class RegisterTable {
public:
  explicit RegisterTable(const layout::LinearLayout &layout)
      : spaces(layout.outputs()), registers(nv::registersByElement(layout)) {}
  unsigned operator()(const layout::Coordinates &at) const {
    auto found = registers.find(layout::pack(spaces, at));
    NEREID_CHECK(found != registers.end(), "a factor's element lies with another thread");
    return found->second;
  }

private:
  layout::Spaces spaces;
  llvm::DenseMap<layout::Vector, unsigned> registers;
};

} // namespace

namespace {

/// Sums of products, one after the other: those of floats in 32 bits, or 64 where a float has them,
/// rounded to the type of the result at the end.
class MultiplyAdd {
public:
  MultiplyAdd(LaneBuilder &lanes, Type factor, Type sum)
      : lanes(lanes), b(lanes.builder()), factor(factor), sum(sum), wide(sum) {
    if (llvm::isa<FloatType>(sum))
      wide = sum.isF64() || factor.isF64() ? Float64Type::get(sum.getContext())
                                           : Type(Float32Type::get(sum.getContext()));
  }

  llvm::Value *begin(llvm::Value *accumulator) { return widened(accumulator, sum); }
  llvm::Value *add(llvm::Value *total, llvm::Value *lhs, llvm::Value *rhs) {
    if (llvm::isa<FloatType>(sum))
      return b.CreateIntrinsic(lanes.laneType(wide), llvm::Intrinsic::fma,
                               {widened(lhs, factor), widened(rhs, factor), total});
    return b.CreateAdd(b.CreateMul(widened(lhs, factor), widened(rhs, factor)), total);
  }
  llvm::Value *end(llvm::Value *total) {
    return llvm::isa<FloatType>(sum) ? lanes.convertFloat(total, wide, sum) : total;
  }

private:
  llvm::Value *widened(llvm::Value *value, Type from) {
    return llvm::isa<FloatType>(sum) ? lanes.convertFloat(value, from, wide)
                                     : b.CreateSExtOrTrunc(value, lanes.laneType(sum));
  }

  LaneBuilder &lanes;
  Builder &b;
  Type factor, sum, wide;
};

} // namespace

void KernelEmitter::emitDot(tile::DotOp op) {
  DotLayouts layouts = dotLayouts(op, target, threads.warpCount());
  Registers lhs = registersOf(op.getLhs()), rhs = registersOf(op.getRhs()),
            sums = registersOf(op.getAccumulator());
  Type factor = tile::elementOf(op.getLhs().getType()), sum = tile::elementOf(op.getType());
  RegisterTable lhsAt(layouts.lhs), rhsAt(layouts.rhs);
  int64_t rank = tile::shapeOf(op.getType()).size();
  uint64_t depth = tile::shapeOf(op.getLhs().getType())[rank - 1];

  if (layouts.mmaDepth) {
    MmaSync mma(b, factor, layouts.mmaDepth);
    // Four registers in a row are one fragment of sums.
    for (unsigned r = 0; r < sums.size(); r += 4) {
      layout::Coordinates at = layout::unpack(layouts.result.outputs(), layouts.result(r));
      for (uint64_t k = 0; k < depth; k += layouts.mmaDepth) {
        unsigned a = lhsAt({at[0], k}), c = rhsAt({k, at[1]});
        mma.emit(llvm::MutableArrayRef(sums).slice(r, 4),
                 llvm::ArrayRef(lhs).slice(a, mma.lhsLanes()),
                 llvm::ArrayRef(rhs).slice(c, mma.rhsLanes()));
      }
    }
  } else {
    MultiplyAdd product(lanes, factor, sum);
    for (unsigned r = 0; r < sums.size(); ++r) {
      layout::Coordinates at = layout::unpack(layouts.result.outputs(), layouts.result(r));
      llvm::Value *total = product.begin(sums[r]);
      for (uint64_t k = 0; k < depth; ++k) {
        layout::Coordinates left = at, right = at;
        left[rank - 1] = k;
        right[rank - 2] = k;
        total = product.add(total, lhs[lhsAt(left)], rhs[rhsAt(right)]);
      }
      sums[r] = product.end(total);
    }
  }
  values[op.getResult()] = std::move(sums);
}

} // namespace nereid::backend::nvptx
