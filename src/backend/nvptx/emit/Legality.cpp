// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/emit/Legality.h"

#include "backend/llvm/LaneTrial.h"
#include "backend/nvptx/emit/Emit.h"
#include "dialect/tile/Remark.h"

using namespace mlir;

namespace nereid::backend::nvptx {

static bool isSupported(Operation *op, LaneTrial &trial) {
  if (!hasKnownLanes(op))
    return false;
  if (op->hasTrait<OpTrait::IsTerminator>())
    return llvm::isa<tile::LaneOpInterface>(op);
  if (auto constant = llvm::dyn_cast<arith::ConstantOp>(op))
    return !tile::isTile(constant.getType()) || llvm::isa<SplatElementsAttr>(constant.getValue());
  if (hasEmitter(op) || tile::movesLanes(op))
    return true;
  return op->getNumResults() > 0 && tile::isLanewise(op) && trial.hasCode(op);
}

Operation *findUnsupported(func::FuncOp kernel, const LaneTarget &lanes,
                           llvm::LLVMContext &context) {
  LaneTrial trial(context, lanes);
  Operation *unsupported = nullptr;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (llvm::isa<tile::AssemblyOp>(op))
      tile::remark(op, RemarkId::assembly_unread);
    if (isSupported(op, trial))
      return WalkResult::advance();
    unsupported = op;
    return WalkResult::interrupt();
  });
  return unsupported;
}

} // namespace nereid::backend::nvptx
