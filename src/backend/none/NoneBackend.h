// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/Backend.h"

namespace nereid::backend {

/// For a target without a machine: keeps what comes before the back ends free of any.
extern const Backend noneBackend;

} // namespace nereid::backend
