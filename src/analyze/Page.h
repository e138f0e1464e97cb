// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace nereid::analyzer {

/// The page without its report, which goes where @REPORT@ stands, with @STYLE@ and @SCRIPT@.
std::string_view pageText();
std::string_view pageStyle();
std::string pageScript();

} // namespace nereid::analyzer
