// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// packaging.version, with which modules ask whose language they are read in.
#pragma once

#include "frontend/emit/Value.h"
#include "frontend/names/PythonModules.h"

#include <string_view>

namespace nereid::emit {

using names::packageVersion;

/// "3.6.0" as a tuple that compares as versions do: zeros at the end say nothing. Nothing for what
/// is no release: the order of those with letters is a running Python's concern.
std::optional<Tuple> versionOf(std::string_view text);

} // namespace nereid::emit
