// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid-c/nereid.h"
#include "nereid/compile.h"

namespace nereid::capi {

/// Throws Error(Usage) for what this library does not know.
CompileOptions toCompileOptions(const nereid_compile_options *given);

} // namespace nereid::capi
