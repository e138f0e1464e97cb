// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions by unit: of listings that are written here, and of kernels, where accesses that are
// counted by running programs must be as many as instructions that are counted by their code.
#include "AnalyzeTest.h"

#include "analyze/CodeListing.h"
#include "backend/nvptx/ptx/OutsideProgram.h"

#include <cstdlib>

using namespace nereid;
using analyzer::CodeListing;
using analyzer::InstructionUnit;
using test::AnalyzeTest;

namespace {

/// What stands in the blocks, "fma fma control".
std::string textOf(const analyzer::CodeBlock &block) {
  std::string text;
  for (const analyzer::Instruction &instruction : block.instructions) {
    static constexpr const char *names[] = {
#define UNIT(member, name, meaning) #member,
#include "nereid/units.def"
    };
    text += (text.empty() ? "" : " ") + std::string(names[size_t(instruction.unit)]);
  }
  return text;
}

TEST(CodeListingTest, MachineCodeInLoops) {
  CodeListing code = analyzer::readMachineCode(R"(
	.sectioninfo	@"SHI_REGISTERS=10"
        /*0000*/                   FADD R9, R9, R9 ;
	.section	.text.kernel_f,"ax",@progbits
kernel_f:
.text.kernel_f:
	//## File "sites", line 7
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   S2R R2, SR_TID.X ;
.L_x_1:
	//## File "sites", line 12
        /*0020*/              @!P0 FMUL R0, R0, 0.5 ;
        /*0030*/                   HFMA2.MMA R0, -RZ, RZ, 0, 1 ;
        /*0034*/                   HFMA2.MMA.BF16_V2 R0, R0, R0, R0 ;
        /*0038*/                   HFMA2.BF16_V2 R0, R0, R0, R0 ;
.L_x_0:
        /*0040*/                   MUFU.EX2 R4, R0 ;
        /*0050*/                   IMAD.MOV.U32 R4, RZ, RZ, R5 ;
        /*0060*/               @P0 BRA `(.L_x_0) ;
        /*0070*/                   ULOP3.LUT UR4, UR4, 0x1, URZ, 0xc0, !UPT ;
        /*0080*/                   BRA P1, `(.L_x_1) ;
	//## File "sites", line 13
        /*0090*/                   STG.E desc[UR4][R2.64], R4 ;
        /*00a0*/                   EXIT ;
.L_x_2:
        /*00b0*/                   BRA `(.L_x_2);
        /*00c0*/                   NOP;
)");
  ASSERT_EQ(code.blocks.size(), 6u);
  const char *units[] = {"other other",     "fma tensor tensor fma", "special fma control",
                         "uniform control", "global control",        "control"};
  const unsigned depths[] = {0, 1, 2, 1, 0, 0};
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(textOf(code.blocks[i]), units[i]) << i;
    EXPECT_EQ(code.depthOf(code.blocks[i].loop), depths[i]) << i;
    EXPECT_EQ(code.blocks[i].isDead, i == 5) << i;
  }
  EXPECT_EQ(code.blocks[0].instructions[0].site, 7u);
  EXPECT_EQ(code.blocks[1].instructions[1].site, 12u);
  EXPECT_EQ(code.blocks[4].instructions[0].site, 13u);
}

TEST(CodeListingTest, Ptx) {
  CodeListing code = analyzer::readPtx(R"(
.visible .entry kernel_f(.param .u64 p)
.reqntid 128
{
	.reg .b32 	%r<6>;
	.loc	1 7 0
	ld.param.u64 	%rd1, [p];
	mov.u32 	%r1, 0;
$L__BB0_1:                              // in a loop
	.loc	1 12 0
	ld.global.v4.f32 	{%f1, %f2, %f3, %f4}, [%rd1];
	fma.rn.f32 	%f1, %f1, %f1, %f1;
	add.f64 	%fd1, %fd1, %fd1;
	cvt.rn.f16x2.f32 	%r3, %f1, %f2;
	cvt.rn.f32.s32 	%f1, %r3;
	// begin inline asm
	{ .reg .pred p; setp.ne.b32 p, %r1, 0; @p ex2.approx.f32 %f1, %f1; }
	// end inline asm
	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 	{%f1}, {%r1}, {%r2}, {%f1};
	wgmma.commit_group.sync.aligned;
	st.shared.b32 	[%r1], %r2;
	mul.lo.s32 	%r1, %r1, 3;
	@%p1 bra 	$L__BB0_1;
	bar.sync 	0;
	ret;
}
)");
  ASSERT_EQ(code.blocks.size(), 3u);
  EXPECT_EQ(textOf(code.blocks[0]), "other other");
  EXPECT_EQ(textOf(code.blocks[1]),
            "global fma f64 alu conversion alu special tensor control shared fma control");
  EXPECT_EQ(textOf(code.blocks[2]), "control control");
  EXPECT_EQ(code.depthOf(code.blocks[1].loop), 1u);
  EXPECT_EQ(code.blocks[1].instructions[0].site, 12u);
}

/// What stands behind the end and goes back is part of what it came from, and no loop.
TEST(CodeListingTest, CodeApart) {
  CodeListing code = analyzer::readMachineCode(R"(
	.section	.text.kernel_f,"ax",@progbits
        /*0000*/                   MOV R1, R2 ;
.L_x_5:
        /*0010*/                   SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR9+0x20], R2 ;
        /*0020*/              @!P0 BRA `(.L_x_3) ;
.L_x_14:
        /*0030*/                   HGMMA.64x64x16.F32 R24, gdesc[UR16].tnspB, R24 ;
        /*0040*/               @P1 BRA `(.L_x_5) ;
        /*0050*/                   EXIT ;
.L_x_3:
        /*0060*/                   SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR9+0x20], R2 ;
        /*0070*/              @!P0 BRA `(.L_x_3) ;
        /*0080*/                   BRA `(.L_x_14) ;
)");
  ASSERT_EQ(code.blocks.size(), 6u);
  const unsigned depths[] = {0, 1, 1, 0, 2, 1};
  for (size_t i = 0; i < 6; ++i)
    EXPECT_EQ(code.depthOf(code.blocks[i].loop), depths[i]) << i;
  EXPECT_EQ(code.loops.size(), 2u);
}

/// What the assembler writes beside instructions for the scheduler: the sum waits for what is
/// loaded of shared memory, whose counter it names, and the second comparison until its unit is
/// free.
TEST(CodeListingTest, CyclesOfInstructions) {
  CodeListing code = analyzer::readMachineCode(R"(
	.section	.text.kernel_f,"ax",@progbits
        /*0000*/                   LDS R2, [R1] ;                   /* 0x0000000001027984 */
                                                                    /* 0x000e020000000800 */
        /*0010*/                   FADD R2, R2, R3 ;                /* 0x0000000302027221 */
                                                                    /* 0x001fc80000000000 */
        /*0020*/                   ISETP.NE.AND P0, PT, R4, R5, PT ; /* 0x000000050400720c */
                                                                    /* 0x000fc20003f05270 */
        /*0030*/                   ISETP.NE.AND P1, PT, R4, R6, PT ; /* 0x000000060400720c */
                                                                    /* 0x000fc20003f25270 */
        /*0040*/                   NOP ;                            /* 0x0000000000007918 */
                                                                    /* 0x000fc00000000000 */
        /*0050*/                   EXIT ;                           /* 0x000000000000794d */
                                                                    /* 0x000fea0003800000 */
)");
  ASSERT_EQ(code.blocks.size(), 1u);
  ASSERT_EQ(textOf(code.blocks[0]), "shared fma alu alu control");
  const unsigned cycles[] = {1, 32, 1, 2, 5};
  for (size_t i = 0; i < 5; ++i)
    EXPECT_EQ(code.blocks[0].instructions[i].cycles, cycles[i]) << i;
}

/// Loads that go together are waited for once; one that is behind the use of another comes later,
/// and one that is used the next time around is waited for then.
TEST(CodeListingTest, WaitsForLoads) {
  CodeListing code = analyzer::readMachineCode(R"(
.section	.text.kernel_k,"ax",@progbits
        /*0000*/                   MOV R1, c[0x0][0x28] ;
.L_x_0:
        /*0010*/                   LDG.E.128 R8, desc[UR4][R2.64] ;
        /*0020*/                   LDG.E.128 R12, desc[UR4][R2.64+0x800] ;
        /*0030*/                   FADD R4, R4, R11 ;
        /*0040*/                   FADD R5, R5, R15 ;
        /*0050*/                   LDG.E R16, desc[UR4][R2.64+0x1000] ;
        /*0060*/               @P0 FADD R6, R6, R16 ;
        /*0070*/               @P0 BRA `(.L_x_0) ;
.L_x_1:
        /*0080*/                   FADD R7, R7, R20 ;
        /*0090*/                   LDG.E R20, desc[UR4][R2.64] ;
        /*00a0*/               @P0 BRA `(.L_x_1) ;
        /*00b0*/                   EXIT ;
)");
  ASSERT_EQ(code.blocks.size(), 4u);
  EXPECT_EQ(code.blocks[0].waits, 0u);
  EXPECT_EQ(code.blocks[1].waits, 2u);
  EXPECT_EQ(code.blocks[2].waits, 1u);
  EXPECT_EQ(code.blocks[3].waits, 0u);
}

TEST(CodeListingTest, Nothing) {
  EXPECT_TRUE(analyzer::readPtx("").blocks.empty());
  EXPECT_TRUE(analyzer::readMachineCode("nvdisasm fatal: no code\n").blocks.empty());
}

/// Counted of PTX, and of machine code where PATH has what makes it.
class InstructionsTest : public AnalyzeTest, public testing::WithParamInterface<const char *> {
protected:
  void SetUp() override {
    path = std::getenv("PATH") ? std::getenv("PATH") : "";
    if (isOf("PTX"))
      setenv("PATH", "/nowhere", 1);
    else if (backend::nvptx::findProgram("ptxas").empty() ||
             backend::nvptx::findProgram("nvdisasm").empty())
      GTEST_SKIP() << "PATH has no ptxas or no nvdisasm";
  }
  void TearDown() override { setenv("PATH", path.c_str(), 1); }
  bool isOf(std::string_view source) const { return source == GetParam(); }

  uint64_t all(const Analysis &a, uint64_t Analysis::Instructions::*unit) const {
    EXPECT_EQ(a.instructionSource, GetParam());
    uint64_t sum = 0;
    for (const Analysis::Instructions &line : a.instructions)
      sum += line.*unit;
    return sum;
  }
  static uint64_t requests(const Analysis &a) {
    uint64_t sum = 0;
    for (const Analysis::Access &access : a.accesses)
      sum += access.requests;
    return sum;
  }
  Analysis rounds(int64_t n, AnalyzeOptions options = {}) {
    return analyze("rounds", {5},
                   {{"x", floats({5 * 256})}, {"y", floats({5 * 256})}, {"n", n}, {"BLOCK", 256}},
                   options);
  }

  std::string path;
};

TEST_P(InstructionsTest, AccessesAreInstructions) {
  const int64_t n = 1 << 14;
  Analysis copy = analyze("copy", {n / 1024},
                          {{"x", floats({n})}, {"y", floats({n})}, {"n", n}, {"BLOCK", 1024}});
  EXPECT_EQ(all(copy, &Analysis::Instructions::global), requests(copy));
  Analysis sums =
      analyze("row_sum", {16},
              {{"x", floats({16, 4096})}, {"y", floats({16})}, {"cols", 4096}, {"BLOCK", 4096}});
  // One thread of all writes the sum: its warp's instruction, and those of warps that do not write.
  EXPECT_NEAR(double(all(sums, &Analysis::Instructions::global)), double(requests(sums)), 16 * 32);
  EXPECT_GE(all(sums, &Analysis::Instructions::global), requests(sums));
}

/// As many products as were counted by the kernel's operations, for both ways to multiply.
TEST_P(InstructionsTest, ProductsAreInstructions) {
  for (const char *target : {"sm_80", "sm_90a"})
    for (int64_t depth : {64, 320, 448, 1024}) {
      SCOPED_TRACE(std::string(target) + " " + std::to_string(depth));
      auto half = [&](int64_t r, int64_t c) { return array(DType::Float16, {r, c}); };
      Analysis a = analyze("matmul", {2, 3},
                           {{"a", half(128, depth)},
                            {"b", half(depth, 192)},
                            {"c", half(128, 192)},
                            {"M", 128},
                            {"N", 192},
                            {"K", depth},
                            {"BM", 64},
                            {"BN", 64},
                            {"BK", 64}},
                           {.target = target});
      ASSERT_EQ(a.products.size(), 1u);
      // wgmma is an instruction of each of a warpgroup's warps.
      const uint64_t warps = a.products[0].instruction.starts_with("wgmma") ? 4 : 1;
      EXPECT_EQ(all(a, &Analysis::Instructions::tensor), a.products[0].count * warps);
    }
}

/// A loop whose rounds are an argument, with one exp2 of each element: the assembler makes several
/// rounds one, and has the last ones apart.
TEST_P(InstructionsTest, RoundsOfLoops) {
  for (int64_t n : {1, 2, 3, 7, 40, 41, 1003}) {
    SCOPED_TRACE(n);
    Analysis a = rounds(n);
    const double elements = 5 * 256 * double(n) / 32;
    const double counted = double(all(a, &Analysis::Instructions::special));
    EXPECT_EQ(counted, elements);
    EXPECT_EQ(all(a, &Analysis::Instructions::global), requests(a));
  }
}

/// Rounds that the assembler writes together load together, unless they wait for other threads, for
/// one another or for stores, or only what an operation is emitted as is written so.
TEST_P(InstructionsTest, APassWaitsOnce) {
  Array integers = array(DType::Int32, {1024 * 128});
  auto matrix = [&](int64_t r, int64_t c) { return array(DType::Float32, {r, c}); };
  const Arguments of32 = {
      {"x", floats({1024 * 128})}, {"y", floats({128})}, {"n", 1000}, {"BLOCK", 128}};
  const Arguments ofWarps = {
      {"x", floats({1024 * 128})}, {"y", floats({1})}, {"n", 128}, {"BLOCK", 1024}};
  const Arguments chained = {{"x", integers}, {"y", integers}, {"n", 1000}, {"BLOCK", 128}};
  const Arguments copied = {
      {"x", floats({1024 * 128})}, {"y", floats({1024 * 128})}, {"n", 1000}, {"BLOCK", 128}};
  const Arguments product = {{"a", matrix(64, 512)},
                             {"b", matrix(512, 64)},
                             {"c", matrix(64, 64)},
                             {"M", 64},
                             {"N", 64},
                             {"K", 512},
                             {"BM", 16},
                             {"BN", 16},
                             {"BK", 64}};
  auto waiting = [&](const char *kernel, Grid grid, const Arguments &arguments) {
    AnalyzeOptions options;
    options.tuning.pipelineStages = 1;
    Analysis a = analyze(kernel, grid, arguments, options);
    return std::ranges::find(a.bounds, "latency", &Analysis::Bound::name)->seconds;
  };
  auto ratioToPtx = [&](const char *kernel, Grid grid, const Arguments &arguments) {
    const double here = waiting(kernel, grid, arguments);
    setenv("PATH", "/nowhere", 1);
    const double asWritten = waiting(kernel, grid, arguments);
    setenv("PATH", path.c_str(), 1);
    return here / asWritten;
  };
  if (isOf("PTX")) {
    EXPECT_GT(waiting("sums_of_rounds", {1}, of32), 1000 * 0.35e-6);
    return;
  }
  EXPECT_LT(ratioToPtx("sums_of_rounds", {1}, of32), 0.3); // ptxas 12.8 and 13.0 write four rounds
  EXPECT_GT(ratioToPtx("totals_of_rounds", {1}, ofWarps), 0.9);
  EXPECT_GT(ratioToPtx("chain", {1}, chained), 0.9);
  EXPECT_GT(ratioToPtx("copy_by_rounds", {1}, copied), 0.9);
  EXPECT_GT(ratioToPtx("matmul", {4, 4}, product), 0.9);
}

/// Without machine code nobody knows, and a note says so.
TEST_P(InstructionsTest, RoundsThatMayWaitTogetherAreNoted) {
  Analysis a =
      analyze("sums_of_rounds", {1},
              {{"x", floats({10 * 128})}, {"y", floats({128})}, {"n", 10}, {"BLOCK", 128}});
  const bool isNoted = std::ranges::any_of(a.notes, [](const std::string &note) {
    return note.find("how many the assembler writes together") != note.npos;
  });
  EXPECT_EQ(isNoted, isOf("PTX"));
}

/// Boxes are asked for once; where lanes load as well, in the same loop.
TEST_P(InstructionsTest, BoxesAreInstructions) {
  auto half = [&](int64_t r, int64_t c) { return array(DType::Float16, {r, c}); };
  for (int64_t columns : {192, 188}) { // a multiple of 8 is a box's, another is loaded by lanes
    SCOPED_TRACE(columns);
    Analysis a = analyze("matmul", {2, 3},
                         {{"a", half(128, 320)},
                          {"b", half(320, columns)},
                          {"c", half(128, columns)},
                          {"M", 128},
                          {"N", columns},
                          {"K", 320},
                          {"BM", 64},
                          {"BN", 64},
                          {"BK", 64}});
    uint64_t boxes = 0;
    for (const Analysis::Access &access : a.accesses)
      if (access.kind == "fetch" || access.kind == "send")
        boxes += access.requests;
    EXPECT_EQ(all(a, &Analysis::Instructions::engine), boxes);
    EXPECT_EQ(all(a, &Analysis::Instructions::tensor), a.products[0].count * 4);
  }
}

TEST_P(InstructionsTest, LinesAreTheKernels) {
  Analysis a = rounds(100);
  uint64_t most = 0;
  unsigned line = 0;
  for (const Analysis::Instructions &each : a.instructions)
    if (each.special > most) {
      most = each.special;
      line = each.place.line;
    }
  std::string text = a.text;
  for (unsigned i = 1; i < line; ++i)
    text.erase(0, text.find('\n') + 1);
  EXPECT_NE(text.substr(0, text.find('\n')).find("exp2"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Sources, InstructionsTest, testing::Values("PTX", "machine code"),
                         [](const auto &each) {
                           return std::string(each.param) == "PTX" ? "Ptx" : "MachineCode";
                         });

} // namespace
