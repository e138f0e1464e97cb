// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/RemarkAssembled.h"

#include "backend/nvptx/ptx/OutsideProgram.h"
#include "backend/nvptx/rings/ResidentBlocks.h"
#include "dialect/tile/Remark.h"
#include "runtime/cuda/FewerRegisters.h"

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

/// The machine code, with the lines of its PTX's sites and how it is encoded. Where this fails, PTX
/// is counted.
std::string listingOf(const std::string &code) {
  std::string disassembler = findProgram("nvdisasm");
  if (disassembler.empty())
    return {};
  try {
    TemporaryFile cubin("cubin", code);
    return runProgram(disassembler, {"-c", "-g", "-hex", cubin.path()});
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

namespace {

struct Assembled {
  std::string log, cubin;
};

/// As the driver does, the whole program; with `isListed` its lines are in the machine code.
Assembled assembledOf(const std::string &ptx, const target::NvidiaTarget &target, bool isListed) {
  TemporaryFile source("ptx", ptx), cubin("cubin");
  std::string arch = "-arch=" + target.sm;
  llvm::SmallVector<llvm::StringRef> arguments = {arch, "-v", source.path(), "-o", cubin.path()};
  if (isListed)
    arguments.push_back("-lineinfo");
  std::string log = runProgram(findProgram("ptxas"), arguments);
  return {std::move(log), cubin.read()};
}

/// As CudaKernel::assembleWell has the driver do it: once more under a limit of registers where
/// that is better.
Assembled withFewerRegisters(Assembled first, const std::string &ptx,
                             const target::NvidiaTarget &target, const BlockNeeds &needs) {
  const AssemblyReport had = reportIn(first.log);
  runtime::cuda::DeviceProperties device;
  device.threadsPerMultiprocessor = int(target.warpsPerSm * target::warpSize);
  device.blocksPerMultiprocessor = int(target.blocksPerSm);
  device.registersPerMultiprocessor = int(target.registersPerSm);
  device.sharedPerMultiprocessor = int(target.sharedPerSm);
  runtime::cuda::FunctionAttributes function;
  function.registers = int(had.registers);
  function.localBytes = int(had.stackBytes);
  runtime::cuda::LaunchShape shape;
  shape.threads = needs.threads;
  shape.sharedBytes = uint32_t(needs.sharedBytes);
  auto blocksWith = [&](unsigned registers) {
    return int(
        residentBlocks(target, needs.threads / target::warpSize, registers, needs.sharedBytes));
  };
  Assembled other;
  auto tryLimit = [&](unsigned limit) -> std::optional<runtime::cuda::LimitedCode> {
    const std::string limited = runtime::cuda::withRegisterLimit(ptx, limit);
    if (limited.empty())
      return std::nullopt;
    try {
      other = assembledOf(limited, target, /*isListed=*/true);
    } catch (const OutsideFailure &) {
      return std::nullopt; // a product's registers are all taken together
    }
    const AssemblyReport report = reportIn(other.log);
    return runtime::cuda::LimitedCode{int(report.stackBytes), blocksWith(report.registers)};
  };
  unsigned limit = chooseLimit(device, function, shape, blocksWith(had.registers),
                               runtime::cuda::factsOf(ptx), tryLimit);
  return limit ? other : first;
}

} // namespace

std::optional<AssemblyReport> assemble(func::FuncOp kernel, const std::string &ptx,
                                       const target::NvidiaTarget &target,
                                       const BlockNeeds *listed) {
  if ((!listed && !tile::wantsRemarks(kernel)) || findProgram("ptxas").empty())
    return std::nullopt;
  try {
    Assembled code = assembledOf(ptx, target, listed != nullptr);
    if (tile::wantsRemarks(kernel)) {
      remarkReport(kernel, code.log);
      if (auto calls = callsIn(code.cubin); !calls.empty())
        tile::remark(kernel, RemarkId::calls_left, llvm::join(calls, ", "));
    }
    if (!listed)
      return reportIn(code.log);
    code = withFewerRegisters(std::move(code), ptx, target, *listed);
    AssemblyReport report = reportIn(code.log);
    report.listing = listingOf(code.cubin);
    return report;
  } catch (const OutsideFailure &) {
    return std::nullopt;
  }
}

} // namespace nereid::backend::nvptx
