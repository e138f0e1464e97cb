// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products: by mma.sync where DotLayouts found one, else by multiply-adds of single threads.
#include "backend/gpu/emit/MultiplyAdd.h"
#include "backend/gpu/products/DotLayouts.h"
#include "backend/nvptx/emit/Emit.h"
#include "backend/nvptx/products/TensorCores.h"
#include "backend/nvptx/ptx/MmaSync.h"

#include "backend/gpu/products/Products.h"
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

/// Sums that one fragment's steps are added up in, in turns: each waits for the one before it in
/// the same sums, and a warp of a few fragments would wait most of the time. Four steps of each at
/// least: sums take registers, and are added up.
unsigned turnsOf(size_t fragments, uint64_t steps, unsigned inFlight) {
  return std::clamp<uint64_t>(inFlight / fragments, 1, std::max<uint64_t>(steps / 4, 1));
}

/// Whether all products beside it leave a thread half of its registers for what else lives.
bool hasFewSums(tile::DotOp op, const target::NvidiaTarget &target) {
  unsigned sums = 0;
  for (auto dot : op->getBlock()->getOps<tile::DotOp>())
    sums += registerCount(dot.getType());
  return 2 * sums <= target.registersPerThread;
}

llvm::Value *add(Builder &b, llvm::Value *x, llvm::Value *y) {
  return x->getType()->isFloatingPointTy() ? b.CreateFAdd(x, y) : b.CreateAdd(x, y);
}

} // namespace

void emitDot(KernelContext &c, tile::DotOp op) {
  Registers lhs = c.registersOf(op.getLhs()), rhs = c.registersOf(op.getRhs()),
            sums = c.registersOf(op.getAccumulator());
  Type factor = tile::elementOf(op.getLhs().getType()), sum = tile::elementOf(op.getType());
  layout::LinearLayout result = nv::layoutOf(op.getType());
  RegisterTable lhsAt(nv::layoutOf(op.getLhs())), rhsAt(nv::layoutOf(op.getRhs()));
  int64_t rank = tile::shapeOf(op.getType()).size();
  uint64_t depth = tile::shapeOf(op.getLhs().getType())[rank - 1];

  layout::Shape shape = nv::paddedShape(op.getType());
  if (unsigned depthOfStep = productOf(op).getDepth()) {
    Type right = tile::elementOf(op.getRhs().getType());
    if (!hasWarpInstruction(op, c.target)) {
      Type half = Float16Type::get(op.getContext());
      for (llvm::Value *&lane : lhs)
        lane = c.lanes.convertFloat(lane, factor, half);
      for (llvm::Value *&lane : rhs)
        lane = c.lanes.convertFloat(lane, right, half);
      factor = right = half;
    }
    MmaSync mma(c.b, factor, right, depthOfStep, shape[rank - 2], shape[rank - 1], c.target);
    const unsigned turns = hasFewSums(op, c.target)
                               ? turnsOf(sums.size() / mma.sumLanes(), depth / depthOfStep,
                                         c.policy.products_in_flight)
                               : 1;
    // Registers in a row are one fragment of sums.
    for (unsigned r = 0; r < sums.size(); r += mma.sumLanes()) {
      layout::Coordinates at = layout::unpack(result.outputs(), result(r));
      auto fragment = llvm::MutableArrayRef(sums).slice(r, mma.sumLanes());
      llvm::SmallVector<Registers> parts(turns - 1);
      for (Registers &part : parts)
        part.assign(fragment.size(), llvm::Constant::getNullValue(fragment.front()->getType()));
      for (uint64_t k = 0; k < depth; k += depthOfStep) {
        layout::Coordinates left = at, right = at;
        left[rank - 1] = right[rank - 2] = k;
        unsigned a = lhsAt(left), c = rhsAt(right), turn = k / depthOfStep % turns;
        mma.emit(turn ? llvm::MutableArrayRef<llvm::Value *>(parts[turn - 1]) : fragment,
                 llvm::ArrayRef(lhs).slice(a, mma.lhsLanes()),
                 llvm::ArrayRef(rhs).slice(c, mma.rhsLanes()));
      }
      for (auto [lane, sum] : llvm::enumerate(fragment))
        for (const Registers &part : parts)
          sum = add(c.b, sum, part[lane]);
    }
  } else {
    MultiplyAdd product(c.lanes, factor, sum);
    for (unsigned r = 0; r < sums.size(); ++r) {
      layout::Coordinates at = layout::unpack(result.outputs(), result(r));
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
  c.values[op.getResult()] = std::move(sums);
}

} // namespace nereid::backend::nvptx
