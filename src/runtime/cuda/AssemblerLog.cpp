// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/AssemblerLog.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

namespace nereid::runtime::cuda {
namespace {

/// LLVM writes this behind each text of inline assembly.
constexpr std::string_view endMark = "// end inline asm";

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t length = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return lines;
}

std::string_view trimmed(std::string_view line) {
  size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  size_t end = line.find_last_not_of(" \t\r;");
  return line.substr(begin, end == std::string_view::npos ? 0 : end + 1 - begin);
}

/// "ptxas application ptx input, line 57; error : ..." has 57.
std::optional<size_t> numberIn(std::string_view complaint) {
  constexpr std::string_view word = "line ";
  size_t place = complaint.find(word);
  if (place == std::string_view::npos)
    return std::nullopt;
  std::string_view digits = complaint.substr(place + word.size());
  size_t number = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && number > 0 ? std::optional(number) : std::nullopt;
}

/// Where the author wrote line `index`; empty if the compiler did.
std::string_view placeOf(const std::vector<std::string_view> &lines, size_t index) {
  for (size_t i = index + 1; i-- > 0;) {
    std::string_view line = trimmed(lines[i]);
    if (line.starts_with(placeMark))
      return line.substr(placeMark.size());
    if (line.starts_with(endMark))
      return {};
  }
  return {};
}

} // namespace

std::string withPlaces(std::string_view log, std::string_view ptx) {
  std::vector<std::string_view> code = linesOf(ptx);
  std::string text;
  for (std::string_view complaint : linesOf(log)) {
    text += (text.empty() ? "" : "\n") + std::string(complaint);
    std::optional<size_t> number = numberIn(complaint);
    if (!number || *number > code.size())
      continue;
    if (std::string_view place = placeOf(code, *number - 1); !place.empty())
      text += "\n  " + std::string(place) + ": '" + std::string(trimmed(code[*number - 1])) + "'";
  }
  return text;
}

} // namespace nereid::runtime::cuda
