// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace nereid::command {

/// As printf writes it, as a string.
__attribute__((format(printf, 1, 2))) std::string formatText(const char *format, ...);

/// As printf writes it, but printable(): whatever holds texts or names of others goes this way.
__attribute__((format(printf, 2, 3))) void say(std::FILE *stream, const char *format, ...);
/// The same for a text that is there.
void sayText(std::FILE *stream, std::string_view text);
/// A report that the library has made in colour: what of it is others' is printable already, and
/// its colours are to be obeyed.
void sayColored(std::FILE *stream, std::string_view report);

} // namespace nereid::command
