// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that copy boxes of their arrays, and what launches do where there are none.
#include "FakeDevice.h"

#include <array>

using namespace nereid::runtime::cuda;
using nereid::runtime::CudaCode;

namespace nereid::test {
namespace {

/// "boxed(x, n, map)" and "plain(x, n)", which say which of them ran.
class BoxedKernels : public FakeDevice {
protected:
  BoxedKernels() {
    fake_cuda::setKernel("boxed", {{8, 4, sizeof(CUtensorMap)}, 32, 0, 0, [&](const auto &run) {
                                     map = run.template value<CUtensorMap>(2);
                                     ran = "boxed";
                                     return 0;
                                   }});
    fake_cuda::setKernel("plain", {{8, 4}, 32, 0, 0, [&](const auto &) {
                                     ran = "plain";
                                     return 0;
                                   }});
  }

  /// Rows of 64 f16, n of them from the third on; n is to be a multiple of 8.
  CudaCode boxed() {
    using Sum = runtime::ParameterSum;
    CudaCode code = this->code("boxed");
    runtime::IntegerParameter n{1, 4};
    code.boxes = {{DType::Float16,
                   0,
                   Sum{{{128, {}}}},
                   {{Sum{{{64, {}}}}, Sum{{{1, {}}}}, 64}, {Sum{{{1, {n}}}}, Sum{{{64, {}}}}, 8}},
                   128}};
    code.conditions = {{n, 8}};
    return code;
  }
  std::string launch(CudaKernel &kernel, uint64_t address, int32_t n) {
    ran.clear();
    kernel.launch({}, std::array<ArgumentSlot, 2>{{{address, 1 << 16}, {uint32_t(n), 0}}}, nullptr);
    return ran;
  }

  CUtensorMap map;
  std::string ran;
};

TEST_F(BoxedKernels, GetMapsOfTheirArrays) {
  auto stream = openStream();
  auto x = allocateDevice(stream, 1 << 16);
  uint64_t address = slot(*x).bits;
  int made = 0;
  CudaKernel kernel(stream, boxed(), KernelLabel{"k", "k.py"}, {}, [&] {
    ++made;
    return std::make_unique<CudaKernel>(stream, code("plain"), KernelLabel{"k", "k.py"});
  });
  EXPECT_EQ(launch(kernel, address, 16), "boxed");
  EXPECT_EQ(map.opaque[0], address + 256);
  EXPECT_EQ(map.opaque[2], 2u); // its rank
  EXPECT_EQ(made, 0);
  // A condition that does not hold, nothing to copy, rows where the engine reads none.
  EXPECT_EQ(launch(kernel, address, 12), "plain");
  EXPECT_EQ(launch(kernel, address, 0), "plain");
  EXPECT_EQ(launch(kernel, address, -8), "plain");
  EXPECT_EQ(launch(kernel, address + 8, 16), "plain");
  EXPECT_EQ(made, 1);
  EXPECT_EQ(launch(kernel, address, 8), "boxed");
}

TEST_F(BoxedKernels, TakeThePlainCodeWhereTheDriverRefusesAMap) {
  auto stream = openStream();
  auto x = allocateDevice(stream, 1 << 16);
  CudaKernel kernel(stream, boxed(), KernelLabel{"k", "k.py"}, {}, [&] {
    return std::make_unique<CudaKernel>(stream, code("plain"), KernelLabel{"k", "k.py"});
  });
  fake_cuda::fail("cuTensorMapEncodeTiled", CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(kernel, slot(*x).bits, 16), "plain");
  EXPECT_EQ(launch(kernel, slot(*x).bits, 16), "boxed");
}

TEST_F(BoxedKernels, SayWhatHelpsWhereThereIsNoPlainCode) {
  auto stream = openStream();
  auto x = allocateDevice(stream, 1 << 16);
  CudaKernel kernel(stream, boxed(), KernelLabel{"k", "k.py"});
  EXPECT_TRUE(has(messageOf([&] { launch(kernel, slot(*x).bits, 12); }, Error::Kind::Usage),
                  "kernel 'k' (k.py) cannot be launched", "launch it from its source"));
  EXPECT_EQ(launch(kernel, slot(*x).bits, 16), "boxed");
}

TEST_F(BoxedKernels, LoopOverProgramsWithABlockForEachMultiprocessor) {
  auto stream = openStream();
  auto x = allocateDevice(stream, 1 << 16);
  std::array<uint32_t, 3> programs = {}, blocks = {};
  fake_cuda::setKernel(
      "looping", {{8, 4, 4, 4, 4, sizeof(CUtensorMap)}, 32, 0, 0, [&](const auto &run) {
                    programs = {run.template value<uint32_t>(2), run.template value<uint32_t>(3),
                                run.template value<uint32_t>(4)};
                    blocks = {run.grid[0], run.grid[1], run.grid[2]};
                    map = run.template value<CUtensorMap>(5);
                    return 0;
                  }});
  CudaCode looping = code("looping"), boxes = boxed();
  looping.boxes = boxes.boxes;
  looping.conditions = boxes.conditions;
  looping.loopsOverPrograms = true;
  CudaCode alike = looping;
  alike.programsAreAlike = true;
  CudaKernel kernel(stream, looping, KernelLabel{"k", "k.py"}, {}, [&] {
    return std::make_unique<CudaKernel>(stream, code("plain"), KernelLabel{"k", "k.py"});
  });
  std::array<ArgumentSlot, 2> arguments = {{{slot(*x).bits, 1 << 16}, {16, 0}}};
  auto launch = [&](GridExtent grid) { kernel.launch(grid, arguments, nullptr); };
  using Numbers = std::array<uint32_t, 3>;
  const auto all = static_cast<uint32_t>(stream->context().properties().multiprocessors);
  launch({100, 20, 3});
  EXPECT_EQ(programs, (Numbers{100, 20, 3}));
  EXPECT_EQ(blocks, (Numbers{all, 1, 1}));
  EXPECT_EQ(map.opaque[0], slot(*x).bits + 256);
  launch({2, 3, 1});
  EXPECT_EQ(programs, (Numbers{2, 3, 1}));
  EXPECT_EQ(blocks, (Numbers{6, 1, 1}));
  // The loop's counter has 31 bits.
  launch({1 << 20, 1 << 11, 1});
  EXPECT_EQ(ran, "plain");
  // As many programs for each, unless that leaves too many multiprocessors without any.
  ASSERT_EQ(all, 132u);
  CudaKernel ofOneLength(stream, alike, KernelLabel{"k", "k.py"});
  for (auto [programs, wanted] : {std::pair{4096u, 128u},
                                  {6000u, 131u},
                                  {264u, 132u},
                                  {133u, 132u},
                                  {132u, 132u},
                                  {131u, 131u},
                                  {1u, 1u},
                                  {233u, 117u},
                                  {229u, 132u}}) {
    ofOneLength.launch({programs, 1, 1}, arguments, nullptr);
    EXPECT_EQ(blocks[0], wanted) << programs;
  }
}

TEST_F(BoxedKernels, BringTheirPlainCodeInFiles) {
  auto stream = openStream();
  auto x = allocateDevice(stream, 1 << 16);
  runtime::Artifact artifact;
  artifact.kernel = "k";
  artifact.parameters = {{"x", runtime::ScalarSlot{DType::Float16, true}},
                         {"n", runtime::ScalarSlot{}}};
  CudaCode both = boxed();
  both.withoutBoxes = {code("plain")};
  both.wanted = {{{1, 4}, 16}};
  artifact.code = both;
  runtime::Artifact read = runtime::deserialize(runtime::serialize(artifact));
  EXPECT_EQ(std::get<CudaCode>(read.code), both);
  CudaKernel kernel(stream, std::get<CudaCode>(read.code), KernelLabel{"k", "k.py"});
  EXPECT_EQ(launch(kernel, slot(*x).bits, 12), "plain");
  EXPECT_EQ(launch(kernel, slot(*x).bits, 24), "boxed");
  // A file that speaks of parameters it does not have.
  both.boxes[0].parameter = 2;
  artifact.code = both;
  EXPECT_THROW(runtime::deserialize(runtime::serialize(artifact)), runtime::ArtifactError);
}

TEST_F(BoxedKernels, AreMadeAgainForMultiples) {
  auto stream = openStream();
  auto x = allocateDevice(stream, 1 << 16);
  const KernelLabel label{"k", "k.py"};
  CudaCode first = code("plain");
  first.wanted = {{{1, 4}, 8}};
  std::vector<unsigned> made;
  CudaKernel kernel(stream, first, label, {}, {}, [&](unsigned bytes) {
    made.push_back(bytes);
    return std::make_unique<CudaKernel>(stream, code("plain"), label);
  });
  for (int n : {7, 0, -8, 12, 20, 6, 16, 24, 4})
    EXPECT_EQ(launch(kernel, slot(*x).bits, n), "plain");
  EXPECT_EQ(made, (std::vector<unsigned>{8, 4, 16}));
}

/// Code that takes something for granted is launched where it holds, with boxes or without.
TEST_F(BoxedKernels, AreLeftWhereWhatTheyAssumeIsFalse) {
  auto stream = openStream();
  auto x = allocateDevice(stream, 1 << 16);
  const KernelLabel label{"k", "k.py"};
  CudaCode assuming = code("plain");
  assuming.conditions = {{{1, 4}, 4}};
  int made = 0;
  CudaKernel kernel(stream, assuming, label, {}, [&] {
    ++made;
    return std::make_unique<CudaKernel>(stream, code("plain"), label);
  });
  EXPECT_EQ(launch(kernel, slot(*x).bits, 12), "plain");
  EXPECT_EQ(made, 0);
  EXPECT_EQ(launch(kernel, slot(*x).bits, 6), "plain");
  EXPECT_EQ(made, 1);
}

} // namespace
} // namespace nereid::test
