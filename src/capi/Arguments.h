// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid-c/nereid.h"
#include "nereid/nereid.h"

namespace nereid::capi {

/// Throws Error for null pointers and for numbers that name no kind or no type.
Arguments toArguments(const nereid_argument *arguments, size_t count);
DType toDType(nereid_dtype type);

} // namespace nereid::capi
