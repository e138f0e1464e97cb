// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/cuda/Module.h"

namespace nereid::runtime::cuda {

/// As Module::assemble(), for many at once. One text at a time is assembled in this process; while
/// several wait for it, up to eight helpers (AssemblyHelper.h) have others made, which then come
/// from the driver's cache, as soon as they have started. Without a program for that, or where the
/// driver keeps no cache, all wait for their turn.
std::shared_ptr<const Module> assembleInTurn(const std::shared_ptr<Context> &context,
                                             std::span<const uint8_t> ptx, const std::string &what);

} // namespace nereid::runtime::cuda
