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

/// What ptxas prints. Code that it refuses is no reason to fail: whoever launches it hears of it.
std::optional<std::string> assemblerLog(const std::string &ptx,
                                        const target::NvidiaTarget &target) {
  std::string assembler = findProgram("ptxas");
  if (assembler.empty())
    return std::nullopt;
  try {
    TemporaryFile source("ptx", ptx), cubin("cubin");
    return runProgram(assembler, {"-arch=" + target.sm, "-v", source.path(), "-o", cubin.path()});
  } catch (const OutsideFailure &) {
    return std::nullopt;
  }
}

AssemblyReport reportIn(llvm::StringRef log) {
  AssemblyReport report;
  for (llvm::StringRef line : llvm::split(log, '\n')) {
    report.spillStores += numberBefore(line, " bytes spill stores");
    report.spillLoads += numberBefore(line, " bytes spill loads");
    report.stackBytes += numberBefore(line, " bytes stack frame");
    report.registers = std::max(report.registers, numberBefore(line, " registers"));
  }
  return report;
}

} // namespace

std::optional<AssemblyReport> assemble(const std::string &ptx,
                                       const target::NvidiaTarget &target) {
  std::optional<std::string> log = assemblerLog(ptx, target);
  return log ? std::optional(reportIn(*log)) : std::nullopt;
}

void remarkReport(func::FuncOp kernel, llvm::StringRef log) {
  for (llvm::StringRef line : llvm::split(log, '\n')) {
    // "wgmma.mma_async instructions are serialized due to insufficient register resources for ..."
    auto [before, reason] = line.split("are serialized due to ");
    if (!reason.empty())
      tile::remark(kernel, RemarkId::products_serialized,
                   reason.split(" in the function").first.split(" in function").first);
  }
  AssemblyReport report = reportIn(log);
  if (report.spillStores || report.spillLoads)
    tile::remark(kernel, RemarkId::registers_spilled, report.registers, report.spillStores,
                 report.spillLoads);
}

void remarkAssembled(func::FuncOp kernel, const std::string &ptx,
                     const target::NvidiaTarget &target) {
  if (!tile::wantsRemarks(kernel))
    return;
  if (std::optional<std::string> log = assemblerLog(ptx, target))
    remarkReport(kernel, *log);
}

} // namespace nereid::backend::nvptx
