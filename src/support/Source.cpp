// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Source.h"

#include <algorithm>

namespace nereid {

SourceFile::SourceFile(std::string path, std::string text)
    : SourceFile(path, std::move(text), path, 1) {}

SourceFile::SourceFile(std::string path, std::string text, std::string name, unsigned firstLine)
    : path_(std::move(path)), text_(std::move(text)), name_(std::move(name)), firstLine(firstLine) {
  lineStarts.push_back(0);
  for (uint32_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n')
      lineStarts.push_back(i + 1);
}

SourceFile::Position SourceFile::position(uint32_t offset) const {
  auto next = std::upper_bound(lineStarts.begin(), lineStarts.end(), offset);
  auto line = static_cast<unsigned>(next - lineStarts.begin());
  return {line + firstLine - 1, offset - lineStarts[line - 1] + 1};
}

std::string_view SourceFile::line(unsigned number) const {
  uint32_t begin = lineStarts[number - firstLine];
  std::string_view rest = std::string_view(text_).substr(begin);
  std::string_view line = rest.substr(0, rest.find('\n'));
  if (line.ends_with('\r'))
    line.remove_suffix(1);
  return line;
}

} // namespace nereid
