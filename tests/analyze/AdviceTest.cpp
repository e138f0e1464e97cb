// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who is told what, and who is not; and the readers of the report.
#include "AnalyzeTest.h"

using namespace nereid;
using test::AnalyzeTest;

namespace {

const Analysis::Advice *find(const Analysis &analysis, const std::string &part) {
  for (const Analysis::Advice &advice : analysis.advice)
    if (advice.cause.find(part) != std::string::npos)
      return &advice;
  return nullptr;
}

TEST_F(AnalyzeTest, StoresByColumnsAreTold) {
  const int64_t size = 2048;
  Analysis a = analyze("transpose_naive", {size, 2},
                       {{"x", floats({size, size})},
                        {"y", floats({size, size})},
                        {"rows", size},
                        {"cols", size},
                        {"BLOCK", 1024}});
  const Analysis::Advice *advice = find(a, "32.0 sectors for each request where 4.0 are possible");
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->place.line, access(a, "store").place.line);
  EXPECT_NE(advice->accept.find("tl.trans"), std::string::npos);
  EXPECT_GT(advice->gain, 0.2);
  // The kernel that follows the advice is predicted to be faster by about that much.
  Analysis better = analyze("transpose_tiled", {size / 64, size / 64},
                            {{"x", floats({size, size})},
                             {"y", floats({size, size})},
                             {"rows", size},
                             {"cols", size},
                             {"R", 64},
                             {"C", 64}});
  EXPECT_NEAR(better.seconds / a.seconds, 1 - advice->gain, 0.1);
}

/// Indices, each a large odd number further than the one before, modulo `count`.
void fillScattered(const Array &indices, int64_t count) {
  auto *index = static_cast<int32_t *>(indices.data());
  for (int64_t i = 0; i < indices.size(); ++i)
    index[i] = int32_t(i * 40503 % count);
}

TEST_F(AnalyzeTest, WhatIndicesSayIsNotToldToBeginElsewhere) {
  const int64_t n = 1 << 20;
  Array index = array(DType::Int32, {n});
  fillScattered(index, n);
  Analysis a = analyze(
      "gather", {n / 1024},
      {{"x", floats({n})}, {"index", index}, {"y", floats({n})}, {"n", n}, {"BLOCK", 1024}});
  const Analysis::Advice *advice = find(a, "load of x");
  ASSERT_TRUE(advice);
  EXPECT_NE(advice->cause.find("what lanes have loaded says where"), std::string::npos);
  EXPECT_NE(advice->accept.find("sort or group the indices"), std::string::npos);

  for (int64_t places : {int64_t(256), n}) {
    fillScattered(index, places);
    a = analyze("histogram", {n / 1024},
                {{"x", index}, {"counts", array(DType::Int32, {places})}, {"BLOCK", 1024}});
    EXPECT_TRUE(access(a, "atomic").isFound);
    EXPECT_FALSE(find(a, "is asked for")) << places;
    for (const Analysis::Advice &each : a.advice)
      EXPECT_EQ(each.accept.find("begin rows"), std::string::npos) << places;
  }
  ASSERT_TRUE(find(a, "atomic of counts"));
  EXPECT_NE(find(a, "atomic of counts")->accept.find("tl.histogram"), std::string::npos);

  Array rows = array(DType::Int32, {1024});
  fillScattered(rows, 1024);
  a = analyze("rows_by_number", {1024},
              {{"x", floats({n})}, {"index", rows}, {"y", floats({n})}, {"BLOCK", 1024}});
  for (const Analysis::Access &each : a.accesses)
    EXPECT_FALSE(each.isFound) << each.kind << " of " << each.array;
}

TEST_F(AnalyzeTest, ArithmeticIsToldByItsHeaviestLine) {
  const int64_t n = 1 << 20;
  struct Case {
    const char *kernel, *cause;
    DType type = DType::Float32;
    const char *target = "sm_90a";
  };
  for (const Case &each :
       {Case{"divided", "division or remainder", DType::Int32}, Case{"of_sines", "slow path"},
        Case{"of_exponentials", "exp, log, sqrt"}, Case{"of_sums", "the units are busy"},
        Case{"of_doubles", "f64 takes", DType::Float32, "sm_120"}}) {
    Arguments arguments = {
        {"x", array(each.type, {n})}, {"y", array(each.type, {n})}, {"BLOCK", 1024}};
    if (each.type == DType::Int32)
      arguments.push_back({"d", 7});
    Analysis a = analyze(each.kernel, {n / 1024}, arguments, {.target = each.target});
    const Analysis::Advice *advice = find(a, each.cause);
    ASSERT_TRUE(advice) << each.kernel << ", bound by " << a.bound;
    const auto &place = access(a, "load").place;
    EXPECT_EQ(advice->place.line, place.line + 2) << each.kernel; // behind the loop's own
    EXPECT_GT(advice->gain, 0.1) << each.kernel;
  }
}

TEST_F(AnalyzeTest, FewBlocksAreTold) {
  const int64_t cols = 1 << 14, rows = 8;
  Analysis a = analyze(
      "row_sum", {rows},
      {{"x", floats({rows, cols})}, {"y", floats({rows})}, {"cols", cols}, {"BLOCK", cols}});
  EXPECT_EQ(a.residenceLimit, "grid");
  EXPECT_LT(a.waves, 1);
}

TEST_F(AnalyzeTest, ShortKernelsAreNotToldOfMemory) {
  Analysis a =
      analyze("copy", {1}, {{"x", floats({64})}, {"y", floats({64})}, {"n", 64}, {"BLOCK", 64}});
  EXPECT_EQ(a.bound, "latency");
  EXPECT_FALSE(find(a, "FLOP for each byte"));
}

TEST_F(AnalyzeTest, MistakesOfUse) {
  Arguments arguments = {{"x", floats({64})}, {"y", floats({64})}, {"n", 64}, {"BLOCK", 64}};
  auto messageOf = [&](AnalyzeOptions options, Grid grid = {1}) -> std::string {
    try {
      analyze("copy", grid, arguments, options);
    } catch (const Error &error) {
      EXPECT_EQ(error.kind(), Error::Kind::Usage);
      return error.what();
    }
    return "none";
  };
  EXPECT_NE(messageOf({.target = "cpu"}).find("target 'cpu'; GPUs are analyzed"),
            std::string::npos);
  EXPECT_NE(messageOf({.target = "sm_1"}).find("target 'sm_1'"), std::string::npos);
  EXPECT_NE(messageOf({.card = "x"}).find("no card 'x'; there are: h100"), std::string::npos);
  EXPECT_NE(messageOf({.card = "a100"}).find("take --target sm_80"), std::string::npos);
  EXPECT_NE(messageOf({}, {int64_t(1) << 40}).find("cannot launch a grid"), std::string::npos);
  EXPECT_NE(messageOf({}, {0}).find("without programs"), std::string::npos);
}

TEST_F(AnalyzeTest, ReadersAgree) {
  const int64_t n = 4096;
  Analysis a =
      analyze("copy", {4}, {{"x", floats({n})}, {"y", floats({n})}, {"n", n}, {"BLOCK", 1024}});
  const std::string text = toText(a), json = toJson(a);
  EXPECT_NE(text.find("copy for sm_90a on h100"), std::string::npos);
  EXPECT_NE(text.find("16.0 (16.0)"), std::string::npos);
  EXPECT_NE(json.find("\"sectors\": 512"), std::string::npos);
}

TEST(Cards, ADeviceIsCalledByItsCard) {
  EXPECT_EQ(analyzeCardIn("NVIDIA H200"), "h200");
  EXPECT_EQ(analyzeCardIn("cuda sm_90, NVIDIA H100 80GB HBM3"), "h100");
  EXPECT_EQ(analyzeCardIn("NVIDIA RTX PRO 6000 Blackwell"), "rtx_pro_6000");
  EXPECT_EQ(analyzeCardIn("NVIDIA H200, PyTorch 2.11.0, Triton 3.6.0"), "h200");
  EXPECT_EQ(analyzeCardIn("cpu"), "");
  EXPECT_EQ(analyzeCardIn(""), "");
}

/// Every GPU that is compiled for has a card.
TEST_F(AnalyzeTest, EveryTarget) {
  for (const char *target : {"sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120"}) {
    Analysis a = analyze(
        "copy", {4}, {{"x", floats({4096})}, {"y", floats({4096})}, {"n", 4096}, {"BLOCK", 1024}},
        {.target = target});
    EXPECT_EQ(a.target, target);
    EXPECT_EQ(access(a, "load").sectors, 512u) << target;
  }
}

} // namespace
