// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Diagnostics.h"

#include "support/Excerpt.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace nereid {
namespace {

constexpr const char *formats[] = {
#define DIAGNOSTIC(id, text) text,
#include "support/diagnostics.def"
};

constexpr std::string_view names[] = {
#define DIAGNOSTIC(id, text) #id,
#include "support/diagnostics.def"
};

/// Long lines (generated code) are cut round the caret so that a message stays readable.
constexpr size_t longestExcerpt = 160;

void printExcerpt(llvm::raw_ostream &out, SourceRange range) {
  auto [line, column] = range.file->position(range.begin);
  std::string_view text = range.file->line(line);
  size_t start = std::min<size_t>(column - 1, text.size());
  size_t cut = start > longestExcerpt / 2 ? start - longestExcerpt / 2 : 0;
  text = text.substr(cut, longestExcerpt);
  start -= cut;
  out << "  " << text << "\n  ";
  for (char c : text.substr(0, start))
    out << (c == '\t' ? '\t' : ' ');
  size_t width =
      std::min<size_t>(range.end - range.begin, text.size() - std::min(start, text.size()));
  out << '^' << std::string(width > 1 ? width - 1 : 0, '~') << '\n';
}

} // namespace

void printEntry(llvm::raw_ostream &out, SourceRange range, std::string_view severity,
                llvm::raw_ostream::Colors color, std::string_view text, bool useColor) {
  if (range.file) {
    auto [line, column] = range.file->position(range.begin);
    out << range.file->name() << ':' << line << ':' << column << ": ";
  }
  if (useColor)
    out.changeColor(color, /*Bold=*/true);
  out << severity << ": ";
  if (useColor)
    out.resetColor();
  out << text << '\n';
  if (range.file)
    printExcerpt(out, range);
}

const char *formatOf(DiagnosticId id) { return formats[static_cast<size_t>(id)]; }
std::string_view nameOf(DiagnosticId id) { return names[static_cast<size_t>(id)]; }

void Diagnostic::print(llvm::raw_ostream &out, bool useColor) const {
  std::string tagged = text + " [" + std::string(nameOf(id)) + "]";
  printEntry(out, range, "error", llvm::raw_ostream::RED, tagged, useColor);
  for (const DiagnosticNote &note : notes)
    printEntry(out, note.range, "note", llvm::raw_ostream::CYAN, note.text, useColor);
  for (const Diagnostic &other : further)
    other.print(out, useColor);
}

std::string Diagnostic::render() const {
  std::string text;
  llvm::raw_string_ostream out(text);
  print(out);
  return text;
}

/// Whether two neighbouring letters changed places: what fingers do most.
static bool areSwapped(std::string_view name, std::string_view candidate) {
  if (name.size() != candidate.size())
    return false;
  auto [here, there] = std::mismatch(name.begin(), name.end(), candidate.begin());
  return name.end() - here >= 2 && here[0] == there[1] && here[1] == there[0] &&
         std::equal(here + 2, name.end(), there + 2);
}

std::string closestName(std::string_view name, const std::vector<std::string> &candidates) {
  for (const std::string &candidate : candidates)
    if (areSwapped(name, candidate))
      return candidate;
  unsigned allowed = std::max<unsigned>(1, static_cast<unsigned>(name.size()) / 3);
  std::string best;
  for (const std::string &candidate : candidates) {
    unsigned distance = llvm::StringRef(name).edit_distance(candidate, true, allowed);
    if (distance > allowed || distance >= std::max(name.size(), candidate.size()))
      continue;
    allowed = distance;
    if (best.empty() || distance < llvm::StringRef(name).edit_distance(best))
      best = candidate;
  }
  return best;
}

} // namespace nereid
