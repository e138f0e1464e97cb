// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tuning::isBrief: which kernels of the CPU it makes others.
#include "nereid/compile.h"
#include "nereid/nereid.h"

#include <gtest/gtest.h>

using namespace nereid;

namespace {

std::string codeOf(const std::string &body, const std::string &target, bool isBrief,
                   const std::string &cpu = "x86-64") {
  Kernel kernel = Module::fromText("import triton\nimport triton.language as tl\n@triton.jit\n"
                                   "def k(x_ptr, out_ptr, n):\n" +
                                   body)
                      .kernel();
  CompileOptions options{.target = target, .cpu = cpu};
  options.tuning.isBrief = isBrief;
  options.stages = {target == "cpu" ? Stage::Asm : Stage::Ptx};
  return dump(kernel, parseSignature("x_ptr=*f32,out_ptr=*f32,n=i32"), options)[0].text;
}

const std::string few = "  i = tl.arange(0, 256)\n"
                        "  tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n, other=0.0) + 1)\n";

TEST(Brief, WhatHasLittleToDoIsMadeQuickly) {
  EXPECT_NE(codeOf(few, "cpu", true), codeOf(few, "cpu", false));
}

TEST(Brief, LoopsProductsAndLargeTilesAreMadeToRunFast) {
  const std::string loop = "  i = tl.arange(0, 256)\n"
                           "  for j in range(n):\n"
                           "    tl.store(out_ptr + i + j, tl.load(x_ptr + i + j))\n";
  const std::string product = "  i = tl.arange(0, 16)\n"
                              "  at = i[:, None] * 16 + i[None, :]\n"
                              "  x = tl.load(x_ptr + at)\n"
                              "  tl.store(out_ptr + at, tl.dot(x, x))\n";
  const std::string large = "  i = tl.arange(0, 65536)\n"
                            "  tl.store(out_ptr + i, tl.load(x_ptr + i) + 1)\n";
  for (const std::string &body : {loop, product, large})
    EXPECT_EQ(codeOf(body, "cpu", true), codeOf(body, "cpu", false));
}

TEST(Brief, OtherTargetsTakeNoNotice) {
  EXPECT_EQ(codeOf(few, "sm_90a", true, ""), codeOf(few, "sm_90a", false, ""));
}

} // namespace
