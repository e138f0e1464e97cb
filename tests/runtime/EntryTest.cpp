// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled kernels for other launchers.
#include "nereid/entry.h"
#include "Failures.h"
#include "runtime/cpu/CpuKernel.h"
#include "runtime/cpu/Scratch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace nereid;
using namespace nereid::test;

namespace {

Artifact compiled(const std::string &file, const std::string &kernel, const char *signature,
                  const CompileOptions &options) {
  return compile(Module::load(NEREID_GPU_KERNELS "/" + file).kernel(kernel),
                 parseSignature(signature), options);
}

/// Of the entry that the PTX declares.
std::ptrdiff_t parametersOf(const std::string &ptx) {
  size_t begin = ptx.find(".entry"), end = ptx.find('{', begin);
  std::string declaration = ptx.substr(begin, end - begin);
  std::ptrdiff_t count = 0;
  for (size_t at = 0; (at = declaration.find(".param", at)) != std::string::npos; ++at)
    ++count;
  return count;
}

Kernel kernelOf(const char *body) {
  std::string head = "import triton\nimport triton.language as tl\n@triton.jit\n";
  return Module::fromText(head + body).kernel();
}

// A warp that fetches, boxes and blocks that run several programs are our own launches' alone.
TEST(GpuEntry, TakesTheArgumentsAndNothingElse) {
  CompileOptions options{.target = "sm_90a", .tuning = {.warps = 8}};
  GpuEntry product =
      gpuEntry(compiled("programs.py", "product",
                        "a=*f16:16,b=*f16:16,c=*f16:16,N=i32:16,BM=128,BN=256,BK=64", options));
  EXPECT_EQ(product.symbol, "kernel_product");
  EXPECT_EQ(product.threads, 256u);
  EXPECT_GT(product.sharedBytes, 48u << 10);
  EXPECT_EQ(parametersOf(product.ptx), 4);
  EXPECT_EQ(product.ptx.find("cp.async.bulk.tensor"), std::string::npos);
  GpuEntry rows = gpuEntry(
      compiled("rows.py", "softmax", "x=*f32:16,out=*f32:16,n=i32:16,BLOCK=32768", options));
  EXPECT_EQ(rows.threads, 256u);
  EXPECT_EQ(parametersOf(rows.ptx), 3);
  // Constants and what is 1 have no parameters.
  Artifact scaled = compile(kernelOf("def scaled(x, n, one, F: tl.constexpr):\n"
                                     "    tl.store(x + n * one, F)\n"),
                            parseSignature("x=*f32,n=i64,one=1,F=2.5"), {.target = "sm_80"});
  EXPECT_EQ(parametersOf(gpuEntry(scaled).ptx), 2);
  EXPECT_EQ(gpuEntry(scaled).symbol, "kernel_scaled");
}

TEST(GpuEntry, IsRefusedWhereALauncherMustDoMore) {
  Kernel says = kernelOf("def says(x):\n    tl.device_print('x', tl.load(x))\n");
  for (const char *target : {"sm_90a", "cpu"}) {
    Artifact artifact = compile(says, parseSignature("x=*f32"), {.target = target});
    std::string message = messageOf(Error::Kind::Usage, [&] {
      std::string_view(target) == "cpu" ? (void)cpuEntry(artifact) : (void)gpuEntry(artifact);
    });
    EXPECT_NE(message.find("kernel 'says' prints or asserts"), std::string::npos) << message;
    message = messageOf(Error::Kind::Usage, [&] {
      std::string_view(target) == "cpu" ? (void)gpuEntry(artifact) : (void)cpuEntry(artifact);
    });
    EXPECT_NE(message.find("was not compiled for a"), std::string::npos) << message;
  }
}

TEST(GpuEntry, IsRefusedWhereBlocksWaitForOneAnother) {
  Module module = Module::fromText("from numba import cuda\n\n@cuda.jit\ndef waits(x):\n"
                                   "    cuda.cg.this_grid().sync()\n    x[cuda.grid(1)] = 1\n");
  for (const char *target : {"sm_90a", "cpu"}) {
    Artifact artifact = compile(module.kernel("waits"), parseSignature("x=f32[::1]"),
                                {.target = target, .tuning = {.block = {8}}});
    std::string message = messageOf(Error::Kind::Usage, [&] {
      std::string_view(target) == "cpu" ? (void)cpuEntry(artifact) : (void)gpuEntry(artifact);
    });
    EXPECT_NE(message.find("blocks that wait for one another"), std::string::npos) << message;
  }
}

TEST(CpuEntry, RunsWhereverItLies) {
  Kernel kernel = kernelOf("def waves(x, out, n, B: tl.constexpr):\n"
                           "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
                           "    v = tl.load(x + i, mask=i < n)\n"
                           "    tl.store(out + i, tl.sin(v.to(tl.float64)) + tl.num_programs(0), "
                           "mask=i < n)\n");
  CpuEntry entry =
      cpuEntry(compile(kernel, parseSignature("x=*f32,out=*f32,n=i32,B=64"), {.mayOverlap = true}));
  EXPECT_FALSE(entry.addresses.empty()); // calls libm's or libmvec's sin
  runtime::CodeImage image{entry.bytes, entry.alignment, entry.entry, {}};
  for (const CpuEntry::Address &address : entry.addresses)
    image.addresses.push_back({address.offset, address.symbol, address.addend});
  runtime::cpu::LoadedImage loaded(image);
  auto run = reinterpret_cast<void (*)(const void *, const uint32_t *, uint64_t, uint64_t, void *,
                                       const void *)>(loaded.entry());
  constexpr uint32_t count = 1000, programs = 16;
  std::vector<float> x(count), out(count, -1);
  for (uint32_t i = 0; i < count; ++i)
    x[i] = static_cast<float>(i) / 10;
  struct Slot {
    uint64_t bits, extentBytes;
  } slots[] = {{reinterpret_cast<uint64_t>(x.data()), 4 * count},
               {reinterpret_cast<uint64_t>(out.data()), 4 * count},
               {count, 0}};
  uint32_t grid[] = {programs, 1, 1};
  std::vector<char> scratch(entry.scratchBytes + 128);
  auto *aligned =
      reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64);
  run(slots, grid, 5, programs, aligned, nullptr);
  EXPECT_EQ(out[319], -1);
  run(slots, grid, 0, 5, aligned, nullptr);
  for (uint32_t i = 0; i < count; ++i)
    EXPECT_NEAR(out[i], std::sin(double(x[i])) + programs, 1e-5) << i;
}

} // namespace
