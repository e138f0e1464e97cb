// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FormatText.h"

#include "nereid/error.h"

#include <cstdarg>

namespace nereid::command {
namespace {

std::string formatAll(const char *format, std::va_list arguments) {
  std::va_list again;
  va_copy(again, arguments);
  std::string text(static_cast<size_t>(std::vsnprintf(nullptr, 0, format, arguments)), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  return text;
}

} // namespace

std::string formatText(const char *format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::string text = formatAll(format, arguments);
  va_end(arguments);
  return text;
}

void sayText(std::FILE *stream, std::string_view text) {
  std::string shown = printable(text);
  std::fwrite(shown.data(), 1, shown.size(), stream);
}

void sayColored(std::FILE *stream, std::string_view report) {
  std::fwrite(report.data(), 1, report.size(), stream);
}

void say(std::FILE *stream, const char *format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  sayText(stream, formatAll(format, arguments));
  va_end(arguments);
}

} // namespace nereid::command
