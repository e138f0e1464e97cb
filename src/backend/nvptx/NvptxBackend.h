// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/Backend.h"

namespace nereid::backend {

/// For target::NvidiaTarget.
extern const Backend nvptxBackend;

} // namespace nereid::backend
