// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machines that kernels are compiled for, as data.
#pragma once

#include "target/CpuTarget.h"
#include "target/NvidiaTarget.h"

#include <variant>

namespace nereid::target {

/// No machine: front end and passes run, and no code is made.
struct NoTarget {};

/// One alternative for each back end.
using Target = std::variant<CpuTarget, NvidiaTarget, NoTarget>;

} // namespace nereid::target
