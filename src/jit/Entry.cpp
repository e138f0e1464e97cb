// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/entry.h"

#include "jit/State.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid {
namespace {

[[noreturn]] void fail(const runtime::Artifact &artifact, const std::string &why) {
  throw Error(Error::Kind::Usage, "kernel '" + artifact.kernel + "' " + why);
}

void requireSilent(const runtime::Artifact &artifact,
                   const std::vector<runtime::PrintSite> &prints) {
  if (!prints.empty())
    fail(artifact, "prints or asserts, which a launcher of others does not know to read");
}

void requireAlone(const runtime::Artifact &artifact, bool meetsWholeGrid) {
  if (meetsWholeGrid)
    fail(artifact, "has blocks that wait for one another, which other launchers do not run at "
                   "once");
}

} // namespace

GpuEntry gpuEntry(const Artifact &of) {
  const runtime::Artifact &artifact = detail::ModuleState::of(of);
  const auto *code = std::get_if<runtime::CudaCode>(&artifact.code);
  if (!code)
    fail(artifact, "was not compiled for an NVIDIA GPU");
  if (!code->withoutBoxes.empty())
    code = &code->withoutBoxes[0];
  requireSilent(artifact, code->prints);
  requireAlone(artifact, code->meetsWholeGrid);
  auto isSeveral = [](uint32_t extent) { return extent != 1; };
  if (!code->boxes.empty() || !code->conditions.empty() || code->loopsOverPrograms ||
      llvm::any_of(code->cluster, isSeveral))
    fail(artifact, "comes without the code for launches that give its arguments alone, as kernels "
                   "from the cache do; compile it to a file");
  if (llvm::any_of(code->rows, isSeveral))
    fail(artifact, "is launched by threads along y, which other launchers are not told of");
  return {code->entry, code->ptx, code->threads, code->sharedBytes};
}

CpuEntry cpuEntry(const Artifact &of) {
  const runtime::Artifact &artifact = detail::ModuleState::of(of);
  const auto *code = std::get_if<runtime::CpuCode>(&artifact.code);
  if (!code)
    fail(artifact, "was not compiled for a CPU");
  requireSilent(artifact, code->prints);
  requireAlone(artifact, runtime::meetsWholeGrid(code->image));
  CpuEntry entry{code->image.bytes,
                 code->image.alignment,
                 code->image.entry,
                 code->scratchBytes,
                 {},
                 code->cpu,
                 llvm::any_of(code->features, [](const std::string &feature) {
                   return feature.starts_with("amx");
                 })};
  for (const runtime::CodeImage::Address &address : code->image.addresses)
    entry.addresses.push_back({address.offset, address.symbol, address.addend});
  return entry;
}

} // namespace nereid
