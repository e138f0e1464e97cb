// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the command line: values, arrays made and read.
#include "Npy.h"
#include "NpyHeader.h"
#include "RunArguments.h"
#include "Summary.h"
#include "Timing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

using namespace nereid;
using namespace nereid::command;

namespace {

template <typename F> std::string failureOf(F act) {
  try {
    act();
  } catch (const Error &error) {
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return {};
}

class CommandTest : public testing::Test {
protected:
  void SetUp() override {
    directory = std::filesystem::temp_directory_path() /
                ("nereid-command-test-" + std::to_string(getpid()));
    std::filesystem::create_directory(directory);
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  std::string path(const std::string &name) { return (directory / name).string(); }
  std::string writeFile(const std::string &name, const std::string &bytes) {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  std::string npy(const std::string &dict, const std::string &data, char version = 1) {
    std::string text = "\x93NUMPY" + std::string{version, 0};
    text += {static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
    if (version > 1)
      text += std::string(2, '\0');
    return text + dict + data;
  }

  std::filesystem::path directory;
  Device device = Device::open("check");
};

const Array &array(const RunArguments &arguments, const std::string &name) {
  return std::get<Array>(arguments.find(name)->get());
}

TEST(RunArguments, ValuesOfEveryKind) {
  RunArguments arguments(Device::open("check"), 0,
                         {"a=-0.5", "b=True", "c=None", "d=\"relu\"", "e=rows*2", "rows=x.shape[0]",
                          "x=zeros:f16[cdiv(7,2),3]", "t=tl.float16", "s=ones:i8[]"});
  EXPECT_EQ(std::get<double>(arguments.find("a")->get()), -0.5);
  EXPECT_EQ(std::get<bool>(arguments.find("b")->get()), true);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(arguments.find("c")->get()));
  EXPECT_EQ(std::get<std::string>(arguments.find("d")->get()), "relu");
  EXPECT_EQ(std::get<int64_t>(arguments.find("e")->get()), 8);
  EXPECT_EQ(std::get<DType>(arguments.find("t")->get()), DType::Float16);
  EXPECT_EQ(array(arguments, "x").dtype(), DType::Float16);
  EXPECT_EQ(array(arguments, "s").size(), 1);
  EXPECT_EQ(arguments.find("nothing"), nullptr);
}

TEST(RunArguments, TheNameOfAnArrayIsThatArray) {
  RunArguments arguments(Device::open("check"), 0, {"y=x", "x=zeros:f32[4]", "z=y"});
  EXPECT_EQ(array(arguments, "y").data(), array(arguments, "x").data());
  EXPECT_EQ(array(arguments, "z").data(), array(arguments, "x").data());
  RunArguments sum(Device::open("check"), 0, {"x=zeros:f32[4]", "y=x+1"});
  failureOf([&] { sum.evaluate(); });
}

TEST(RunArguments, CirclesAreDiagnosed) {
  RunArguments arguments(Device::open("check"), 0, {"a=b+1", "b=c", "c=a", "d=d"});
  EXPECT_NE(failureOf([&] { arguments.find("a"); }).find("a -> b -> c -> a"), std::string::npos);
  EXPECT_NE(failureOf([&] { arguments.find("d"); }).find("d -> d"), std::string::npos);
}

TEST(RunArguments, BadValuesAreRefused) {
  for (const char *text :
       {"x", "=1", "1x=1", "x=", "x=zero:f32[3]", "x=zeros:f31[3]", "x=zeros:f32", "x=zeros:f32[3",
        "x=zeros:f32[-3]", "x=zeros:f32[1.5]", "x=randn:i32[3]", "x=arange:i8[1000]",
        "x=@/nonexistent.npy", "x=relu", "x=zeros:f64[1<<62]", "x=zeros:f32[99999999999999]"})
    failureOf([&] { RunArguments(Device::open("check"), 0, {text}).evaluate(); });
  failureOf([&] { RunArguments(Device::open("check"), 0, {"x=1", "x=2"}); });
}

TEST(Fill, DependsOnNameAndSeedOnly) {
  auto make = [](const char *text, uint64_t seed) {
    RunArguments arguments(Device::open("check"), seed, {text});
    return std::get<Array>(arguments.evaluate()[0].value.get()).toDoubles();
  };
  EXPECT_EQ(make("x=rand:f32[100]", 1), make("x=rand:f32[100]", 1));
  EXPECT_NE(make("x=rand:f32[100]", 1), make("x=rand:f32[100]", 2));
  EXPECT_NE(make("x=rand:f32[100]", 1), make("y=rand:f32[100]", 1));
  EXPECT_EQ(make("x=arange:i64[4]", 0), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_TRUE(std::isnan(make("x=empty:bf16[1]", 0)[0]));
  EXPECT_EQ(make("x=empty:u8[1]", 0)[0], 0xCD);
}

TEST(Fill, CountsAsFarAsTheTypeGoes) {
  auto last = [](DType type, int64_t size) {
    return makeFilled(Device::open("check"), Fill::Arange, type, {size}, "x", 0).toDoubles().back();
  };
  EXPECT_EQ(last(DType::Float16, 65505), 65504);
  EXPECT_EQ(last(DType::Int8, 128), 127);
  std::string message = failureOf([&] { last(DType::Float16, 65506); });
  EXPECT_NE(message.find("ends at 65504"), std::string::npos) << message;
  failureOf([&] { last(DType::Int8, 129); });
}

TEST(Timing, DurationsBelowAMicrosecondAreInNanoseconds) {
  EXPECT_EQ(formatDuration(0.00085), "850 ns");
  EXPECT_EQ(formatDuration(0.0125), "0.0125 ms");
}

TEST(Fill, RandomNumbersHaveTheirDistribution) {
  for (DType type : {DType::Float16, DType::BFloat16, DType::Float32, DType::Float64}) {
    double sum = 0, squares = 0;
    for (double value :
         makeFilled(Device::open("check"), Fill::Rand, type, {20000}, "x", 0).toDoubles()) {
      ASSERT_GE(value, 0);
      ASSERT_LT(value, 1);
      sum += value;
    }
    EXPECT_NEAR(sum / 20000, 0.5, 0.01);
    for (double value :
         makeFilled(Device::open("check"), Fill::Randn, type, {20000}, "x", 0).toDoubles())
      squares += value * value;
    EXPECT_NEAR(squares / 20000, 1, 0.05);
  }
}

TEST_F(CommandTest, NpyRoundTripsEveryType) {
  for (DType type :
       {DType::Int1, DType::Int8, DType::Int64, DType::UInt32, DType::Float16, DType::Float64}) {
    Array array = device.arrayFromDoubles(type, std::vector<double>{0, 1, 1, 0, 1, 0}, {2, 3});
    writeNpy(array, path("a.npy")).commit();
    Array read = readNpy(device, path("a.npy"), std::nullopt);
    EXPECT_EQ(read.dtype(), type);
    EXPECT_EQ(read.shape(), array.shape());
    EXPECT_EQ(read.toDoubles(), array.toDoubles());
  }
}

TEST_F(CommandTest, NpyShapesRoundTrip) {
  for (std::vector<int64_t> shape : {std::vector<int64_t>{}, {0}, {7}, {2, 0, 3}, {1, 1, 1, 1}}) {
    writeNpy(device.zeros(DType::Int16, shape), path("a.npy")).commit();
    EXPECT_EQ(std::filesystem::file_size(path("a.npy")) % 2, 0u);
    EXPECT_EQ(readNpy(device, path("a.npy"), std::nullopt).shape(), shape);
  }
}

TEST_F(CommandTest, NpyWritesBFloatAsFloatAndConvertsBack) {
  writeNpy(device.arrayFromDoubles(DType::BFloat16, std::vector<double>{1.5, -2}), path("a.npy"))
      .commit();
  EXPECT_EQ(readNpy(device, path("a.npy"), std::nullopt).dtype(), DType::Float32);
  Array read = readNpy(device, path("a.npy"), DType::BFloat16);
  EXPECT_EQ(read.dtype(), DType::BFloat16);
  EXPECT_EQ(read.toDoubles(), (std::vector<double>{1.5, -2}));
}

TEST_F(CommandTest, NpyReadsFortranOrder) {
  std::string data("\0\1\2\3\4\5", 6);
  std::string file = writeFile(
      "f.npy", npy("{'fortran_order': True, \"shape\": (2, 3), 'descr': '|u1'}  \n", data, 2));
  EXPECT_EQ(readNpy(device, file, std::nullopt).toDoubles(),
            (std::vector<double>{0, 2, 4, 1, 3, 5}));
}

TEST_F(CommandTest, NpyMistakesAreRefused) {
  std::string dict = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n";
  std::string good = npy(dict, std::string(8, '\0'));
  EXPECT_EQ(readNpy(device, writeFile("a.npy", good), std::nullopt).size(), 2);
  for (size_t bytes = 0; bytes < good.size(); ++bytes)
    failureOf([&] { readNpy(device, writeFile("a.npy", good.substr(0, bytes)), std::nullopt); });
  for (const char *bad :
       {"", "{", "{}", "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)", "[1]",
        "{'descr': '>f4', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1.5)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 2)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} extra",
        "{'descr': '<f4', 'fortran_order': False}", "{'x': 1}"}) {
    std::string message = failureOf(
        [&] { readNpy(device, writeFile("a.npy", npy(bad, std::string(8, '\0'))), std::nullopt); });
    EXPECT_NE(message.find("a.npy"), std::string::npos) << message;
  }
  failureOf([&] { readNpy(device, directory.string(), std::nullopt); });
  failureOf([&] { readNpy(device, "/dev/zero", std::nullopt); });
}

TEST_F(CommandTest, NothingIsLeftUnlessCommitted) {
  {
    files::PendingFile file = writeNpy(device.zeros(DType::Int8, {4}), path("a.npy"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory));
  failureOf([&] { writeNpy(device.zeros(DType::Int8, {4}), path("no/such/a.npy")); });
  failureOf([&] { writeNpy(device.zeros(DType::Int8, {4}), directory.string()); });
  failureOf([&] { writeNpy(device.zeros(DType::Int8, {4}), "/dev/null"); });
}

TEST_F(CommandTest, CommitFollowsLinks) {
  writeFile("target.npy", "old");
  std::filesystem::create_symlink(path("target.npy"), path("link.npy"));
  writeNpy(device.zeros(DType::Int8, {4}), path("link.npy")).commit();
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.npy")));
  EXPECT_EQ(readNpy(device, path("target.npy"), std::nullopt).size(), 4);
}

TEST_F(CommandTest, CommitFollowsLinksToWhatIsNotThere) {
  std::filesystem::create_directory(path("results"));
  std::filesystem::create_symlink("second.npy", path("first.npy"));
  std::filesystem::create_symlink("results/target.npy", path("second.npy"));
  writeNpy(device.zeros(DType::Int8, {4}), path("first.npy")).commit();
  EXPECT_TRUE(std::filesystem::is_symlink(path("first.npy")));
  EXPECT_TRUE(std::filesystem::is_symlink(path("second.npy")));
  EXPECT_EQ(readNpy(device, path("results/target.npy"), std::nullopt).size(), 4);
  std::filesystem::create_symlink("circle.npy", path("circle.npy"));
  failureOf([&] { writeNpy(device.zeros(DType::Int8, {4}), path("circle.npy")); });
  EXPECT_TRUE(std::filesystem::is_symlink(path("circle.npy")));
}

TEST_F(CommandTest, PipesAreRefusedAndNotWaitedFor) {
  ASSERT_EQ(mkfifo(path("pipe.npy").c_str(), 0600), 0);
  std::string message = failureOf([&] { readNpy(device, path("pipe.npy"), std::nullopt); });
  EXPECT_NE(message.find("not a regular file"), std::string::npos) << message;
}

TEST_F(CommandTest, Summaries) {
  Array array =
      device.arrayFromDoubles(DType::Float32, std::vector<double>{1, 2, 3, 4, 5, 6, 7, NAN});
  EXPECT_EQ(summarize("x", array),
            "x  f32[8]  [1, 2, 3, 4, ..., 7, nan]  min 1 max 7 mean 4  1 NaN");
  EXPECT_EQ(summarize("e", device.zeros(DType::Int8, {0})), "e  i8[0]  []");
  EXPECT_EQ(summarize("f", device.array(std::vector<float>{1e6f, -16777216, 1234567.5f, 1e10f})),
            "f  f32[4]  [1000000, -16777216, 1.23457e+06, 1e+10]  min -16777216 max 1e+10 mean "
            "2.49636e+09");
  // Integers in full, infinities without the sign that their sum happens to have.
  EXPECT_EQ(
      summarize("i", device.array(std::vector<int64_t>{-9007199254740993, 9223372036854775807, 0})),
      "i  i64[3]  [-9007199254740993, 9223372036854775807, 0]  min -9007199254740993 max "
      "9223372036854775807 mean 3.07145e+18");
  EXPECT_EQ(
      summarize("u", device.array(std::vector<uint64_t>{~uint64_t(0), 1})),
      "u  u64[2]  [18446744073709551615, 1]  min 1 max 18446744073709551615 mean 9.22337e+18");
  EXPECT_EQ(summarize("x", device.array(std::vector<double>{INFINITY, -INFINITY})),
            "x  f64[2]  [inf, -inf]  min -inf max inf mean nan");
  EXPECT_EQ(summarize("x", device.array(std::vector<double>{-NAN, 1})),
            "x  f64[2]  [nan, 1]  min 1 max 1 mean 1  1 NaN");
  uint64_t large = ~uint64_t(0);
  EXPECT_EQ(formatElement(DType::UInt64, &large), "18446744073709551615");
  EXPECT_EQ(formatElement(DType::Int8, &large), "-1");
}

} // namespace
