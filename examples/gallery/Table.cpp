// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Table.h"

#include <cstdio>

namespace nereid::gallery {
namespace {

struct Column {
  const char *head;
  int width; ///< negative: flush left
};
constexpr Column columns[] = {
    {"listing", -7}, {"kernel", -34}, {"executor", -8}, {"size", -26}, {"largest error", 20},
    {"allowed", 18}, {"verdict", -7}, {"time", 11},     {"rate", 15},
};
constexpr size_t verdictColumn = 6;

std::string format(const char *pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), pattern, value);
  return text;
}

/// Whether the kernel ran, so that its results were compared.
bool hasNumbers(const Result &result) { return result.remark.empty() && result.milliseconds > 0; }

std::string errorText(const Result &result) {
  if (!result.remark.empty())
    return result.remark;
  if (!hasNumbers(result))
    return "";
  std::string text = format("%.2g", result.largestError);
  if (result.largestAllowed > 0)
    text += format(" (%.1g rel)", result.largestRelativeError);
  return text;
}

std::string toleranceText(const Result &result) {
  if (!hasNumbers(result))
    return "";
  return result.largestAllowed == 0 ? "exact" : format("%.2g", result.largestAllowed);
}

std::string timeText(const Result &result) {
  return result.milliseconds > 0 ? format("%.3f ms", result.milliseconds) : "";
}

std::string rateText(const Result &result) {
  if (result.milliseconds <= 0)
    return "";
  double perSecond = 1e-6 / result.milliseconds;
  if (result.operations > 0)
    return format("%.2f GFLOP/s", result.operations * perSecond);
  return result.bytes > 0 ? format("%.2f GB/s", result.bytes * perSecond) : "";
}

} // namespace

std::string sizeText(const Extents &size) {
  std::string text;
  for (int64_t extent : size)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

void Table::printCells(const std::vector<std::string> &cells) const {
  if (isMarkdown)
    std::printf("|");
  for (size_t i = 0; i < cells.size(); ++i) {
    bool colours = isColoured && !isMarkdown && i == verdictColumn;
    const char *colour = cells[i] == "right" ? "\033[32m" : cells[i] == "WRONG" ? "\033[31m" : "";
    std::printf(isMarkdown ? " %s%*s%s |" : "%s%*s%s  ", colours ? colour : "",
                isMarkdown ? 0 : columns[i].width, cells[i].c_str(), colours ? "\033[0m" : "");
  }
  std::printf("\n");
  std::fflush(stdout);
}

void Table::printHead() const {
  std::vector<std::string> heads, rules;
  for (const Column &column : columns) {
    heads.push_back(column.head);
    rules.push_back(column.width < 0 ? "---" : "---:");
  }
  printCells(heads);
  if (isMarkdown)
    printCells(rules);
}

void Table::printRow(const Listing &listing, const std::string &executor, const Result &result) {
  bool isRight = result.problem.empty();
  std::string name = listing.kernel;
  if (!listing.remark.empty())
    name += " (" + listing.remark + ")";
  printCells({listing.id, name, executor, result.size, errorText(result), toleranceText(result),
              isRight ? "right" : "WRONG", timeText(result), rateText(result)});
  ++rows;
  if (isRight)
    return;
  ++wrong;
  std::fprintf(stderr, "%s %s %s %s: %s\n", listing.id.c_str(), name.c_str(), executor.c_str(),
               result.size.c_str(), result.problem.c_str());
}

void Table::printFoot(double seconds) const {
  std::printf("\n%d rows, %d wrong, %.1f s\n", rows, wrong, seconds);
}

} // namespace nereid::gallery
