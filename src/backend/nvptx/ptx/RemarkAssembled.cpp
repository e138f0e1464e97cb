// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/RemarkAssembled.h"

#include "backend/nvptx/ptx/OutsideProgram.h"
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

/// The machine code, with the lines of its PTX's sites. Where this fails, PTX is counted.
std::string listingOf(llvm::StringRef cubin) {
  std::string disassembler = findProgram("nvdisasm");
  if (disassembler.empty())
    return {};
  try {
    return runProgram(disassembler, {"-c", "-g", cubin});
  } catch (const OutsideFailure &) {
    return {};
  }
}

} // namespace

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

std::optional<AssemblyReport> assemble(func::FuncOp kernel, const std::string &ptx,
                                       const target::NvidiaTarget &target, bool wantsListing) {
  if (!wantsListing && !tile::wantsRemarks(kernel))
    return std::nullopt;
  std::string assembler = findProgram("ptxas");
  if (assembler.empty())
    return std::nullopt;
  try {
    TemporaryFile source("ptx", ptx), cubin("cubin");
    std::string arch = "-arch=" + target.sm;
    llvm::SmallVector<llvm::StringRef> arguments = {arch, "-v", source.path(), "-o", cubin.path()};
    if (wantsListing)
      arguments.push_back("-lineinfo");
    std::string log = runProgram(assembler, arguments);
    if (tile::wantsRemarks(kernel))
      remarkReport(kernel, log);
    AssemblyReport report = reportIn(log);
    if (wantsListing)
      report.listing = listingOf(cubin.path());
    return report;
  } catch (const OutsideFailure &) {
    return std::nullopt;
  }
}

} // namespace nereid::backend::nvptx
