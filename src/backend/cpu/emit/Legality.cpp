// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/emit/Legality.h"

#include "backend/cpu/emit/KernelEmitter.h"
#include "backend/llvm/LaneTrial.h"

using namespace mlir;

namespace nereid::backend::cpu {
namespace {

bool isSupported(Operation *op, LaneTrial &trial) {
  if (!hasKnownLanes(op))
    return false;
  if (op->hasTrait<OpTrait::IsTerminator>())
    return llvm::isa<tile::LaneOpInterface>(op);
  if (KernelEmitter::isRoot(op) || Nest::knows(op))
    return true;
  return op->getNumResults() > 0 && tile::isLanewise(op) && trial.hasCode(op);
}

} // namespace

Operation *findUnsupported(func::FuncOp kernel, const target::CpuTarget &target,
                           const SourceFile *source, llvm::LLVMContext &context) {
  CpuLaneTarget lanes(target, source);
  LaneTrial trial(context, lanes);
  Operation *unsupported = nullptr;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isSupported(op, trial))
      return WalkResult::advance();
    unsupported = op;
    return WalkResult::interrupt();
  });
  return unsupported;
}

} // namespace nereid::backend::cpu
