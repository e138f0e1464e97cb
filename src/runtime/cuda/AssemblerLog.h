// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where in a kernel's text the assembler's complaints belong.
#pragma once

#include <string>
#include <string_view>

namespace nereid::runtime::cuda {

/// What stands in PTX before instructions that a kernel's author wrote, up to the line's end:
/// "// from kernel.py:12:9".
inline constexpr std::string_view placeMark = "// from ";

/// The assembler's log, with a line behind each complaint about the author's own instructions that
/// shows the one it is about and where the kernel has it.
std::string withPlaces(std::string_view log, std::string_view ptx);

} // namespace nereid::runtime::cuda
