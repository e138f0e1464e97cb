// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <optional>

namespace nereid {

/// The bytes that an environment variable gives in MiB; nothing if it is not set or says no number
/// below 2^40.
std::optional<size_t> sizeFromEnvironment(const char *variable);

} // namespace nereid
