// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels with one mistake each, which the checked device must find at its line, and correct ones,
// of which it must say nothing. A kernel stands under the line that says how it is run,
//
//   # run: grid=4 x=rand:f32[1000] n=1000
//   # run: grid=2 block=8,4 ... of a kernel of threads
//   # run[nonfinite]: ... with what is looked for on request only: nonfinite, order
//
// and a line that is to be found fault with ends with "# BUG id" or "# WARN id". What a kernel
// calls stands under it.
#include "RunArguments.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace nereid::command {
namespace {

struct Case {
  std::string path, kernel, grid, block, request;
  int64_t sharedBytes = 0;
  std::vector<std::string> arguments;
  /// "12: BUG data_race"
  std::set<std::string> expected;

  friend std::ostream &operator<<(std::ostream &out, const Case &test) {
    return out << test.kernel;
  }
};

std::vector<std::string> splitWords(const std::string &text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

/// The word behind each `prefix` of the line.
std::vector<std::string> wordsAfter(const std::string &line, const std::string &prefix) {
  std::vector<std::string> words;
  for (size_t at = 0; (at = line.find(prefix, at)) != std::string::npos;) {
    at += prefix.size();
    words.push_back(line.substr(at, line.find(' ', at) - at));
  }
  return words;
}

Case parseRun(const std::string &path, const std::string &line) {
  Case test;
  test.path = path;
  size_t colon = line.find(':');
  if (size_t bracket = line.find('['); bracket < colon)
    test.request = line.substr(bracket + 1, colon - bracket - 2);
  size_t end = line.find('#', colon); // what follows is for who compares executors
  for (const std::string &word : splitWords(line.substr(colon + 1, end - colon - 1))) {
    if (word.starts_with("grid="))
      test.grid = word.substr(5);
    else if (word.starts_with("block="))
      test.block = word.substr(6);
    else if (word.starts_with("shared="))
      test.sharedBytes = std::stoi(word.substr(7));
    else
      test.arguments.push_back(word);
  }
  return test;
}

std::vector<Case> readCases(const std::string &directory) {
  std::vector<Case> cases;
  std::set<std::filesystem::path> paths;
  for (const auto &entry : std::filesystem::directory_iterator(directory))
    paths.insert(entry.path());
  for (const std::filesystem::path &path : paths) {
    std::ifstream in(path);
    unsigned number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (line.starts_with("# run"))
        cases.push_back(parseRun(path, line));
      else if (line.starts_with("def ") && cases.back().kernel.empty())
        cases.back().kernel = line.substr(4, line.find('(') - 4);
      for (std::string kind : {"BUG", "WARN"})
        for (const std::string &id : wordsAfter(line, "# " + kind + " "))
          cases.back().expected.insert(std::to_string(number) + ": " + kind + " " + id);
    }
  }
  return cases;
}

std::string textOf(const Finding &finding) {
  return std::to_string(finding.place.line) + ": " + (finding.isWarning ? "WARN " : "BUG ") +
         finding.id;
}

/// What the device says of it, and the whole text for a message.
std::pair<std::set<std::string>, std::string> check(const Case &test) {
  std::set<std::string> found;
  std::string report;
  CheckOptions options{.findsNonFinite = test.request == "nonfinite",
                       .comparesOrders = test.request == "order",
                       .warn = [&](const Finding &finding) { found.insert(textOf(finding)); }};
  Device device = Device::open("check", {.check = options});
  RunArguments arguments(device, 1, test.arguments);
  Tuning tuning;
  if (!test.block.empty()) {
    auto [x, y, z] = Expression(test.block).evaluateGrid();
    tuning.block = {x, y, z, test.sharedBytes};
  }
  Launch launch =
      Module::load(test.path).kernel(test.kernel).prepare(device, arguments.evaluate(), tuning);
  try {
    launch.run(Expression(test.grid).evaluateGrid(arguments));
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), Error::Kind::Checked) << error.what();
    report = error.what();
    for (const Finding &finding : error.findings())
      found.insert(textOf(finding));
  }
  return {found, report};
}

class Corpus : public testing::TestWithParam<Case> {};

TEST_P(Corpus, IsJudgedRightly) {
  auto [found, report] = check(GetParam());
  EXPECT_EQ(found, GetParam().expected) << report;
}

auto nameOf = [](const testing::TestParamInfo<Case> &info) { return info.param.kernel; };
const std::string corpus = NEREID_CHECKED_KERNELS;
INSTANTIATE_TEST_SUITE_P(Bugs, Corpus, testing::ValuesIn(readCases(corpus + "/bugs")), nameOf);
INSTANTIATE_TEST_SUITE_P(Clean, Corpus, testing::ValuesIn(readCases(corpus + "/clean")), nameOf);

TEST(CorpusItself, HasSixtyKernelsOfEachKindForTilesAndForThreads) {
  std::vector<Case> bugs = readCases(corpus + "/bugs"), clean = readCases(corpus + "/clean");
  EXPECT_GE(bugs.size(), 120u);
  EXPECT_GE(clean.size(), 120u);
  auto isOfThreads = [](const Case &test) { return !test.block.empty(); };
  EXPECT_GE(std::count_if(bugs.begin(), bugs.end(), isOfThreads), 60);
  EXPECT_GE(std::count_if(clean.begin(), clean.end(), isOfThreads), 60);
  auto isAccused = [](const Case &test) { return !test.expected.empty(); };
  EXPECT_TRUE(std::all_of(bugs.begin(), bugs.end(), isAccused));
  EXPECT_TRUE(std::none_of(clean.begin(), clean.end(), isAccused));
}

} // namespace
} // namespace nereid::command
