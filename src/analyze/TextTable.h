// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <string>
#include <vector>

namespace nereid::analyzer {

/// Columns as wide as what stands in them; the first three are texts, the others numbers.
class TextTable {
public:
  explicit TextTable(std::vector<std::string> head) { add(std::move(head)); }

  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }

  void print(llvm::raw_ostream &out) const {
    if (rows.size() < 2)
      return;
    std::vector<size_t> widths(rows.front().size());
    for (const auto &row : rows)
      for (size_t i = 0; i < row.size(); ++i)
        widths[i] = std::max(widths[i], row[i].size());
    for (const auto &row : rows) {
      std::string line = " ";
      for (size_t i = 0; i < row.size(); ++i) {
        const bool isText = i < 3;
        std::string padding(widths[i] - row[i].size(), ' ');
        line += " " + (isText ? row[i] + padding : padding + row[i]);
      }
      out << llvm::StringRef(line).rtrim() << "\n";
    }
    out << "\n";
  }

private:
  std::vector<std::vector<std::string>> rows;
};

} // namespace nereid::analyzer
