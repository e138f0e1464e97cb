// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid-c/nereid.h"
#include "nereid/nereid.h"

namespace nereid::capi {

/// What the options ask of the check device.
CheckOptions toCheckOptions(const nereid_device_options &options);

} // namespace nereid::capi
