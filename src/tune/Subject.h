// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/tune.h"

namespace nereid::tuning {

/// What times of this kernel with these arguments are times of (TuningOptions::key).
TuningSubject subjectOf(const Device &device, const Kernel &kernel, const Arguments &arguments,
                        const std::optional<std::vector<std::string>> &key);

/// This build.
std::string compiler();

} // namespace nereid::tuning
