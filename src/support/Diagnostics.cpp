// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Diagnostics.h"

#include "nereid/error.h"
#include "support/Excerpt.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Unicode.h"
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

bool continuesCharacter(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// The last place up to `place` at which a character of UTF-8 begins.
size_t characterStart(std::string_view text, size_t place) {
  constexpr size_t mostBytes = 4;
  size_t start = std::min(place, text.size());
  for (size_t i = 1; i < mostBytes && start > 0 && start < text.size(); ++i)
    if (continuesCharacter(text[start]))
      --start;
  return start;
}

/// How many columns a text takes that is shown as it is.
size_t columnsOf(std::string_view shown) {
  int columns = llvm::sys::unicode::columnWidthUTF8(shown);
  if (columns >= 0)
    return static_cast<size_t>(columns);
  return static_cast<size_t>(
      std::ranges::count_if(shown, [](char c) { return !continuesCharacter(c); }));
}

/// As wide as the text, in blanks; tabs stay, whose width the terminal knows.
std::string blanksFor(std::string_view text) {
  std::string blanks;
  for (;;) {
    size_t tab = text.find('\t');
    blanks += std::string(columnsOf(printable(text.substr(0, tab))), ' ');
    if (tab == std::string_view::npos)
      return blanks;
    blanks += '\t';
    text.remove_prefix(tab + 1);
  }
}

void printExcerpt(llvm::raw_ostream &out, SourceRange range) {
  auto [line, column] = range.file->position(range.begin);
  std::string_view text = range.file->line(line);
  size_t start = std::min<size_t>(column - 1, text.size());
  size_t cut = characterStart(text, start > longestExcerpt / 2 ? start - longestExcerpt / 2 : 0);
  text.remove_prefix(cut);
  text = text.substr(0, characterStart(text, longestExcerpt));
  start = std::min(start - cut, text.size());
  std::string_view marked = text.substr(start, range.end - range.begin);
  size_t width = columnsOf(printable(marked));
  out << "  " << printable(text) << "\n  " << blanksFor(text.substr(0, start)) << '^'
      << std::string(width > 1 ? width - 1 : 0, '~') << '\n';
}

} // namespace

void printEntry(llvm::raw_ostream &out, SourceRange range, std::string_view severity,
                llvm::raw_ostream::Colors color, std::string_view text, bool useColor) {
  if (range.file) {
    auto [line, column] = range.file->position(range.begin);
    out << printable(range.file->name()) << ':' << line << ':' << column << ": ";
  }
  if (useColor)
    out.changeColor(color, /*Bold=*/true);
  out << severity << ": ";
  if (useColor)
    out.resetColor();
  out << printable(text) << '\n';
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
