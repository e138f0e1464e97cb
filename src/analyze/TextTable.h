// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <string>
#include <vector>

namespace nereid::analyzer {

/// What a row is to who reads it. In colour: bold; red; yellow.
enum class Tone { Plain, Strong, Loss, Mild };

/// The text as a terminal shows it, where that is wanted.
inline std::string toned(Tone tone, std::string text, bool isColored) {
  constexpr const char *codes[] = {"", "1", "31", "33"};
  if (!isColored || tone == Tone::Plain || text.empty())
    return text;
  return std::string("\033[") + codes[size_t(tone)] + "m" + text + "\033[0m";
}

/// Columns as wide as what stands in them; the first ones are texts, the others numbers.
class TextTable {
public:
  explicit TextTable(std::vector<std::string> head, size_t texts = 3) : texts(texts) {
    add(std::move(head));
  }

  void add(std::vector<std::string> row, Tone tone = Tone::Plain) {
    rows.push_back(std::move(row));
    tones.push_back(tone);
  }

  void print(llvm::raw_ostream &out, bool isColored) const {
    if (rows.size() < 2)
      return;
    std::vector<size_t> widths(rows.front().size());
    for (const auto &row : rows)
      for (size_t i = 0; i < row.size(); ++i)
        widths[i] = std::max(widths[i], row[i].size());
    for (const auto &[number, row] : llvm::enumerate(rows)) {
      std::string line = " ";
      for (size_t i = 0; i < row.size(); ++i) {
        const bool isText = i < texts;
        std::string padding(widths[i] - row[i].size(), ' ');
        line += " " + (isText ? row[i] + padding : padding + row[i]);
      }
      out << toned(tones[number], llvm::StringRef(line).rtrim().str(), isColored) << "\n";
    }
    out << "\n";
  }

private:
  size_t texts;
  std::vector<std::vector<std::string>> rows;
  std::vector<Tone> tones;
};

} // namespace nereid::analyzer
