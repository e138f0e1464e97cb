// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/lanes/AssemblyMistakes.h"

#include "dialect/tile/SourcePlace.h"
#include "support/Check.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/SourceMgr.h"

namespace nereid::backend::cpu {

using namespace mlir;

uint64_t numberOf(tile::AssemblyOp wanted) {
  uint64_t count = 0, number = 0;
  wanted->getParentOfType<func::FuncOp>().walk([&](tile::AssemblyOp op) {
    ++count;
    if (op == wanted)
      number = count;
  });
  return number;
}

AssemblyMistakes::AssemblyMistakes(llvm::LLVMContext &context) {
  context.setDiagnosticHandlerCallBack(listen, this, /*RespectFilters=*/true);
}

void AssemblyMistakes::listen(const llvm::DiagnosticInfo *info, void *self) {
  auto &mistakes = *static_cast<AssemblyMistakes *>(self);
  if (info->getSeverity() != llvm::DS_Error || !mistakes.first.empty())
    return;
  if (const auto *text = llvm::dyn_cast<llvm::DiagnosticInfoSrcMgr>(info)) {
    mistakes.first = text->getSMDiag().getMessage().str();
    mistakes.number = text->getLocCookie();
    return;
  }
  if (const auto *assembly = llvm::dyn_cast<llvm::DiagnosticInfoInlineAsm>(info)) {
    mistakes.first = assembly->getMsgStr().str();
    mistakes.number = assembly->getLocCookie();
    return;
  }
  std::string other;
  llvm::raw_string_ostream out(other);
  llvm::DiagnosticPrinterRawOStream printer(out);
  info->print(printer);
  NEREID_CHECK(false, "LLVM: " + other);
}

void AssemblyMistakes::report(func::FuncOp kernel, const SourceFile *source) const {
  if (first.empty())
    return;
  Location place = kernel.getLoc();
  kernel.walk([&](tile::AssemblyOp op) {
    if (numberOf(op) == number)
      place = op->getLoc();
  });
  tile::failAt(place, source, DiagnosticId::assembly_mistake, first);
}

} // namespace nereid::backend::cpu
