// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/emit/KernelEmitter.h"
#include "backend/llvm/PrintSites.h"

using namespace mlir;

namespace nereid::backend::cpu {

void KernelEmitter::emitPrint(Operation *op) {
  auto print = llvm::cast<tile::PrintOp>(op);
  llvm::Type *pointer = b.getPtrTy();
  size_t count = print.getValues().size();
  llvm::Value *values =
      laneBuilder.stackSlot(llvm::ArrayType::get(pointer, std::max<size_t>(count, 1)));
  for (auto [i, value] : llvm::enumerate(print.getValues())) {
    Type element = tile::elementOf(value.getType());
    llvm::Value *address;
    if (tile::isTile(value.getType())) {
      address = scratch(plan.offsetOf(value));
    } else {
      address = laneBuilder.stackSlot(laneBuilder.memoryType(element));
      b.CreateStore(laneBuilder.toMemory(scalar(value), element), address);
    }
    b.CreateStore(address, b.CreateConstGEP1_64(pointer, values, i));
  }
  llvm::Value *ids = laneBuilder.stackSlot(llvm::ArrayType::get(b.getInt32Ty(), 3));
  for (unsigned axis = 0; axis < 3; ++axis)
    b.CreateStore(programId[axis], b.CreateConstGEP1_64(b.getInt32Ty(), ids, axis));
  llvm::Type *i32 = b.getInt32Ty();
  auto *type = llvm::FunctionType::get(b.getVoidTy(), {pointer, i32, pointer, pointer}, false);
  llvm::FunctionCallee callee = module.getOrInsertFunction("nereidPrint", type);
  b.CreateCall(callee, {context, b.getInt32(prints.size()), ids, values});
  prints.push_back(printSiteOf(print));
  if (!prints.back().isFailure)
    return;
  // What was asserted may be what keeps accesses inside of arrays.
  b.CreateBr(endOfProgram());
  b.SetInsertPoint(newBlock("program.left"));
}

} // namespace nereid::backend::cpu
