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
  /// A part of a larger text, such as one function of a file: messages call it `name` and count its
  /// lines from `firstLine`. `path` says where it lies, for what is looked for beside it; it may be
  /// empty.
  SourceFile(std::string path, std::string text, std::string name, unsigned firstLine);
  SourceFile(const SourceFile &) = delete;
  SourceFile &operator=(const SourceFile &) = delete;

  /// Where the text lies; empty if it is in no file.
  const std::string &path() const { return path_; }
  /// What messages call it.
  const std::string &name() const { return name_; }
  std::string_view text() const { return text_; }

  struct Position {
    unsigned line, column; // both from 1; the column counts bytes
  };
  Position position(uint32_t offset) const;
  /// The text of line `number`, as position() counts, without its line end.
  std::string_view line(unsigned number) const;
  bool hasLine(unsigned number) const {
    return number >= firstLine && number - firstLine < lineStarts.size();
  }

private:
  std::string path_, text_, name_;
  unsigned firstLine;
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
