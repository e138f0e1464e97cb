// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels tuned on the cpu. Their grid function turns the clock, which therefore knows what runs.
#include "nereid/tune.h"
#include "EnvironmentVariable.h"
#include "TemporaryDirectory.h"
#include "nereid/compile.h"

#include <gtest/gtest.h>

#include <map>

using namespace nereid;
using test::Variable;

namespace {

constexpr const char *text = R"(
import triton
import triton.language as tl

@triton.jit
def grow(x_ptr, n, BLOCK: tl.constexpr, STEP: tl.constexpr = 1):
    tl.static_assert(BLOCK != 7, "seven")
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(x_ptr + offsets, x + STEP, mask=offsets < n)
)";

template <typename F> std::string messageOf(F act) {
  try {
    act();
  } catch (const Error &error) {
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return {};
}

class TuneTest : public testing::Test {
protected:
  TuneTest() {
    options.timer = {
        .warmupMilliseconds = 0, .repeatMilliseconds = 0, .clock = [this] { return now += cost; }};
  }
  /// Every BLOCK takes as long as `costs` says.
  TuningResult run(const std::vector<Configuration> &configurations, int64_t n = 100) {
    launched.clear();
    GridFunction grid = [this, n](const Constants &constants) {
      cost = costs.at(constants["BLOCK"]);
      launched.push_back(constants["BLOCK"]);
      return Grid{cdiv(n, constants["BLOCK"])};
    };
    return tune(device, kernel, grid, {{"x_ptr", x}, {"n", n}}, configurations, options);
  }
  static std::vector<Configuration> blocks(std::vector<int64_t> sizes) {
    std::vector<Configuration> configurations;
    for (int64_t size : sizes)
      configurations.push_back({.values = {{"BLOCK", size}}});
    return configurations;
  }

  test::TemporaryDirectory directory;
  Variable on{"NEREID_CACHE", "on"}, place{"NEREID_CACHE_DIR", directory.path("kept")};
  Device device = Device::open("cpu", {.threads = 2});
  Kernel kernel = Module::fromText(text).kernel();
  Array x = device.zeros(DType::Float32, {100});
  double now = 0, cost = 1;
  std::map<int64_t, double> costs{{16, 3}, {32, 1}, {64, 2}};
  std::vector<int64_t> launched;
  TuningOptions options;
};

TEST_F(TuneTest, FindsTheFastest) {
  TuningResult result = run(blocks({16, 32, 64}));
  ASSERT_EQ(result.trials().size(), 3u);
  EXPECT_EQ(result.best().record.configuration, "BLOCK=32");
  EXPECT_DOUBLE_EQ(result.best().record.timing.median, 1);
  EXPECT_EQ(result.best().record.timing.calls, 5u);
  EXPECT_EQ(result.trials()[1].record.configuration, "BLOCK=64");
  EXPECT_EQ(result.trials()[2].record.configuration, "BLOCK=16");
  EXPECT_EQ(result.best().record.subject.target, tuningTarget(device));
  // The best can be launched.
  float before = x.toVector<float>()[99];
  kernel.launch(device, {4}, result.best().configuration.appliedTo({{"x_ptr", x}, {"n", 100}}));
  EXPECT_EQ(x.toVector<float>()[99], before + 1);
}

TEST_F(TuneTest, TriesOnlyWhatNoRecordTellsOf) {
  run(blocks({16, 32}));
  costs[32] = 100;
  TuningResult result = run(blocks({32, 64}));
  EXPECT_EQ(launched, std::vector<int64_t>{64});
  EXPECT_EQ(result.best().record.configuration, "BLOCK=32"); // as it was found
  run(blocks({32}), 99);                                     // another key
  EXPECT_EQ(launched, std::vector<int64_t>{32});
  options.key = {};
  std::string other(text);
  other.replace(other.find("x + STEP"), 8, "x - STEP");
  kernel = Module::fromText(other).kernel();
  run(blocks({32}));
  EXPECT_EQ(launched, std::vector<int64_t>{32});
  kernel = Module::fromText("unrelated = 3\n" + other).kernel(); // still the same
  run(blocks({32}));
  EXPECT_TRUE(launched.empty());
  device = Device::open("cpu", {.threads = 1});
  run(blocks({32}));
  EXPECT_EQ(launched, std::vector<int64_t>{32});
}

TEST_F(TuneTest, KeySaysWhatMatters) {
  options.key = std::vector<std::string>{};
  EXPECT_EQ(run(blocks({16})).best().record.subject.key, "x_ptr:f32");
  run(blocks({16}), 50);
  EXPECT_TRUE(launched.empty());
  options.key = std::vector<std::string>{"n"};
  EXPECT_EQ(run(blocks({16})).best().record.subject.key, "n=100 x_ptr:f32");
  options.key.reset();
  EXPECT_EQ(run(blocks({16})).best().record.subject.key, "n=100 x_ptr:f32[100]");
  options.key = std::vector<std::string>{"m"};
  EXPECT_EQ(messageOf([&] { run(blocks({16})); }), "there is no argument 'm' to tune for");
}

TEST_F(TuneTest, AFailedConfigurationIsSkipped) {
  TuningResult result = run(blocks({7, 16, 32}));
  EXPECT_EQ(result.best().record.configuration, "BLOCK=32");
  EXPECT_EQ(result.trials()[2].record.configuration, "BLOCK=7");
  EXPECT_NE(result.trials()[2].record.failure.find("seven"), std::string::npos);
  std::string message = messageOf([&] { run(blocks({7})); });
  EXPECT_EQ(message.find("none of the configurations runs\nnote: BLOCK=7: "), 0u) << message;
  EXPECT_EQ(messageOf([&] { run({}); }), "there is no configuration to try");
  message = messageOf([&] { run({{.values = {{"n", 3}}}}); });
  EXPECT_EQ(message.find("'n' is both an argument and part of a configuration"), 0u) << message;
}

TEST_F(TuneTest, Prunes) {
  options.prune = [](std::vector<Configuration> all) {
    all.pop_back();
    return all;
  };
  run(blocks({64, 16, 32}));
  EXPECT_EQ(launched, (std::vector<int64_t>{64, 16}));
  options.trials.keepsRecords = false;
  options.prune = {};
  options.estimate = [](const Configuration &configuration) {
    return -static_cast<double>(std::get<int64_t>(configuration.values[0].value.get()));
  };
  options.most = 2;
  run(blocks({16, 32, 64}));
  EXPECT_EQ(launched, (std::vector<int64_t>{64, 32}));
}

TEST_F(TuneTest, PutsArraysBack) {
  options.trials.keepsRecords = false;
  run(blocks({16, 32}));
  EXPECT_EQ(x.toVector<float>(), std::vector<float>(100, 12)); // six launches each
  options.restored = {"x_ptr"};
  run(blocks({16, 32}));
  EXPECT_EQ(x.toVector<float>(), std::vector<float>(100, 12));
  options.restored = {"n"};
  EXPECT_EQ(messageOf([&] { run(blocks({16})); }), "cannot restore 'n': no array of that name");
}

TEST_F(TuneTest, ACompiledKernelHasNothingLeft) {
  kernel = compile(kernel, parseSignature("x_ptr=*f32,n=i32,BLOCK=16")).kernel();
  std::string message = messageOf([&] { run(blocks({16})); });
  EXPECT_EQ(message, "kernel 'grow' is compiled already; there is nothing left to tune");
}

TEST(Configuration, TextNamesIt) {
  Configuration configuration{.values = {{"B", 64},
                                         {"A", true},
                                         {"C", 1.0},
                                         {"D", 0.1},
                                         {"E", "x\"y"},
                                         {"F", DType::Float16},
                                         {"G", nullptr}}};
  EXPECT_EQ(configuration.text(), "A=True B=64 C=1.0 D=0.1 E=\"x\\\"y\" F=float16 G=None");
  Configuration other{.values = {{"B", 64}}, .tuning = {.warps = 8, .pipelineStages = 3}};
  EXPECT_EQ(other.text(), "B=64 num_warps=8 num_stages=3");
  EXPECT_EQ(Configuration().text(), "default");
  Device device = Device::open("cpu");
  Configuration wrong{.values = {{"x", device.zeros(DType::Int8, {1})}}};
  EXPECT_EQ(messageOf([&] { wrong.text(); }), "a configuration holds constants, not arrays");
}

} // namespace
