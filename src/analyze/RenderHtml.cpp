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

} // namespace

Json analyzer::pageDocumentOf(const Analysis &analysis) {
  Json document = documentOf(analysis);
  document["text"] = analysis.text;
  document["first_line"] = analysis.firstLine;
#define UNIT(member, name, meaning) document["units"][#member] = name;
#include "nereid/units.def"
  document["flow"] = documentOf(analysis.flow);
  document["timeline"] = documentOf(analysis.timeline);
  document["touches"] = documentOf(analysis.touches);
  return document;
}

std::string analyzer::pageWith(const Json &document) {
  std::string page(pageText());
  // The report last: whatever it holds is not looked through for marks.
  replace(page, "@STYLE@", pageStyle());
  replace(page, "@SCRIPT@", pageScript());
  replace(page, "@REPORT@", insideScript(writtenShort(document)));
  return page;
}

std::string toHtml(const Analysis &analysis) {
  return analyzer::pageWith({{"reports", {analyzer::pageDocumentOf(analysis)}}});
}

std::string toHtml(const Comparison &comparison) {
  return analyzer::pageWith(
      {{"reports",
        {analyzer::pageDocumentOf(comparison.first), analyzer::pageDocumentOf(comparison.second)}},
       {"differences", analyzer::documentOf(comparison.differences)}});
}

} // namespace nereid
