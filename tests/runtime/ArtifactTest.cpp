// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Artifact.h"
#include "runtime/cpu/CpuKernel.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>
#include <random>

namespace nereid::runtime {
namespace {

using Part = ArtifactParameter::Part;

/// One parameter of every kind, and code that returns at once.
Artifact example() {
  Artifact artifact;
  artifact.kernel = "k";
  artifact.source = "dir/file.py";
  artifact.compiler = "build";
  artifact.key = "0123";
  artifact.isNoAlias = true;
  artifact.parameters = {
      {"x", ScalarSlot{DType::BFloat16, true, true}},
      {"n", ScalarSlot{DType::UInt64, false, false}},
      {"none", std::monostate()},
      {"yes", true},
      {"low", std::numeric_limits<int64_t>::min()},
      {"high", std::numeric_limits<uint64_t>::max()},
      {"zero", -0.0},
      {"large", std::numeric_limits<double>::infinity()},
      {"text", std::string("a'\"\n\xc3\xa9")},
      {"type", DTypeConstant{DType::Float16, true}},
  };
  CpuCode code{"x86_64-unknown-linux-gnu", "haswell", {"avx", "avx2"}, 4096, {}, {}};
  code.prints.push_back(
      {{PrintStyle::Inline, false, {"a", "b"}}, {{DType::Int8, false, {4, 3}, nullptr}}});
  code.image.bytes.assign(64, 0xc3); // ret
  code.image.alignment = 16;
  code.image.entry = 32;
  code.image.addresses = {{8, "expf", 0}, {16, "", 40}};
  code.sharedLoop = {{{DType::Float32, 64 * 64}, {DType::Int64, 1}}, 1234};
  artifact.code = std::move(code);
  return artifact;
}

std::string whyNot(std::span<const uint8_t> bytes) {
  try {
    deserialize(bytes);
  } catch (const ArtifactError &error) {
    return error.what();
  }
  return "";
}

TEST(ArtifactTest, ComesBackAsItWas) {
  Artifact before = example(), after = deserialize(serialize(before));
  EXPECT_EQ(after.kernel, before.kernel);
  EXPECT_EQ(after.source, before.source);
  EXPECT_EQ(after.compiler, before.compiler);
  EXPECT_EQ(after.key, before.key);
  EXPECT_EQ(after.isNoAlias, before.isNoAlias);
  EXPECT_EQ(after.parameters, before.parameters);
  const auto &code = std::get<CpuCode>(after.code), &expected = std::get<CpuCode>(before.code);
  EXPECT_EQ(code.triple, expected.triple);
  EXPECT_EQ(code.cpu, expected.cpu);
  EXPECT_EQ(code.features, expected.features);
  EXPECT_EQ(code.scratchBytes, expected.scratchBytes);
  EXPECT_EQ(code.image, expected.image);
  EXPECT_EQ(code.sharedLoop, expected.sharedLoop);
  ASSERT_EQ(code.prints.size(), 1u);
  EXPECT_EQ(code.prints[0].format.texts, expected.prints[0].format.texts);
  EXPECT_EQ(code.prints[0].format.style, PrintStyle::Inline);
  EXPECT_EQ(code.prints[0].operands[0].shape, (std::vector<int64_t>{4, 3}));
  EXPECT_EQ(code.prints[0].operands[0].dtype, DType::Int8);
}

/// For a GPU, with machine code and PTX, and nothing that is as it would be without being written.
CudaCode gpuCode() {
  return {.cubin = {1, 0, 255},
          .cubinSm = 90,
          .limit = {96, 90, 13000},
          .ptx = ".version 8.0",
          .ptxSm = 80,
          .isForOneSm = true,
          .entry = "entry",
          .threads = 384,
          .sharedBytes = 231424,
          .cluster = {2, 1, 4},
          .overlapsPrevious = true,
          .prints = {{{PrintStyle::Inline, false, {"a", "b"}},
                      {{DType::Int8, false, {4, 3}, nullptr}},
                      true}},
          .loopsOverPrograms = true,
          .programsAreAlike = true,
          .boxes = {},
          .conditions = {},
          .wanted = {},
          .withoutBoxes = {}};
}

/// The same with a box whose numbers are computed from the second parameter.
Artifact gpuExample() {
  IntegerParameter n{1, 8};
  ParameterSum sum{{{-3, {n, n}}, {64, {}}}};
  CudaCode code = gpuCode();
  code.boxes = {{DType::BFloat16, 0, sum, {{sum, {}, 64}, {{}, sum, 128}}, 128}};
  code.conditions = {{n, 16}};
  code.withoutBoxes = {gpuCode()};
  Artifact artifact = example();
  artifact.code = std::move(code);
  return artifact;
}

TEST(ArtifactTest, CodeForGpusComesBackAsItWas) {
  Artifact before = gpuExample(), after = deserialize(serialize(before));
  EXPECT_EQ(std::get<CudaCode>(after.code), std::get<CudaCode>(before.code));
}

TEST(ArtifactTest, CodeForGpusThatNoneCouldRunIsRefused) {
  auto whyNotWith = [](auto change) {
    Artifact artifact = gpuExample();
    change(std::get<CudaCode>(artifact.code));
    return whyNot(serialize(artifact));
  };
  const char *reason = "has no code that a GPU could be given";
  EXPECT_EQ(whyNotWith([](CudaCode &code) { code.ptx = "", code.cubin = {}; }), reason);
  EXPECT_EQ(whyNotWith([](CudaCode &code) { code.threads = 0; }), reason);
  EXPECT_EQ(whyNotWith([](CudaCode &code) { code.cluster[1] = 0; }), reason);
  EXPECT_EQ(whyNotWith([](CudaCode &code) { code.withoutBoxes[0].threads = 0; }), reason);
  reason = "has boxes of arrays that it does not have";
  EXPECT_EQ(whyNotWith([](CudaCode &code) { code.boxes[0].parameter = 2; }), reason);
  EXPECT_EQ(whyNotWith([](CudaCode &code) { code.boxes[0].dimensions = {}; }), reason);
  EXPECT_EQ(whyNotWith([](CudaCode &code) { code.boxes[0].dimensions.resize(6); }), reason);
  EXPECT_EQ(whyNotWith([](CudaCode &code) { code.boxes.resize(9, code.boxes[0]); }), reason);
  auto number = [](ParameterSum &sum) -> IntegerParameter & { return sum.terms[0].parameters[1]; };
  EXPECT_EQ(whyNotWith([&](CudaCode &code) { number(code.boxes[0].offset).number = 2; }), reason);
  EXPECT_EQ(
      whyNotWith([&](CudaCode &code) { number(code.boxes[0].dimensions[1].stride).bytes = 2; }),
      reason);
  EXPECT_EQ(whyNotWith([](CudaCode &code) { code.conditions[0].parameter.number = 2; }), reason);
  EXPECT_EQ(whyNotWith([](CudaCode &code) { code.conditions[0].divisor = 0; }), reason);
}

TEST(ArtifactTest, ZerosKeepTheirSign) {
  Artifact after = deserialize(serialize(example()));
  const auto &zero = std::get<ArtifactParameter::Constant>(after.parameters[6].value);
  EXPECT_TRUE(std::signbit(std::get<double>(zero)));
}

TEST(ArtifactTest, EveryTruncationIsRefused) {
  std::vector<uint8_t> bytes = serialize(example());
  for (size_t size = 0; size < bytes.size(); ++size)
    ASSERT_NE(whyNot(std::span(bytes).first(size)), "") << size;
  bytes.push_back(0);
  EXPECT_EQ(whyNot(bytes).find("is longer than it says"), 0u);
}

TEST(ArtifactTest, EveryChangedByteIsRefused) {
  std::vector<uint8_t> bytes = serialize(example());
  for (size_t i = 0; i < bytes.size(); ++i)
    for (uint8_t change : {0x01, 0x80, 0xff}) {
      bytes[i] ^= change;
      ASSERT_NE(whyNot(bytes), "") << i;
      bytes[i] ^= change;
    }
  EXPECT_EQ(whyNot(bytes), "");
}

/// The header as serialize() writes it, over a payload of one's own.
std::vector<uint8_t> withPayload(const Artifact &artifact, const std::string &from,
                                 const std::string &to) {
  std::vector<uint8_t> bytes = serialize(artifact);
  std::string text(bytes.begin(), bytes.end());
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  text.replace(at, from.size(), to);
  return {text.begin(), text.end()};
}

TEST(ArtifactTest, SaysWhatIsWrong) {
  EXPECT_EQ(whyNot({}), "is too short for a compiled kernel");
  std::vector<uint8_t> text(100, 'x');
  EXPECT_EQ(whyNot(text), "is no compiled kernel");
  std::vector<uint8_t> newer = serialize(example());
  std::string ours = std::to_string(newer[8]); // the format's place in the header
  newer[8] = 77;
  EXPECT_EQ(whyNot(newer), "has format 77; this Nereid reads " + ours);
  EXPECT_EQ(whyNot(withPayload(example(), "haswell", "hazwell")),
            "is damaged: its checksum is wrong");
}

TEST(ArtifactTest, PartsHaveNamesAndAreOfTheirKind) {
  Artifact before = example();
  before.parameters = {
      {"pair", ScalarSlot{DType::Float32, true, true}, {1, 0}},
      {"pair", ScalarSlot{DType::Int64, false, false}, {1, 0}, Part::Stride, 2},
      {"pair", int64_t(16), {1, 0}, Part::BlockShape, 1},
      {"pair", true, {1, 0}, Part::PadsWithNan},
  };
  const std::vector<ArtifactParameter> after = deserialize(serialize(before)).parameters;
  EXPECT_EQ(after, before.parameters);
  std::vector<std::string> names;
  for (const ArtifactParameter &parameter : after)
    names.push_back(parameter.fullName());
  EXPECT_EQ(names, (std::vector<std::string>{"pair.1.0", "pair.1.0.strides[2]",
                                             "pair.1.0.block_shape[1]", "pair.1.0.pads_with_nan"}));
  const ArtifactParameter wrong[] = {{"x", int64_t(1), {}, Part::Shape},
                                     {"x", ScalarSlot{}, {}, Part::BlockShape},
                                     {"x", true, {}, Part::BlockShape},
                                     {"x", int64_t(1), {}, Part::PadsWithNan}};
  for (const ArtifactParameter &parameter : wrong) {
    Artifact artifact = example();
    artifact.parameters.push_back(parameter);
    EXPECT_EQ(whyNot(serialize(artifact)), "has a part of a parameter that is none");
  }
}

TEST(ArtifactTest, CodeThatLeadsOutsideIsRefused) {
  auto whyNotWith = [](auto change) {
    Artifact artifact = example();
    change(std::get<CpuCode>(artifact.code).image);
    return whyNot(serialize(artifact));
  };
  const char *reason = "has code that leads outside of it";
  EXPECT_EQ(whyNotWith([](CodeImage &image) { image.entry = 64; }), reason);
  EXPECT_EQ(whyNotWith([](CodeImage &image) { image.addresses[0].offset = 57; }), reason);
  EXPECT_EQ(whyNotWith([](CodeImage &image) { image.addresses[0].offset = ~uint64_t(3); }), reason);
  EXPECT_EQ(whyNotWith([](CodeImage &image) { image.alignment = 3; }), reason);
  EXPECT_EQ(whyNotWith([](CodeImage &image) { image.addresses[0].offset = 56; }), "");
}

TEST(ArtifactTest, SumsThatNobodyCanAddAreRefused) {
  Artifact artifact = example();
  std::get<CpuCode>(artifact.code).sharedLoop.sums[0].dtype = DType::BFloat16;
  EXPECT_EQ(whyNot(serialize(artifact)), "adds up what has no sums");
}

TEST(ArtifactTest, AnUnknownFunctionIsRefusedWhenLoaded) {
  cpu::ThreadPool pool(1);
  Artifact artifact = example();
  auto &code = std::get<CpuCode>(artifact.code);
  EXPECT_NO_THROW(cpu::CpuKernel(code, "kernel", pool).launch({}, {}, nullptr));
  code.image.addresses[0].symbol = "no_such_function";
  EXPECT_THROW(cpu::CpuKernel(code, "kernel", pool), ArtifactError);
  code.image.addresses[0].symbol = "_ZGVdN8v_nothing";
  EXPECT_THROW(cpu::CpuKernel(code, "kernel", pool), ArtifactError);
}

} // namespace
} // namespace nereid::runtime
