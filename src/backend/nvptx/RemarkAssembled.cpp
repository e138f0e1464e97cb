// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/RemarkAssembled.h"

#include "backend/nvptx/CompileKernel.h"
#include "backend/nvptx/OutsideProgram.h"
#include "dialect/tile/Remark.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace nereid::backend::nvptx {
namespace {

/// The number before `what` in a line, "16 bytes stack frame, 12 bytes spill stores"; or 0.
unsigned numberBefore(llvm::StringRef line, llvm::StringRef what) {
  size_t at = line.find(what);
  if (at == llvm::StringRef::npos)
    return 0;
  llvm::StringRef before = line.take_front(at).rtrim();
  size_t begin = before.find_last_not_of("0123456789") + 1;
  unsigned number = 0;
  return before.drop_front(begin).getAsInteger(10, number) ? 0 : number;
}

} // namespace

std::optional<AssemblyReport> assemble(const std::string &ptx,
                                       const target::NvidiaTarget &target) {
  std::string assembler = findProgram("ptxas");
  if (assembler.empty())
    return std::nullopt;
  try {
    TemporaryFile source("ptx", ptx), cubin("cubin");
    std::string arch = "-arch=" + target.sm;
    std::string text = runProgram(assembler, {arch, "-v", source.path(), "-o", cubin.path()});
    AssemblyReport report;
    for (llvm::StringRef line : llvm::split(llvm::StringRef(text), '\n')) {
      report.spillStores += numberBefore(line, " bytes spill stores");
      report.spillLoads += numberBefore(line, " bytes spill loads");
      report.stackBytes += numberBefore(line, " bytes stack frame");
      report.registers = std::max(report.registers, numberBefore(line, " registers"));
    }
    return report;
  } catch (const OutsideFailure &) {
    return std::nullopt;
  }
}

void remarkReport(func::FuncOp kernel, llvm::StringRef report) {
  unsigned stores = 0, loads = 0, registers = 0;
  for (llvm::StringRef line : llvm::split(report, '\n')) {
    stores += numberBefore(line, " bytes spill stores");
    loads += numberBefore(line, " bytes spill loads");
    registers = std::max(registers, numberBefore(line, " registers"));
    // "wgmma.mma_async instructions are serialized due to insufficient register resources for ..."
    auto [before, reason] = line.split("are serialized due to ");
    if (!reason.empty())
      tile::remark(kernel, RemarkId::products_serialized,
                   reason.split(" in the function").first.split(" in function").first);
  }
  if (stores || loads)
    tile::remark(kernel, RemarkId::registers_spilled, registers, stores, loads);
}

void remarkAssembled(func::FuncOp kernel, const std::string &ptx,
                     const target::NvidiaTarget &target) {
  if (!tile::wantsRemarks(kernel))
    return;
  std::string assembler = findProgram("ptxas");
  if (assembler.empty())
    return;
  try {
    TemporaryFile source("ptx", ptx), cubin("cubin");
    std::string arch = "-arch=" + target.sm;
    remarkReport(kernel, runProgram(assembler, {arch, "-v", source.path(), "-o", cubin.path()}));
  } catch (const OutsideFailure &) {
    // Whoever launches the code hears of it; a remark is no reason to fail.
  }
}

} // namespace nereid::backend::nvptx
