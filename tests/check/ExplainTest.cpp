// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The examples of explanations.def have the mistakes that they are for, when they are compiled or,
// for what checked runs find, run; and mended they have none.
// With NEREID_WRITE_DOCS in the environment, docs/diagnostics.md is written.
#include "EmitKernel.h"
#include "RunArguments.h"
#include "nereid/nereid.h"
#include "support/Explanations.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

namespace nereid {
static void PrintTo(const DiagnosticExplanation &row, std::ostream *out) { *out << row.name(); }
} // namespace nereid

namespace nereid::test {
namespace {

/// What the run finds that the example's first line asks for.
Outcome checkedRun(const DiagnosticExplanation &row, const char *part) {
  std::istringstream words(std::string(part).substr(0, std::string(part).find('\n')));
  std::string word, grid, request;
  Tuning tuning;
  std::vector<std::string> arguments;
  while (words >> word) {
    if (word == "--grid")
      words >> grid;
    else if (word == "--block")
      words >> tuning.block.x;
    else if (word == "--find")
      words >> request;
    else if (word.find('=') != std::string::npos)
      arguments.push_back(word);
  }
  Outcome outcome;
  auto note = [&](const Finding &finding) {
    if (outcome.id != row.name()) // others may come of it
      outcome.id = finding.id;
    outcome.message += finding.place.file + ":" + std::to_string(finding.place.line) + ":" +
                       std::to_string(finding.place.column) +
                       (finding.isWarning ? ": warning: " : ": error: ") + finding.text + " [" +
                       finding.id + "]\n";
  };
  CheckOptions options{.findsNonFinite = request == "nonfinite",
                       .comparesOrders = request == "orders",
                       .warn = note};
  Device device = Device::open("check", {.check = options});
  command::RunArguments given(device, 1, arguments);
  Module module = Module::fromText(row.file(part), "k.py");
  try {
    module.kernel()
        .prepare(device, given.evaluate(), tuning)
        .run(Expression(grid).evaluateGrid(given));
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), Error::Kind::Checked) << error.what();
    for (const Finding &finding : error.findings())
      note(finding);
  }
  return outcome;
}

Outcome compiled(const DiagnosticExplanation &row, const char *part) {
  if (std::holds_alternative<FindingId>(row.id))
    return checkedRun(row, part);
  return tryKernel(row.file(part), [&](size_t parameters) {
    Signature signature =
        row.isBody ? Signature{"*f32", "i32", "u32", "f32", "=16"} : Signature{"*f32", "i32"};
    signature.resize(std::min(signature.size(), parameters));
    return signature;
  });
}

class Explanations : public testing::TestWithParam<DiagnosticExplanation> {};

TEST_P(Explanations, ShowTheMistakeAndItsRepair) {
  const DiagnosticExplanation &row = GetParam();
  Outcome wrong = compiled(row, row.mistake), right = compiled(row, row.mended);
  EXPECT_EQ(wrong.id, row.name()) << wrong.message;
  EXPECT_EQ(right.id, "") << right.message;
}

std::vector<DiagnosticExplanation> withExamples() {
  std::vector<DiagnosticExplanation> rows;
  for (const DiagnosticExplanation &row : diagnosticExplanations())
    if (row.mistake)
      rows.push_back(row);
  return rows;
}

INSTANTIATE_TEST_SUITE_P(All, Explanations, testing::ValuesIn(withExamples()),
                         [](const auto &info) { return std::string(info.param.name()); });

TEST(Diagnostics, AreExplainedOnceEach) {
  std::multiset<std::variant<DiagnosticId, FindingId>> explained;
  for (const DiagnosticExplanation &row : diagnosticExplanations())
    explained.insert(row.id);
#define DIAGNOSTIC(id, text) EXPECT_EQ(explained.count(DiagnosticId::id), 1u) << #id;
#include "support/diagnostics.def"
#define FINDING(id, severity, text) EXPECT_EQ(explained.count(FindingId::id), 1u) << #id;
#include "support/findings.def"
}

std::string page() {
  std::string text =
      "# Diagnostics\n\nMade by `tests/check` from `src/support/explanations.def`, whose examples "
      "it "
      "compiles or runs; `NEREID_WRITE_DOCS=1\nbuild/release/check_test` writes it. `nereid "
      "explain "
      "ID` prints "
      "one.\n";
  for (const DiagnosticExplanation &row : diagnosticExplanations()) {
    text +=
        "\n## " + std::string(row.name()) + "\n\n`" + row.format() + "`\n\n" + row.meaning + "\n";
    if (!row.mistake)
      continue;
    text += "\n```python\n" + std::string(row.mistake) + (row.isBody ? "\n" : "") + "```\n\n```\n" +
            compiled(row, row.mistake).message + "```\n\nMended:\n\n```python\n" + row.mended +
            (row.isBody ? "\n" : "") + "```\n";
  }
  return text;
}

TEST(Diagnostics, AreWhatThePageSays) {
  std::string path = std::string(NEREID_SOURCE_DIR) + "/docs/diagnostics.md", text = page();
  if (std::getenv("NEREID_WRITE_DOCS"))
    std::ofstream(path) << text;
  std::ostringstream stored;
  stored << std::ifstream(path).rdbuf();
  EXPECT_EQ(stored.str(), text) << "NEREID_WRITE_DOCS=1 check_test writes the page";
}

} // namespace
} // namespace nereid::test
