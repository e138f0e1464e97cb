// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report as a page: one file that loads nothing. It holds the document of toJson() and a script
// that draws it (src/analyze/page).
#include "analyze/Page.h"
#include "analyze/ReportDocument.h"
#include "nereid/analyze.h"

namespace nereid {
namespace {

using Json = nlohmann::ordered_json;

/// Inside <script> only "</" and "<!--" could end it or begin a comment; in JSON "<" is an escape
/// as well.
std::string insideScript(std::string_view json) {
  std::string text;
  for (char c : json)
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text;
}

void replace(std::string &text, std::string_view mark, std::string_view with) {
  text.replace(text.find(mark), mark.size(), with);
}

Json pageOf(const Analysis &analysis) {
  Json document = analyzer::documentOf(analysis);
  document["text"] = analysis.text;
  document["first_line"] = analysis.firstLine;
#define UNIT(member, name, meaning) document["units"][#member] = name;
#include "nereid/units.def"
  document["flow"] = analyzer::documentOf(analysis.flow);
  document["timeline"] = analyzer::documentOf(analysis.timeline);
  document["touches"] = analyzer::documentOf(analysis.touches);
  return document;
}

std::string pageWith(const Json &document) {
  std::string page(analyzer::pageText());
  // The report last: whatever it holds is not looked through for marks.
  replace(page, "@STYLE@", analyzer::pageStyle());
  replace(page, "@SCRIPT@", analyzer::pageScript());
  replace(page, "@REPORT@", insideScript(analyzer::writtenShort(document)));
  return page;
}

} // namespace

std::string toHtml(const Analysis &analysis) { return pageWith({{"reports", {pageOf(analysis)}}}); }

std::string toHtml(const Comparison &comparison) {
  return pageWith({{"reports", {pageOf(comparison.first), pageOf(comparison.second)}},
                   {"differences", analyzer::documentOf(comparison.differences)}});
}

} // namespace nereid
