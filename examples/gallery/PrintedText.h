// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>

namespace nereid::gallery {

/// What `act` writes to the standard output, which sees none of it.
std::string printedText(const std::function<void()> &act);

} // namespace nereid::gallery
