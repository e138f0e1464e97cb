// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Remarks as users get them: in order, counted, with places in their own text, none for kernels
// that are as they should be, and none of them changes the code.
#include "dialect/tile/Remark.h"
#include "backend/nvptx/ptx/OutsideProgram.h"
#include "backend/nvptx/ptx/RemarkAssembled.h"
#include "dialect/tile/Kernel.h"
#include "nereid/remarks.h"

#include "mlir/IR/Builders.h"

#include <gtest/gtest.h>

#include <thread>

namespace nereid::test {
namespace {

constexpr const char *imports = "import triton\nimport triton.language as tl\n\n";

/// "line:id*count" of each.
std::string summary(const std::vector<Remark> &found) {
  std::string text;
  for (const Remark &remark : found)
    text += (text.empty() ? "" : " ") + std::to_string(remark.place.line) + ":" + remark.id +
            (remark.count > 1 ? "*" + std::to_string(remark.count) : "");
  return text;
}

Kernel kernelOf(const std::string &text) {
  return Module::fromText(imports + text, "k.py").kernel();
}

// Good kernels

struct Good {
  const char *name, *file, *kernel, *signature;
  CompileOptions options;
};
void PrintTo(const Good &good, std::ostream *out) { *out << good.name; }

class GoodKernels : public testing::TestWithParam<Good> {};

TEST_P(GoodKernels, GetNoRemarks) {
  const Good &good = GetParam();
  Module module = Module::load(std::string(NEREID_SOURCE_DIR) + "/kernels/" + good.file);
  std::vector<Remark> found =
      remarks(module.kernel(good.kernel), parseSignature(good.signature), good.options);
  std::string text;
  for (const Remark &remark : found)
    text += remark.report;
  EXPECT_EQ(text, "");
}

constexpr const char *halves = "a_ptr=*f16:16,b_ptr=*f16:16,c_ptr=*f32:16,M=i32,N=i32:16,K=i32:16,"
                               "BLOCK_SIZE_M=128,BLOCK_SIZE_N=128,BLOCK_SIZE_K=64";
constexpr const char *brains = "a_ptr=*bf16:16,b_ptr=*bf16:16,c_ptr=*f32:16,M=i32,N=i32,K=i32,"
                               "BLOCK_SIZE_M=64,BLOCK_SIZE_N=64,BLOCK_SIZE_K=64";
constexpr const char *singles = "a_ptr=*f32:16,b_ptr=*f32:16,c_ptr=*f32:16,M=i32,N=i32,K=i32,"
                                "BLOCK_SIZE_M=64,BLOCK_SIZE_N=64,BLOCK_SIZE_K=64";
constexpr const char *rows = "x_ptr=*f32:16,y_ptr=*f32:16,x_row_stride=i32:16,y_row_stride=i32:16,"
                             "num_cols=i32,BLOCK_SIZE=1024";
constexpr const char *vectors =
    "x_ptr=*f32:16,y_ptr=*f32:16,output_ptr=*f32:16,n_elements=i32,BLOCK_SIZE=1024";

INSTANTIATE_TEST_SUITE_P(
    All, GoodKernels,
    testing::Values(
        Good{"matmul_sm80", "readme.py", "matrix_mul_kernel", halves, {.target = "sm_80"}},
        Good{"matmul_sm90", "readme.py", "matrix_mul_kernel", halves, {.target = "sm_90a"}},
        Good{"matmul_sm100", "readme.py", "matrix_mul_kernel", halves, {.target = "sm_100a"}},
        Good{"matmul_amx", "readme.py", "matrix_mul_kernel", brains, {.cpu = "sapphirerapids"}},
        Good{"matmul_avx2", "readme.py", "matrix_mul_kernel", singles, {.cpu = "haswell"}},
        Good{"softmax_sm80", "notebook.py", "triton_softmax_kernel", rows, {.target = "sm_80"}},
        Good{"softmax_sm90", "notebook.py", "triton_softmax_kernel", rows, {.target = "sm_90a"}},
        Good{"softmax_avx2", "notebook.py", "triton_softmax_kernel", rows, {.cpu = "haswell"}},
        Good{"add_sm90", "readme.py", "vector_add_kernel", vectors, {.target = "sm_90a"}},
        Good{"add_avx2", "readme.py", "vector_add_kernel", vectors, {.cpu = "haswell"}}),
    [](const auto &info) { return std::string(info.param.name); });

constexpr const char *softmax =
    "@triton.jit\n"
    "def softmax(y, x, stride, n, B: tl.constexpr):\n"
    "    i = tl.arange(0, B)\n"
    "    v = tl.load(x + tl.program_id(0) * stride + i, mask=i < n, other=-float('inf'))\n"
    "    e = tl.exp(v - tl.max(v, 0))\n"
    "    tl.store(y + tl.program_id(0) * stride + i, e / tl.sum(e, 0), mask=i < n)\n";

TEST(GoodKernels, OfRowsGetNone) {
  for (const char *width : {"1024", "8192", "32768"})
    for (const char *target : {"sm_80", "sm_90a", "cpu"}) {
      std::string signature = "y=*f32:16,x=*f32:16,stride=i32:16,n=i32:16,B=" + std::string(width);
      EXPECT_EQ(summary(remarks(kernelOf(softmax), parseSignature(signature), {.target = target})),
                "")
          << width << " " << target;
    }
}

// What is said of others

constexpr const char *gathers = "@triton.jit\n"
                                "def pick(x, i):\n"
                                "    return tl.load(x + tl.load(i))\n"
                                "\n"
                                "@triton.jit\n"
                                "def k(x, t, y, n, B: tl.constexpr):\n"
                                "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
                                "    v = tl.load(x + i * n) + tl.load(x + i * 5)\n"
                                "    tl.store(y + i, tl.sin(v) + pick(x, t + i))\n";
constexpr const char *ofGathers = "x=*f32,t=*i32,y=*f32,n=i32,B=1024";

TEST(Remarks, StandInTheOrderOfTheTextAndAreCounted) {
  Kernel kernel = Module::fromText(imports + std::string(gathers), "k.py").kernel("k");
  std::vector<Remark> found = remarks(kernel, parseSignature(ofGathers), {.cpu = "haswell"});
  EXPECT_EQ(summary(found), "6:access_by_element 11:access_by_element*2");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].place.file, "k.py");
  EXPECT_EQ(found[0].place.column, 12u);
  EXPECT_NE(found[1].report.find("k.py:11:9: remark: "), std::string::npos) << found[1].report;
  EXPECT_NE(found[1].report.find(" (2 times) [access_by_element]\n"), std::string::npos);
  EXPECT_NE(found[1].report.find("^"), std::string::npos);
  EXPECT_NE(found[1].report.find("note: accepted: " + found[1].accepted), std::string::npos);
}

TEST(Remarks, ChangeNoCode) {
  for (const char *target : {"cpu", "sm_90a"}) {
    CompileOptions options{.target = target}, asking = options;
    std::vector<Remark> found;
    asking.remarks = [&](const Remark &remark) { found.push_back(remark); };
    Kernel kernel = Module::fromText(imports + std::string(gathers), "k.py").kernel("k");
    Signature signature = parseSignature(ofGathers);
    EXPECT_EQ(compile(kernel, signature, asking).bytes(),
              compile(kernel, signature, options).bytes());
    EXPECT_EQ(found.empty(), std::string_view(target) != "cpu");
  }
}

TEST(Remarks, OfALaunchAreThoseOfItsArguments) {
  Device device = Device::open("cpu");
  Kernel kernel = kernelOf("@triton.jit\n"
                           "def k(x, y, stride, B: tl.constexpr):\n"
                           "    i = tl.arange(0, B)\n"
                           "    tl.store(y + i, tl.load(x + i * stride))\n");
  auto found = [&](int64_t stride) {
    Arguments arguments{{"x", device.zeros(DType::Float32, {4096})},
                        {"y", device.zeros(DType::Float32, {1024})},
                        {"stride", stride},
                        {"B", 1024}};
    return summary(remarksFor(kernel, arguments));
  };
  EXPECT_EQ(found(4), "7:access_by_element");
  EXPECT_EQ(found(1), ""); // a constant of the specialization
}

TEST(Remarks, OfCompilationsSideBySideStayApart) {
  std::vector<std::string> found(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < found.size(); ++i)
    threads.emplace_back([&, i] {
      bool isGather = i % 2 == 0;
      Module module =
          Module::fromText(std::string(imports) + (isGather ? gathers : softmax), "k.py");
      const char *signature =
          isGather ? ofGathers : "y=*f32:16,x=*f32:16,stride=i32:16,n=i32:16,B=1024";
      for (int turn = 0; turn < 3; ++turn)
        found[i] += summary(remarks(module.kernel(isGather ? "k" : "softmax"),
                                    parseSignature(signature), {.cpu = "haswell"})) +
                    ";";
    });
  for (std::thread &thread : threads)
    thread.join();
  std::string one = "6:access_by_element 11:access_by_element*2;";
  EXPECT_EQ(found[0], one + one + one);
  EXPECT_EQ(found[1], ";;;");
  EXPECT_EQ(found[2], found[0]);
  EXPECT_EQ(found[3], found[1]);
}

TEST(Remarks, LeaveWithWhatTheirSinkThrows) {
  CompileOptions options{.cpu = "haswell"};
  options.remarks = [](const Remark &) { throw std::runtime_error("enough"); };
  Kernel kernel = Module::fromText(imports + std::string(gathers), "k.py").kernel("k");
  EXPECT_THROW(compile(kernel, parseSignature(ofGathers), options), std::runtime_error);
}

TEST(Remarks, OfAKernelWithMistakesAreNone) {
  EXPECT_THROW(
      remarks(kernelOf("@triton.jit\ndef k(x):\n    tl.store(x, y)\n"), parseSignature("x=*f32")),
      Error);
}

// The assembler's

std::string reported(const std::string &report) {
  std::unique_ptr<mlir::MLIRContext> context = tile::createContext();
  RemarkList list;
  tile::collectRemarks(*context, nullptr, list);
  mlir::OpBuilder builder(context.get());
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToStart(module->getBody());
  auto function = mlir::func::FuncOp::create(builder, builder.getUnknownLoc(), "k",
                                             builder.getFunctionType({}, {}));
  backend::nvptx::remarkReport(function, report);
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const CompilerRemark &remark : list.remarks())
    out << nameOf(remark.id) << ": " << remark.text << "\n";
  return text;
}

TEST(Assembled, ReportsAreRead) {
  std::string quiet = "ptxas info    : 0 bytes gmem\n"
                      "ptxas info    : Compiling entry function 'kernel_k' for 'sm_90a'\n"
                      "ptxas info    : Function properties for kernel_k\n"
                      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                      "ptxas info    : Used 64 registers, used 1 barriers\n";
  EXPECT_EQ(reported(quiet), "");
  std::string spills = quiet;
  spills.replace(spills.find("0 bytes spill stores"), 1, "12");
  spills.replace(spills.find("0 bytes spill loads"), 1, "16");
  EXPECT_EQ(reported(spills), "registers_spilled: 64 registers of each thread do not suffice: it "
                              "writes 12 bytes to memory and reads 16 back\n");
  EXPECT_EQ(reported(quiet + "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async "
                             "instructions are serialized due to insufficient register resources "
                             "for the wgmma pipeline in the function 'kernel_k'\n"),
            "products_serialized: the assembler lets products of the tensor cores wait for each "
            "other: insufficient register resources for the wgmma pipeline\n");
}

TEST(Assembled, CallsAreNamed) {
  using backend::nvptx::callsIn;
  const std::string name = "$__internal_0_$__cuda_sm20_div_s64", none = "$__internal_12_$other";
  auto table = [](std::vector<std::string> names) {
    std::string bytes = "\x7f"
                        "ELF";
    for (const std::string &each : names)
      bytes += each + '\0';
    return bytes;
  };
  EXPECT_TRUE(callsIn("").empty());
  EXPECT_EQ(callsIn(table({"kernel_k", name, name})), std::vector<std::string>{"div_s64"});
  EXPECT_TRUE(callsIn(table({none, "$__internal_"})).empty());
  EXPECT_TRUE(callsIn(table({"$__internal_1_$__cuda_sm3x_div_rn_noftz_f32_slowpath"})).empty());
}

/// Programs are found in this folder alone, for one test.
class Path {
public:
  explicit Path(const char *folder) : before(std::getenv("PATH")) { setenv("PATH", folder, 1); }
  ~Path() { setenv("PATH", before.c_str(), 1); }

private:
  std::string before;
};

/// By the assembler where it is there, and without it.
TEST(Assembled, CallsAreFound) {
  Module module = Module::fromText("import triton\n"
                                   "import triton.language as tl\n"
                                   "@triton.jit\n"
                                   "def k(x, y, n, D: tl.constexpr):\n"
                                   "    i = tl.arange(0, 256)\n"
                                   "    d = n if D == 0 else D\n"
                                   "    tl.store(y + i, tl.load(x + i) // d)\n");
  Kernel kernel = module.kernel("k");
  auto found = [&](const char *signature) {
    return summary(remarks(kernel, parseSignature(signature), {.target = "sm_90a"}));
  };
  auto expect = [&] {
    EXPECT_EQ(found("x=*i64:16,y=*i64:16,n=i64,D=0"), "4:calls_left");
    EXPECT_EQ(found("x=*i64:16,y=*i64:16,n=i64,D=7"), "");
    EXPECT_EQ(found("x=*i32:16,y=*i32:16,n=i32,D=0"), "");
  };
  expect();
  Path nowhere("/nowhere");
  ASSERT_EQ(backend::nvptx::findProgram("ptxas"), "");
  expect();
}

TEST(Assembled, SpillsAreFound) {
  if (backend::nvptx::findProgram("ptxas").empty())
    GTEST_SKIP() << "PATH has no ptxas";
  Module module = Module::load(std::string(NEREID_SOURCE_DIR) + "/kernels/readme.py");
  Kernel kernel = module.kernel("matrix_mul_kernel");
  auto found = [&](unsigned registers) {
    return summary(remarks(kernel, parseSignature(halves),
                           {.target = "sm_80", .tuning = {.maxRegisters = registers}}));
  };
  EXPECT_EQ(found(0), "");
  EXPECT_EQ(found(64), "31:registers_spilled");
}

} // namespace
} // namespace nereid::test
