// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Gallery.h"

namespace nereid::gallery {

/// Prints one row per trial as it comes, for people or as Markdown.
class Table {
public:
  Table(bool isMarkdown, bool isColoured) : isMarkdown(isMarkdown), isColoured(isColoured) {}

  void printHead() const;
  void printRow(const Listing &listing, const std::string &executor, const Result &result);
  /// The number of rows, of wrong ones, and the seconds.
  void printFoot(double seconds) const;

  int wrongRows() const { return wrong; }

private:
  void printCells(const std::vector<std::string> &cells) const;

  bool isMarkdown, isColoured;
  int rows = 0, wrong = 0;
};

} // namespace nereid::gallery
