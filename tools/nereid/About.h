// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What this program is and what it is made of; written while it is built.
#pragma once

#include <string>

namespace nereid::command {

/// "nereid 0.1.0 (commit 84ef27f0c1d2, LLVM 22.1.8)"; a "+" behind the commit: with changes.
std::string fullVersion();

/// What it carries of other projects: names, versions, and the texts of their licences.
std::string licences();

} // namespace nereid::command
