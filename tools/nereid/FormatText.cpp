// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FormatText.h"

#include <cstdarg>
#include <cstdio>

namespace nereid::command {

std::string formatText(const char *format, ...) {
  std::va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  std::string text(static_cast<size_t>(std::vsnprintf(nullptr, 0, format, arguments)), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  va_end(arguments);
  return text;
}

} // namespace nereid::command
