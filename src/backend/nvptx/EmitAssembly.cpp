// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile.assembly: PTX that the front end did not understand, with integers in its registers.
#include "backend/nvptx/NvptxLaneTarget.h"

#include "dialect/tile/Tile.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/Support/Error.h"

using namespace mlir;

namespace nereid::backend::nvptx {

llvm::Value *NvptxLaneTarget::emitAssembly(LaneBuilder &lanes, Operation *op,
                                           llvm::ArrayRef<llvm::Value *> operands) const {
  auto assembly = llvm::cast<tile::AssemblyOp>(op);
  Builder &b = lanes.builder();
  llvm::SmallVector<llvm::Type *> given, results;
  for (llvm::Value *operand : operands)
    given.push_back(operand->getType());
  for (Attribute output : assembly.getOutputs())
    results.push_back(lanes.laneType(llvm::cast<TypeAttr>(output).getValue()));
  llvm::Type *result =
      results.size() == 1 ? results[0] : llvm::StructType::get(b.getContext(), results);
  auto *type = llvm::FunctionType::get(result, given, false);
  if (llvm::Error mistake = llvm::InlineAsm::verify(type, assembly.getConstraints())) {
    llvm::consumeError(std::move(mistake));
    return nullptr;
  }
  llvm::CallInst *call =
      b.CreateCall(llvm::InlineAsm::get(type, assembly.getText(), assembly.getConstraints(),
                                        /*hasSideEffects=*/false),
                   operands);
  call->setOnlyReadsMemory(); // and so one of several with the same operands does
  call->setDoesNotThrow();
  call->addFnAttr(llvm::Attribute::Convergent); // it may exchange with other threads
  auto index = static_cast<unsigned>(assembly.getIndex());
  return results.size() == 1 ? call : b.CreateExtractValue(call, index);
}

} // namespace nereid::backend::nvptx
