// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiling ahead of time, and what the stages make, through the public interface.
#include "nereid/compile.h"
#include "Failures.h"
#include "TemporaryDirectory.h"
#include "nereid/devices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <set>

using namespace nereid;
using namespace nereid::test;

namespace {

constexpr const char *text = R"(
import triton
import triton.language as tl

@triton.jit
def scaled(x_ptr, out_ptr, n, factor: tl.constexpr, TYPE: tl.constexpr, BLOCK: tl.constexpr = 64):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, (x * factor).to(TYPE), mask=mask)
)";

Kernel scaled() { return Module::fromText(text, "scaled.py").kernel(); }

Signature scaledSignature() {
  return {{"x_ptr", ArgumentType{DType::Float32, true, true}},
          {"out_ptr", ArgumentType{DType::Float64, true, true}},
          {"n", ArgumentType{DType::Int32}},
          {"factor", 3},
          {"TYPE", DType::Float64}};
}

/// Launches what scaledSignature() says over numbers of an odd count and compares with C++.
void expectScales(const Kernel &kernel, const Device &device) {
  std::mt19937 random(1);
  for (int64_t n : {0, 1, 63, 64, 1001}) {
    std::vector<float> values(static_cast<size_t>(n));
    std::vector<double> wanted;
    for (float &value : values) {
      value = std::uniform_real_distribution<float>(-10, 10)(random);
      wanted.push_back(double(value * 3.0f));
    }
    Array x = device.array(values), out = device.zeros(DType::Float64, {n});
    kernel.launch(device, {std::max<int64_t>(cdiv(n, 64), 1)},
                  {{"x_ptr", x}, {"out_ptr", out}, {"n", n}});
    EXPECT_EQ(out.toVector<double>(), wanted) << n;
  }
}

TEST(Signature, IsRead) {
  Signature signature =
      parseSignature("x = *f32:16, y=*bf16,n=i32:16,m=f64,B=2*(1+1),s=\"a,=b\",d=tl.int8,o=None");
  ASSERT_EQ(signature.size(), 8u);
  auto type = [&](size_t i) { return std::get<ArgumentType>(signature[i].value); };
  auto constant = [&](size_t i) { return std::get<Argument>(signature[i].value).get(); };
  EXPECT_EQ(signature[0].name, "x");
  EXPECT_EQ(type(0), (ArgumentType{DType::Float32, true, true}));
  EXPECT_EQ(type(1), (ArgumentType{DType::BFloat16, true, false}));
  EXPECT_EQ(type(2), (ArgumentType{DType::Int32, false, true}));
  EXPECT_EQ(type(3), (ArgumentType{DType::Float64, false, false}));
  EXPECT_EQ(std::get<int64_t>(constant(4)), 4);
  EXPECT_EQ(std::get<std::string>(constant(5)), "a,=b");
  EXPECT_EQ(std::get<DType>(constant(6)), DType::Int8);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(constant(7)));
  EXPECT_TRUE(parseSignature("").empty());
}

TEST(Signature, MistakesAreTheUsers) {
  for (const char *bad :
       {"x", "=i32", "1x=i32", "x=", "x=*f99", "x=*", "x=f32:8", "x=i32,", ",", "x=m", "x.=i32",
        "x.a=i32", ".0=i32", "x=(1", "x='a", "x=1:16", "x y=i32", "x=99999999999999999999"})
    EXPECT_NE(messageOf(Error::Kind::Usage, [&] { parseSignature(bad); }), "") << bad;
}

TEST(Compile, ArtifactsRunWhereverTheyAreLoaded) {
  std::vector<uint8_t> bytes = compile(scaled(), scaledSignature()).bytes();
  Device device = Device::open("cpu", {.threads = 3});
  expectScales(Artifact::fromBytes(bytes).kernel(), device);

  test::TemporaryDirectory directory;
  compile(scaled(), scaledSignature(), {.cpu = "x86-64"}).save(directory.path("k.nrd"));
  expectScales(Artifact::load(directory.path("k.nrd")).kernel(), device);
  expectScales(Module::load(directory.path("k.nrd")).kernel("scaled"), device);
}

TEST(Compile, ForArgumentsIsForTheirSignature) {
  Device device = Device::open("cpu");
  Array x = device.zeros(DType::Float32, {65}), out = device.zeros(DType::Float64, {64});
  Array odd = device.borrow(static_cast<float *>(x.data()) + 1, DType::Float32, {64});
  Arguments arguments = {
      {"x_ptr", x}, {"out_ptr", out}, {"n", 63}, {"factor", 3}, {"TYPE", DType::Float64}};
  EXPECT_EQ(compileFor(scaled(), arguments).bytes(), compile(scaled(), scaledSignature()).bytes());
  // On GPUs it matters what is a multiple of 16.
  Signature signature = scaledSignature();
  CompileOptions gpu{.target = "sm_90a"};
  EXPECT_EQ(compileFor(scaled(), arguments, gpu).bytes(),
            compile(scaled(), signature, gpu).bytes());
  arguments[0].value = odd;
  arguments[2].value = 64;
  signature[0].value = ArgumentType{DType::Float32, true, false};
  signature[2].value = ArgumentType{DType::Int32, false, true};
  EXPECT_EQ(compileFor(scaled(), arguments, gpu).bytes(),
            compile(scaled(), signature, gpu).bytes());
}

TEST(Compile, ForArgumentsTakesValuesThatAreNeeded) {
  Kernel kernel = Module::fromText("import triton\nimport triton.language as tl\n@triton.jit\n"
                                   "def k(out, n):\n    i = tl.arange(0, n)\n"
                                   "    tl.store(out + i, i)\n")
                      .kernel();
  Device device = Device::open("cpu");
  Array out = device.zeros(DType::Int32, {8});
  compileFor(kernel, {{"out", out}, {"n", 8}}).kernel().launch(device, {1}, {{"out", out}});
  EXPECT_EQ(out.toVector<int32_t>()[7], 7);
  EXPECT_NE(messageOf(Error::Kind::Source, [&] { compileFor(kernel, {{"out", out}}); }), "");
}

TEST(Compile, EqualInputGivesEqualBytes) {
  EXPECT_EQ(compile(scaled(), scaledSignature()).bytes(),
            compile(scaled(), scaledSignature()).bytes());
}

TEST(Compile, AnArtifactSaysWhatItIs) {
  Artifact artifact = compile(scaled(), scaledSignature(), {.cpu = "haswell", .mayOverlap = true});
  for (const Artifact &each : {artifact, Artifact::fromBytes(artifact.bytes())}) {
    ArtifactInfo info = each.info();
    EXPECT_EQ(info.kernel, "scaled");
    EXPECT_EQ(info.source, "scaled.py");
    EXPECT_NE(info.compiler, "");
    EXPECT_EQ(info.target, "cpu");
    EXPECT_EQ(info.cpu, "haswell");
    EXPECT_TRUE(std::ranges::binary_search(info.features, "avx2"));
    EXPECT_TRUE(info.mayOverlap);
    ASSERT_EQ(info.signature.size(), 6u);
    EXPECT_EQ(info.signature[5].name, "BLOCK");
    EXPECT_EQ(std::get<int64_t>(std::get<Argument>(info.signature[5].value).get()), 64);
    // What it says can be compiled again.
    EXPECT_EQ(compile(scaled(), info.signature, {.cpu = "haswell", .mayOverlap = true}).bytes(),
              artifact.bytes());
  }
}

TEST(Compile, OnlyWhatWasPromisedMayOverlap) {
  Device device = Device::open("cpu");
  Signature signature = scaledSignature();
  signature[0].value = ArgumentType{DType::Float64, true, true};
  auto launch = [&](bool mayOverlap) {
    Array x = device.array(std::vector<double>{1, 2, 3});
    compile(scaled(), signature, {.mayOverlap = mayOverlap})
        .kernel()
        .launch(device, {1}, {{"x_ptr", x}, {"out_ptr", x}, {"n", 3}});
    return x.toVector<double>();
  };
  EXPECT_EQ(launch(true), (std::vector<double>{3, 6, 9}));
  EXPECT_NE(messageOf(Error::Kind::Usage, [&] { launch(false); }).find("do not overlap"),
            std::string::npos);
}

TEST(Compile, DamagedBytesAreRefused) {
  std::vector<uint8_t> bytes = compile(scaled(), scaledSignature()).bytes();
  auto refusal = [](std::span<const uint8_t> some) {
    return messageOf(Error::Kind::Environment, [&] { Artifact::fromBytes(some, "k.nrd"); });
  };
  EXPECT_EQ(refusal({}), "k.nrd is too short for a compiled kernel");
  EXPECT_EQ(refusal(std::span(bytes).first(bytes.size() - 1)), "k.nrd is truncated");
  std::vector<uint8_t> source(text, text + 200);
  EXPECT_EQ(refusal(source), "k.nrd is no compiled kernel");
  std::mt19937 random(2);
  for (int i = 0; i < 100; ++i) {
    size_t place = 48 + random() % (bytes.size() - 48); // after the header
    bytes[place] ^= 0x40;
    EXPECT_EQ(refusal(bytes), "k.nrd is damaged: its checksum is wrong") << place;
    bytes[place] ^= 0x40;
  }
  messageOf(Error::Kind::Environment, [] { Artifact::load("/nonexistent.nrd"); });
}

Kernel sums() {
  return Module::fromText("import triton\nimport triton.language as tl\n\n@triton.jit\n"
                          "def sums(xs, weights, out, n, B: tl.constexpr):\n"
                          "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
                          "    total = tl.zeros((B,), tl.float32)\n"
                          "    for k in tl.static_range(len(xs)):\n"
                          "        total += tl.load(xs[k] + i, mask=i < n) * weights[k][0]\n"
                          "    tl.store(out + i, total, mask=i < n)\n",
                          "sums.py")
      .kernel();
}

TEST(Compile, TuplesAreGivenElementByElement) {
  Kernel compiled =
      compile(sums(), parseSignature("xs.0=*f32:16,xs.1=*i16:16,out=*f32:16,n=i32,B=64,"
                                     "weights.0.0=f32,weights.1.0=3"))
          .kernel();
  std::vector<float> x(100), wanted(100);
  std::vector<int16_t> y(100);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i) / 4;
    y[i] = static_cast<int16_t>(50 - static_cast<int>(i));
    wanted[i] = x[i] * 0.5f + static_cast<float>(y[i]) * 3;
  }
  for (const char *name : {"cpu", "check"}) {
    Device device = Device::open(name);
    std::vector<Kernel> kernels = {sums()};
    if (std::string_view(name) == "cpu")
      kernels.push_back(compiled);
    for (const Kernel &kernel : kernels) {
      Array out = device.empty(DType::Float32, {100});
      kernel.launch(device, {2},
                    {{"xs.0", device.array(x)},
                     {"xs.1", device.array(y)},
                     {"weights.0.0", 0.5},
                     {"weights.1.0", 3},
                     {"out", out},
                     {"n", 100},
                     {"B", 64}});
      EXPECT_EQ(out.toVector<float>(), wanted) << name;
    }
  }
}

TEST(Compile, DescriptorsInTuplesAndArraysOfThreadsTravel) {
  Device device = Device::open("cpu");
  Kernel copies = Module::fromText("import triton\nimport triton.language as tl\n"
                                   "@triton.jit\n"
                                   "def copies(pair, out):\n"
                                   "    rows = tl.arange(0, 4)[:, None]\n"
                                   "    at = rows * 8 + tl.arange(0, 8)[None, :]\n"
                                   "    tl.store(out + at, pair[0].load([4, 0]) + pair[1])\n")
                      .kernel();
  Artifact ofPair =
      compile(copies, parseSignature("pair.0=tensordesc<f32[4,8]>,pair.1=f32,out=*f32"));
  Kernel compiled = Artifact::fromBytes(ofPair.bytes()).kernel();
  ASSERT_EQ(compiled.parameters().size(), 2u);
  EXPECT_EQ(compiled.parameters()[0].name, "pair");
  EXPECT_FALSE(compiled.parameters()[0].isConstexpr);
  Array source = device.array(std::vector<float>(8 * 8, 2.0f), {8, 8}),
        copied = device.zeros(DType::Float32, {4 * 8});
  compiled.launch(device, {1},
                  {{"pair.0", TensorDescriptor{source, {4, 8}}}, {"pair.1", 0.5}, {"out", copied}});
  EXPECT_EQ(copied.toVector<float>(), std::vector<float>(4 * 8, 2.5f));
  EXPECT_NE(messageOf(Error::Kind::Usage,
                      [&] {
                        compiled.launch(device, {1},
                                        {{"pair.0", TensorDescriptor{source, {4, 4}}},
                                         {"pair.1", 0.5},
                                         {"out", copied}});
                      })
                .find("pair.0.block_shape = (4, 8), not (4, 4)"),
            std::string::npos);

  Kernel shifted = Module::fromText("from numba import cuda\n"
                                    "@cuda.jit\n"
                                    "def shifted(a, out):\n"
                                    "    i, j = cuda.grid(2)\n"
                                    "    if i < a.shape[0] and j < a.shape[1]:\n"
                                    "        out[i, j] = a[i, j] + a.shape[0]\n")
                       .kernel();
  CompileOptions options;
  options.tuning.block = {4, 8, 1};
  Artifact artifact = compile(shifted, parseSignature("a=f32[:,:],out=f32[:,::1]"), options);
  Kernel loaded = Artifact::fromBytes(artifact.bytes()).kernel();
  ASSERT_EQ(loaded.parameters().size(), 2u);
  constexpr int64_t rows = 5, columns = 7;
  std::vector<float> values(rows * columns);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i);
  Array a = device.array(values, {rows, columns}),
        out = device.zeros(DType::Float32, {rows, columns});
  loaded.launch(device, {2, 1}, {{"a", a}, {"out", out}});
  for (float &value : values)
    value += rows;
  EXPECT_EQ(out.toVector<float>(), values);
  auto refused = [&](const Argument &wrong) {
    return messageOf(Error::Kind::Usage,
                     [&] { loaded.launch(device, {2, 1}, {{"a", a}, {"out", wrong}}); });
  };
  EXPECT_NE(refused(device.zeros(DType::Float32, {rows * columns})).find("dimensions"),
            std::string::npos);
  EXPECT_NE(refused(3), "");
}

TEST(Compile, ElementsMakeATuple) {
  for (const char *bad : {"xs.1=*f32", "xs.0=*f32,xs.2=*f32", "xs.0=*f32,xs.0=*f32",
                          "xs=*f32,xs.0=*f32", "xs.0=*f32,xs.0.0=*f32", "xs.0.0=*f32,xs.0=*f32"})
    EXPECT_NE(messageOf(Error::Kind::Usage, [&] { compile(sums(), parseSignature(bad)); }), "")
        << bad;
  Error unknown = errorOf([] { compile(sums(), parseSignature("ys.0=*f32")); });
  EXPECT_EQ(unknown.findings().at(0).id, "unknown_argument");
  Error twice = errorOf([] { compile(sums(), parseSignature("xs.0=*f32,xs=*f32")); });
  EXPECT_EQ(twice.findings().at(0).id, "duplicate_argument");
}

TEST(Compile, TypesThatNoTextSaysAreRefused) {
  Kernel kernel = Module::fromText("import triton\nimport triton.language as tl\n"
                                   "@triton.jit\ndef k(d, o):\n"
                                   "    tl.store(o, tl.sum(d.load([0, 0])))\n")
                      .kernel();
  auto whyNot = [&](const ArgumentType &type) {
    Signature signature{{"d", type}, {"o", ArgumentType{DType::Float32, true}}};
    return messageOf(Error::Kind::Usage, [&] { compile(kernel, signature, {.target = "none"}); });
  };
  const std::pair<ArgumentType, const char *> cases[] = {
      {{DType::Float32, false, false, {4, 4}}, "a shape of blocks, but no pointer"},
      {{DType::Float32, true, false, {}, true}, "a padding, but no shape of blocks"},
      {{DType::Int32, true, false, {4, 4}, true}, "integers that are padded with NaN"},
      {{DType::Float32, true, false, {4, 0}}, "blocks without elements"},
      {{DType::Float32, true, false, {4, -4}}, "blocks without elements"},
      {{DType::Float32, true, false, {1, 1, 1, 1, 1, 1}}, "blocks of too many dimensions"},
  };
  for (const auto &[type, why] : cases)
    EXPECT_NE(whyNot(type).find(why), std::string::npos) << why << ": " << whyNot(type);
  Signature right{{"d", ArgumentType{DType::Float32, true, false, {4, 4}, true}},
                  {"o", ArgumentType{DType::Float32, true}}};
  compile(kernel, right, {.target = "none"});
}

TEST(Compile, AWrongSignatureGivesFindings) {
  auto findingOf = [](const std::string &signature) {
    Error error = errorOf([&] { compile(scaled(), parseSignature(signature)); });
    EXPECT_EQ(error.kind(), Error::Kind::Source) << error.what();
    return error.findings().empty() ? Finding() : error.findings()[0];
  };
  Finding missing = findingOf("x_ptr=*f32,out_ptr=*f64,n=i32,factor=3");
  EXPECT_EQ(missing.id, "missing_constexpr");
  EXPECT_EQ(missing.place.file, "scaled.py");
  EXPECT_EQ(missing.place.line, 6u);
  EXPECT_EQ(findingOf("out_ptr=*f64,n=i32,factor=3,TYPE=f64").id, "missing_argument");
  EXPECT_EQ(findingOf("x_ptr=*f32,x_ptr=*f32").id, "duplicate_argument");
  EXPECT_EQ(findingOf("x_ptr=*f32,m=i32").id, "unknown_argument");
  // The kernel's own: a number where it loads from.
  EXPECT_NE(findingOf("x_ptr=f32,out_ptr=*f64,n=i32,factor=3,TYPE=f64").id, "");
}

TEST(Compile, WhatCannotBeIsRefused) {
  auto refusal = [](const char *name, std::variant<ArgumentType, Argument> value) {
    Signature signature = scaledSignature();
    std::erase_if(signature, [&](const SignatureEntry &entry) { return entry.name == name; });
    signature.push_back({name, std::move(value)});
    return messageOf(Error::Kind::Usage, [&] { compile(scaled(), signature); });
  };
  EXPECT_NE(refusal("factor", ArgumentType{DType::Int32, false, true}).find("takes a constant"),
            std::string::npos);
  Array array = Device::open("check").zeros(DType::Float32, {1});
  EXPECT_NE(refusal("x_ptr", array).find("'x_ptr'"), std::string::npos);
  auto compileFor = [](CompileOptions options) {
    return messageOf(Error::Kind::Usage, [&] { compile(scaled(), scaledSignature(), options); });
  };
  EXPECT_EQ(compileFor({.target = "tpu"}),
            "no target 'tpu'; there are: cpu, sm_80, sm_86, sm_89, sm_90a, "
            "sm_100a, sm_120, none");
  EXPECT_NE(compileFor({.cpu = "hazwell"}).find("'haswell'"), std::string::npos);
  EXPECT_EQ(compileFor({.target = "none", .stages = {Stage::Tile, Stage::Asm}}),
            "target none has no stage 'asm'; its stages are tokens, ast, types, tile, passes");
  Artifact artifact = compile(scaled(), scaledSignature());
  EXPECT_EQ(messageOf(Error::Kind::Usage, [&] { compile(artifact.kernel(), {}); }),
            "kernel 'scaled' is compiled already");
  messageOf(Error::Kind::Usage,
            [] { compile(scaled(), scaledSignature(), {.target = "none"}).bytes(); });
}

/// Every stage of a target but those that are another's; returns what the last one showed.
std::string expectStages(const std::string &target, const std::set<Stage> &foreign) {
  CompileOptions options{.target = target};
  for (Stage stage : stages())
    if (!foreign.contains(stage))
      options.stages.push_back(stage);
  std::vector<StageOutput> first = dump(scaled(), scaledSignature(), options);
  std::vector<StageOutput> second = dump(scaled(), scaledSignature(), options);
  EXPECT_EQ(first.size(), second.size());
  std::set<Stage> seen;
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_NE(first[i].text, "") << name(first[i].stage);
    EXPECT_GE(first[i].milliseconds, 0);
    EXPECT_EQ(first[i].stage == Stage::Passes, !first[i].detail.empty());
    EXPECT_EQ(first[i].stage, second[i].stage);
    EXPECT_EQ(first[i].detail, second[i].detail);
    EXPECT_EQ(first[i].text, second[i].text) << name(first[i].stage);
    seen.insert(first[i].stage);
  }
  EXPECT_TRUE(std::ranges::is_sorted(first, {}, &StageOutput::stage));
  EXPECT_EQ(seen.size(), options.stages.size());
  return first.back().text;
}

TEST(Dump, EveryStageIsShownAndTheSameEachTime) {
  EXPECT_TRUE(expectStages("cpu", {Stage::Policy, Stage::Layouts, Stage::Ptx, Stage::Sass})
                  .starts_with("\x7f"
                               "ELF"));
  EXPECT_NE(expectStages("sm_90a", {Stage::Storage, Stage::Asm, Stage::Object, Stage::Sass})
                .find(".target sm_90a"),
            std::string::npos);
}

TEST(Dump, TheSourcesStagesNeedNoSignature) {
  EXPECT_EQ(dump(scaled(), {}, {.stages = {Stage::Tokens, Stage::Ast}}).size(), 2u);
  EXPECT_TRUE(dump(scaled(), {}, {}).empty());
  messageOf(Error::Kind::Source, [] { dump(scaled(), {}, {.stages = {Stage::Types}}); });
}

TEST(Dump, TheSinkGetsWhatIsReturnedAndMayThrow) {
  CompileOptions options{.stages = {Stage::Tile, Stage::Asm}};
  std::vector<std::string> got;
  options.sink = [&](const StageOutput &output) { got.push_back(output.text); };
  compile(scaled(), scaledSignature(), options);
  ASSERT_EQ(got.size(), 2u);
  std::vector<StageOutput> outputs = dump(scaled(), scaledSignature(), options);
  ASSERT_EQ(got.size(), 4u);
  EXPECT_EQ(got[2], outputs[0].text);
  EXPECT_EQ(got[1], outputs[1].text);

  int calls = 0;
  options.sink = [&](const StageOutput &) {
    ++calls;
    throw std::string("mine");
  };
  EXPECT_THROW(compile(scaled(), scaledSignature(), options), std::string);
  EXPECT_THROW(dump(scaled(), scaledSignature(), options), std::string);
  EXPECT_EQ(calls, 2);
}

TEST(Stages, HaveNames) {
  for (Stage stage : stages()) {
    EXPECT_EQ(parseStage(name(stage)), stage);
    EXPECT_NE(meaning(stage), "");
  }
  EXPECT_EQ(parseStage("nothing"), std::nullopt);
  EXPECT_EQ(parseStages(" tile, asm,"), (std::vector{Stage::Tile, Stage::Asm}));
  EXPECT_EQ(messageOf(Error::Kind::Usage, [] { parseStages("asmm"); }),
            "no stage 'asmm'; did you mean 'asm'?");
  messageOf(Error::Kind::Usage, [] { parseStages(","); });
}

TEST(Stages, HavePassesByName) {
  CompileOptions options{.target = "sm_90a"};
  selectStages(options, "ptx, nvptx-assign-layouts,cse");
  EXPECT_EQ(options.stages, std::vector{Stage::Ptx});
  EXPECT_EQ(options.passes, (std::vector<std::string>{"nvptx-assign-layouts", "cse"}));
  std::vector<std::string> shown;
  for (const StageOutput &output : dump(scaled(), scaledSignature(), options))
    shown.push_back(std::string(name(output.stage)) + " " + output.detail);
  EXPECT_EQ(shown, (std::vector<std::string>{"passes before cse", "passes cse", "passes before cse",
                                             "passes cse", "passes before nvptx-assign-layouts",
                                             "passes nvptx-assign-layouts", "ptx "}));
  EXPECT_EQ(std::ranges::count(passNames(), "nvptx-assign-layouts"), 1);
  EXPECT_EQ(messageOf(Error::Kind::Usage, [&] { selectStages(options, "nvptx-asign-layouts"); }),
            "no pass 'nvptx-asign-layouts'; did you mean 'nvptx-assign-layouts'?");
  EXPECT_EQ(messageOf(Error::Kind::Usage, [&] { selectStages(options, "asmm"); }),
            "no stage 'asmm'; did you mean 'asm'?");
  options.passes = {"nothing"};
  messageOf(Error::Kind::Usage, [&] { dump(scaled(), scaledSignature(), options); });
}

TEST(Devices, AreWhatCanBeOpened) {
  for (const DeviceInfo &device : devices())
    if (device.unavailableBecause.empty())
      EXPECT_EQ(Device::open(device.name).name(), device.name);
  std::vector<std::string> targets = targetNames();
  EXPECT_EQ(targets.front(), "cpu");
  EXPECT_EQ(targets.back(), "none");
  EXPECT_TRUE(std::ranges::count(targets, "sm_90a"));
  for (const std::string &cpu : cpuNames())
    EXPECT_FALSE(cpuInfo(cpu).features.empty()) << cpu;
  EXPECT_NE(cpuInfo().name, "host");
  messageOf(Error::Kind::Usage, [] { cpuInfo("hazwell"); });
}

TEST(Modules, WithOneKernelNeedNoName) {
  EXPECT_EQ(Module::fromText(text).kernel().name(), "scaled");
  std::string twice = std::string(text) + "\n@triton.jit\ndef other(p):\n    pass\n";
  Error several = errorOf([&] { Module::fromText(twice, "t.py").kernel(); });
  ASSERT_EQ(several.findings().size(), 1u);
  EXPECT_EQ(several.findings()[0].id, "kernel_name_needed");
  EXPECT_EQ(several.findings()[0].notes.at(0).text, "the kernels are scaled, other");
  EXPECT_NE(
      messageOf(Error::Kind::Usage, [] { Module::fromText("def f(x):\n    pass\n").kernel(); })
          .find("those without are f"),
      std::string::npos);
}

} // namespace
