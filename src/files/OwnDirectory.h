// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace nereid::files {

/// Makes a directory, and those above it that are missing, for this user alone (mode 0700),
/// whatever the umask allows to others. One that is there stays as it is. Why it is not there;
/// empty if it is.
std::string makeOwnDirectory(const std::string &path);

} // namespace nereid::files
