// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/RemarkAssembled.h"

#include "backend/nvptx/ptx/OutsideProgram.h"
#include "dialect/tile/Remark.h"

#include "llvm/ADT/StringExtras.h"

#include <set>

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

std::vector<std::string> callsIn(llvm::StringRef cubin) {
  // A name of its table of symbols: "$__internal_0_$__cuda_sm20_div_s64".
  constexpr llvm::StringLiteral internal = "$__internal_", family = "_$__cuda_sm";
  std::set<std::string> names;
  for (size_t at = 0; (at = cubin.find(internal, at)) != llvm::StringRef::npos;) {
    at += internal.size();
    llvm::StringRef name = cubin.drop_front(at).take_until([](char c) { return c == '\0'; });
    name = name.drop_while(llvm::isDigit);
    if (!name.consume_front(family))
      continue;
    name = name.drop_while(llvm::isDigit).ltrim('_');
    if (!name.empty() && !name.ends_with("slowpath"))
      names.insert(name.str());
  }
  return {names.begin(), names.end()};
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
    if (tile::wantsRemarks(kernel)) {
      remarkReport(kernel, log);
      if (auto calls = callsIn(cubin.read()); !calls.empty())
        tile::remark(kernel, RemarkId::calls_left, llvm::join(calls, ", "));
    }
    AssemblyReport report = reportIn(log);
    if (wantsListing)
      report.listing = listingOf(cubin.path());
    return report;
  } catch (const OutsideFailure &) {
    return std::nullopt;
  }
}

} // namespace nereid::backend::nvptx
