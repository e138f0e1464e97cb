// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/Backend.h"

#include "backend/cpu/CpuBackend.h"
#include "backend/none/NoneBackend.h"
#include "backend/nvptx/NvptxBackend.h"

namespace nereid::backend {

/// In the order of target::Target.
static const Backend *const table[] = {&cpuBackend, &nvptxBackend, &noneBackend};

llvm::ArrayRef<const Backend *> backends() { return table; }

const Backend &backendFor(const target::Target &target) { return *table[target.index()]; }

} // namespace nereid::backend
