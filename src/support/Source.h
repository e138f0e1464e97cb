// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nereid {

/// One text that the compiler reads. Outlives everything that points into it: tokens, AST,
/// locations.
class SourceFile {
public:
  SourceFile(std::string path, std::string text);
  SourceFile(const SourceFile &) = delete;
  SourceFile &operator=(const SourceFile &) = delete;

  const std::string &path() const { return path_; }
  std::string_view text() const { return text_; }

  struct Position {
    unsigned line, column; // both from 1; the column counts bytes
  };
  Position position(uint32_t offset) const;
  /// The text of line `number` (from 1) without its line end.
  std::string_view line(unsigned number) const;

private:
  std::string path_, text_;
  std::vector<uint32_t> lineStarts;
};

/// A half-open byte range of one file. A null file stands for "no place in any source".
struct SourceRange {
  const SourceFile *file = nullptr;
  uint32_t begin = 0, end = 0;

  /// The smallest range that covers this one and `other`, both of one file.
  SourceRange to(SourceRange other) const { return {file, begin, other.end}; }
  std::string_view text() const { return file->text().substr(begin, end - begin); }
};

} // namespace nereid
