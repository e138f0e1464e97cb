// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Kernel.h"

#include <functional>

namespace nereid::generate {

/// A smaller kernel that still fails: statements are left out, or replaced by simpler ones, for as
/// long as `stillFails` says so of the result.
Kernel shrink(Kernel kernel, const std::function<bool(const Kernel &)> &stillFails);

} // namespace nereid::generate
