// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler says, if it is asked, of a kernel that is right: where it declined a better
// form, why, and what it would have accepted (remarks.def, docs/remarks.md).
#pragma once

#include "support/Source.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace nereid {

enum class RemarkId {
#define REMARK(id, backEnd, text, accepted) id,
#include "support/remarks.def"
};

/// The format string, with {0}, {1} ... for its arguments.
const char *formatOf(RemarkId id);
/// The id as printed in brackets.
std::string_view nameOf(RemarkId id);
/// One sentence: what would be taken instead.
const char *acceptedOf(RemarkId id);

struct CompilerRemark {
  RemarkId id;
  /// Without a file where the place lies in none, or in another text than the kernel's.
  SourceRange range;
  /// The same as a name and numbers, in whatever text; a line of 0 means none.
  std::string file;
  unsigned line = 0, column = 0;
  std::string text;
  /// How many places of the code the line became that are all of this kind.
  uint64_t count = 1;

  /// "file:line:column: remark: text [id]", the line, a caret, and what would be accepted.
  void print(llvm::raw_ostream &out, bool useColor = false) const;
};

/// Collects the remarks of one compilation, on its thread.
class RemarkList {
public:
  /// One that is there already, of the same line and in the same words, counts once more.
  void add(CompilerRemark remark);
  /// In the order of the text; those without a place first.
  const std::vector<CompilerRemark> &remarks() const { return list; }

private:
  std::vector<CompilerRemark> list;
};

} // namespace nereid
