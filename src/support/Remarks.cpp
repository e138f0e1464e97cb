// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Remarks.h"

#include "nereid/error.h"
#include "support/Excerpt.h"

#include <algorithm>
#include <tuple>

namespace nereid {
namespace {

struct RemarkRow {
  std::string_view name;
  const char *format, *accepted;
};

constexpr RemarkRow remarkRows[] = {
#define REMARK(id, backEnd, text, accepted) {#id, text, accepted},
#include "support/remarks.def"
};

const RemarkRow &rowOf(RemarkId id) { return remarkRows[static_cast<size_t>(id)]; }

/// The order of the text, and what makes two the same but for the column.
auto lineOf(const CompilerRemark &remark) {
  return std::tie(remark.file, remark.line, remark.id, remark.text);
}

} // namespace

const char *formatOf(RemarkId id) { return rowOf(id).format; }
std::string_view nameOf(RemarkId id) { return rowOf(id).name; }
const char *acceptedOf(RemarkId id) { return rowOf(id).accepted; }

void CompilerRemark::print(llvm::raw_ostream &out, bool useColor) const {
  std::string tagged = text;
  if (count > 1)
    tagged += " (" + std::to_string(count) + " times)";
  tagged += " [" + std::string(nameOf(id)) + "]";
  if (!range.file && line)
    out << printable(file) << ':' << line << ':' << column << ": ";
  printEntry(out, range, "remark", llvm::raw_ostream::MAGENTA, tagged, useColor);
  printEntry(out, {}, "note", llvm::raw_ostream::CYAN, std::string("accepted: ") + acceptedOf(id),
             useColor);
}

void RemarkList::add(CompilerRemark remark) {
  auto same = std::ranges::find_if(
      list, [&](const CompilerRemark &other) { return lineOf(other) == lineOf(remark); });
  if (same != list.end()) {
    same->count += remark.count;
    return;
  }
  auto isBefore = [](const CompilerRemark &a, const CompilerRemark &b) {
    return std::tie(a.file, a.line, a.column, a.id, a.text) <
           std::tie(b.file, b.line, b.column, b.id, b.text);
  };
  list.insert(std::ranges::upper_bound(list, remark, isBefore), std::move(remark));
}

} // namespace nereid
