// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/profile.h"

#include <nlohmann/json.hpp>

namespace nereid::profiler {

/// As docs/profile.md says.
nlohmann::ordered_json documentOf(const Profile &profile);

} // namespace nereid::profiler
