// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/cuda/Module.h"

namespace nereid::runtime::cuda {

/// As link(), for many at once. One link at a time is done in this process; while several wait for
/// it, up to eight helpers (LinkHelper.h) do others, as soon as they have started. Without a
/// program for that, all wait for their turn.
std::vector<uint8_t> linkInTurn(Context &context, std::string_view ptx, const std::string &what);

} // namespace nereid::runtime::cuda
