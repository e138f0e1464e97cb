// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/RemarkCalls.h"

#include "dialect/tile/Remark.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Instructions.h"

#include <set>

namespace nereid::backend::nvptx {

/// As ptxas calls what it writes for the instruction; empty if it writes it in line.
static llvm::StringRef calledFor(const llvm::Instruction &instruction) {
  bool isWide =
      instruction.getType()->isIntegerTy() && instruction.getType()->getIntegerBitWidth() > 32;
  if (!isWide || instruction.getNumOperands() != 2 ||
      llvm::isa<llvm::Constant>(instruction.getOperand(1)))
    return "";
  switch (instruction.getOpcode()) {
  case llvm::Instruction::SDiv:
    return "div_s64";
  case llvm::Instruction::UDiv:
    return "div_u64";
  case llvm::Instruction::SRem:
    return "rem_s64";
  case llvm::Instruction::URem:
    return "rem_u64";
  default:
    return "";
  }
}

void remarkCalls(mlir::func::FuncOp kernel, const llvm::Module &module) {
  if (!tile::wantsRemarks(kernel))
    return;
  std::set<std::string> names;
  for (const llvm::Function &function : module)
    for (const llvm::BasicBlock &block : function)
      for (const llvm::Instruction &instruction : block)
        if (llvm::StringRef name = calledFor(instruction); !name.empty())
          names.insert(name.str());
  if (!names.empty())
    tile::remark(kernel, RemarkId::calls_left, llvm::join(names, ", "));
}

} // namespace nereid::backend::nvptx
