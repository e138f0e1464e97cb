// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile.assembly: PTX that the front end did not understand, with integers in its registers.
#include "backend/nvptx/ptx/NvptxLaneTarget.h"

#include "backend/llvm/InlineAssembly.h"
#include "dialect/tile/SourcePlace.h"
#include "dialect/tile/Tile.h"
#include "nereid/error.h"
#include "runtime/cuda/AssemblerLog.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/Support/Error.h"

using namespace mlir;

namespace nereid::backend::nvptx {

/// With the place where its author wrote it, for the assembler's complaints.
static std::string markedText(tile::AssemblyOp assembly) {
  std::string place = printable(tile::placeText(assembly.getLoc())), mark;
  for (char c : place)
    mark += c == '$' ? std::string("$$") : std::string(1, c);
  return place.empty()
             ? assembly.getText().str()
             : std::string(runtime::cuda::placeMark) + mark + "\n\t" + assembly.getText().str();
}

llvm::SmallVector<llvm::Value *, 2>
NvptxLaneTarget::emitAssembly(LaneBuilder &lanes, Operation *op,
                              llvm::ArrayRef<llvm::Value *> operands) const {
  auto assembly = llvm::cast<tile::AssemblyOp>(op);
  Builder &b = lanes.builder();
  llvm::SmallVector<llvm::Type *> results;
  for (Type output : assembly.getOutputs().getTypes())
    results.push_back(lanes.laneType(tile::elementOf(output)));
  llvm::FunctionType *type = assemblyType(b.getContext(), operands, results);
  std::string constraints = assembly.getConstraints().str();
  if (assembly.getEffects())
    constraints += ",~{memory}";
  if (llvm::Error mistake = llvm::InlineAsm::verify(type, constraints)) {
    llvm::consumeError(std::move(mistake));
    return {};
  }
  llvm::CallInst *call = b.CreateCall(
      llvm::InlineAsm::get(type, markedText(assembly), constraints, assembly.getEffects()),
      operands);
  if (!assembly.getEffects())
    call->setOnlyReadsMemory();
  call->setDoesNotThrow();
  call->addFnAttr(llvm::Attribute::Convergent); // it may exchange with other threads
  return resultsOf(b, call);
}

} // namespace nereid::backend::nvptx
