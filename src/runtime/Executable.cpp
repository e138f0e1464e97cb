// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Executable.h"

#include "nereid/error.h"

namespace nereid::runtime {

void Executable::launchOn(void *, GridExtent, std::span<const ArgumentSlot>, const PrintSink *,
                          bool) {
  throw Error(Error::Kind::Usage, "streams of other libraries are there on GPUs alone");
}

std::unique_ptr<ClockedLaunch> Executable::prepareClocked(GridExtent, std::span<const ArgumentSlot>,
                                                          const ClockLimits &) {
  throw Error(Error::Kind::Usage, "this code notes nothing: it was compiled without clocks");
}

std::unique_ptr<SampledLaunch> Executable::prepareSampled(GridExtent,
                                                          std::span<const ArgumentSlot>) {
  throw Error(Error::Kind::Usage, "this code does not know of which lines it is");
}

} // namespace nereid::runtime
