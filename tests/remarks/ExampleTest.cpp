// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The examples of remark_examples.def get the remark that they are for, and the better ones none.
// With NEREID_WRITE_DOCS in the environment, docs/remarks.md is written.
#include "nereid/remarks.h"
#include "support/RemarkExamples.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace nereid {
static void PrintTo(const RemarkExample &row, std::ostream *out) { *out << nameOf(row.id); }
} // namespace nereid

namespace nereid::test {
namespace {

/// Those are there where PATH has NVIDIA's assembler, and depend on its version.
bool isOfAssembler(const Remark &remark) {
  return remark.id == nameOf(RemarkId::registers_spilled) ||
         remark.id == nameOf(RemarkId::products_serialized) ||
         remark.id == nameOf(RemarkId::calls_left);
}

/// What `nereid compile` remarks with such arguments, but for what the assembler says.
std::vector<Remark> remarked(const std::string &file, const char *arguments) {
  CompileOptions options;
  std::string signature, word;
  std::istringstream words(arguments);
  while (words >> word) {
    std::string value;
    words >> value;
    if (word == "--target")
      options.target = value;
    else if (word == "--cpu")
      options.cpu = value;
    else if (word == "--num-warps")
      options.tuning.warps = std::stoi(value);
    else if (word == "--num-stages")
      options.tuning.pipelineStages = std::stoi(value);
    else if (word == "--maxnreg")
      options.tuning.maxRegisters = std::stoi(value);
    else if (word == "-s")
      signature = value;
    else
      ADD_FAILURE() << word;
  }
  Module module = Module::fromText(file, "k.py");
  std::vector<Remark> found = remarks(module.kernel(), parseSignature(signature), options);
  std::erase_if(found, isOfAssembler);
  return found;
}

std::string reports(const std::vector<Remark> &found, std::string_view id = "") {
  std::string text;
  for (const Remark &remark : found)
    if (id.empty() || remark.id == id)
      text += remark.report;
  return text;
}

class Examples : public testing::TestWithParam<RemarkExample> {};

TEST_P(Examples, GetTheRemarkAndTheBetterOnesNone) {
  const RemarkExample &row = GetParam();
  std::vector<Remark> found = remarked(row.remarkedFile(), row.arguments);
  EXPECT_NE(reports(found, nameOf(row.id)), "") << reports(found);
  EXPECT_EQ(reports(remarked(row.betterFile(), row.betterArguments)), "");
}

std::vector<RemarkExample> withKernels() {
  std::vector<RemarkExample> rows;
  for (const RemarkExample &row : remarkExamples())
    if (row.remarked)
      rows.push_back(row);
  return rows;
}

INSTANTIATE_TEST_SUITE_P(All, Examples, testing::ValuesIn(withKernels()),
                         [](const auto &info) { return std::string(nameOf(info.param.id)); });

TEST(RemarkTable, IsExplainedRowByRow) {
  const RemarkId ids[] = {
#define REMARK(id, backEnd, text, accepted) RemarkId::id,
#include "support/remarks.def"
  };
  ASSERT_EQ(std::size(ids), remarkExamples().size());
  for (size_t i = 0; i < std::size(ids); ++i)
    EXPECT_EQ(nameOf(remarkExamples()[i].id), nameOf(ids[i]));
}

std::string page() {
  const char *backEnds[] = {
#define REMARK(id, backEnd, text, accepted) #backEnd,
#include "support/remarks.def"
  };
  std::string text =
      "# Remarks\n"
      "\n"
      "A kernel that is right may be slower than it could be because the compiler found a\n"
      "reason against a better form. `nereid compile --remarks` and `nereid run --remarks`\n"
      "say so, with the line, the reason and what would be accepted; `--remarks=json` writes\n"
      "a document. In C++ it is `nereid/remarks.h`, in C `nereid-c/remarks.h`, in Python\n"
      "`kernel[grid](...).remarks`, and with `NEREID_REMARKS=1` each kernel's are printed\n"
      "when it is compiled. `nereid explain ID` says what one means. Nothing is looked for\n"
      "where nobody asks, and the code is the same ([why it is made\n"
      "so](decisions/0031-remarks.md)).\n"
      "\n"
      "`count`, and \"(2 times)\", is how many operations of a line the remark is about. Those\n"
      "of the assembler (`registers_spilled`, `products_serialized`, most of `calls_left`) are "
      "there\n"
      "where PATH has NVIDIA's `ptxas`: nothing else knows what it makes of a kernel.\n"
      "\n"
      "Made by `tests/remarks` from `src/support/remarks.def` and `remark_examples.def`,\n"
      "whose kernels it compiles; `NEREID_WRITE_DOCS=1 build/release/remark_test` writes it.\n";
  for (const RemarkExample &row : remarkExamples()) {
    text += "\n## " + std::string(nameOf(row.id)) + "\n\n`" + formatOf(row.id) + "` (" +
            backEnds[static_cast<size_t>(row.id)] + ")\n\n" + row.meaning +
            "\n\nAccepted: " + acceptedOf(row.id) + ".\n";
    if (!row.remarked)
      continue;
    text += "\n```python\n" + row.remarkedFile() + "```\n\n```\n" +
            reports(remarked(row.remarkedFile(), row.arguments), nameOf(row.id)) +
            "```\n\nWithout:\n\n```python\n" + row.betterFile() + "```\n";
  }
  return text;
}

TEST(RemarkTable, IsWhatThePageSays) {
  std::string path = std::string(NEREID_SOURCE_DIR) + "/docs/remarks.md", text = page();
  if (std::getenv("NEREID_WRITE_DOCS"))
    std::ofstream(path) << text;
  std::ostringstream stored;
  stored << std::ifstream(path).rdbuf();
  EXPECT_EQ(stored.str(), text) << "NEREID_WRITE_DOCS=1 remark_test writes the page";
}

} // namespace
} // namespace nereid::test
