// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nereid::jit {

/// "did you mean 'add'?", or else a list of what there is.
std::string suggest(std::string_view name, const std::vector<std::string> &candidates,
                    std::string_view plural, std::string_view singular);

} // namespace nereid::jit
