// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hand-written kernels of the tile dialect on the CPU and on the interpreter, which is the oracle.
#include "support/Diagnostics.h"
#include "support/TileProgram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace nereid;
using namespace nereid::test;

namespace {

std::vector<float> randomFloats(size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-2, 2);
  std::vector<float> values(count);
  for (float &value : values)
    value = uniform(generator);
  return values;
}

/// Numbers whose products and sums are exact in any order.
std::vector<float> randomEighths(size_t count, unsigned seed) {
  std::vector<float> values = randomFloats(count, seed);
  for (float &value : values)
    value = std::round(value * 8) / 8;
  return values;
}

std::vector<int32_t> randomInts(size_t count, unsigned seed, int low, int high) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int32_t> uniform(low, high);
  std::vector<int32_t> values(count);
  for (int32_t &value : values)
    value = uniform(generator);
  return values;
}

/// Runs on both executors and compares every array: all bits, or floats to within `relative` of
/// their size.
void expectAgreement(const std::string &text, const std::vector<TestArgument> &arguments,
                     GridExtent grid, float relative = 0) {
  auto expected = runTile(text, arguments, grid, Executor::Interpreter);
  auto actual = runTile(text, arguments, grid, Executor::Cpu);
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!expected[i].isArray)
      continue;
    if (relative == 0) {
      EXPECT_EQ(actual[i].bytes, expected[i].bytes) << "argument " << i;
      continue;
    }
    auto wanted = expected[i].as<float>(), got = actual[i].as<float>();
    for (size_t j = 0; j < wanted.size(); ++j)
      ASSERT_NEAR(got[j], wanted[j], relative * std::fabs(wanted[j])) << i << "[" << j << "]";
  }
}

// clang-format off: the kernels read better as written
const char *addKernel(int block) {
  static std::string text;
  std::string n = std::to_string(block);
  text = R"(
func.func @add(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.noalias} {
  %pid = tile.program_id 0
  %block = arith.constant )" + n + R"( : i32
  %start = arith.muli %pid, %block : i32
  %lanes = tile.range 0 to )" + n + " : tensor<" + n + R"(xi32>
  %base = tile.splat %start : i32 -> tensor<)" + n + R"(xi32>
  %offs = arith.addi %base, %lanes : tensor<)" + n + R"(xi32>
  %limit = tile.splat %n : i32 -> tensor<)" + n + R"(xi32>
  %mask = arith.cmpi slt, %offs, %limit : tensor<)" + n + R"(xi32>
  %px = tile.splat %x : !tile.ptr<f32> -> tensor<)" + n + R"(x!tile.ptr<f32>>
  %py = tile.splat %y : !tile.ptr<f32> -> tensor<)" + n + R"(x!tile.ptr<f32>>
  %po = tile.splat %out : !tile.ptr<f32> -> tensor<)" + n + R"(x!tile.ptr<f32>>
  %ax = tile.offset %px, %offs : tensor<)" + n + "x!tile.ptr<f32>>, tensor<" + n + R"(xi32>
  %ay = tile.offset %py, %offs : tensor<)" + n + "x!tile.ptr<f32>>, tensor<" + n + R"(xi32>
  %ao = tile.offset %po, %offs : tensor<)" + n + "x!tile.ptr<f32>>, tensor<" + n + R"(xi32>
  %vx = tile.load %ax mask %mask : tensor<)" + n + R"(x!tile.ptr<f32>>
  %vy = tile.load %ay mask %mask : tensor<)" + n + R"(x!tile.ptr<f32>>
  %sum = arith.addf %vx, %vy : tensor<)" + n + R"(xf32>
  tile.store %ao, %sum mask %mask : tensor<)" + n + R"(x!tile.ptr<f32>>
  return
})";
  return text.c_str();
}

// clang-format on

TEST(CpuBackend, masked_addition_agrees_for_odd_sizes_and_blocks) {
  for (int block : {1, 7, 64, 1000, 1024})
    for (int n : {1, 63, 1000, 1025}) {
      std::vector<float> x = randomFloats(n, 1), y = randomFloats(n, 2);
      expectAgreement(addKernel(block),
                      {TestArgument::array(x), TestArgument::array(y),
                       TestArgument::array(std::vector<float>(n, NAN)), TestArgument::scalar(n)},
                      {static_cast<uint32_t>((n + block - 1) / block), 1, 1});
    }
}

TEST(CpuBackend, softmax_of_rows_agrees) {
  std::string text = R"(
func.func @softmax(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %stride: i32, %n: i32) attributes {tile.kernel, tile.noalias} {
  %pid = tile.program_id 0
  %start = arith.muli %pid, %stride : i32
  %lanes = tile.range 0 to 256 : tensor<256xi32>
  %limit = tile.splat %n : i32 -> tensor<256xi32>
  %mask = arith.cmpi slt, %lanes, %limit : tensor<256xi32>
  %row = tile.offset %x, %start : !tile.ptr<f32>, i32
  %rows = tile.splat %row : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %ptrs = tile.offset %rows, %lanes : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %minf = arith.constant dense<0xFF800000> : tensor<256xf32>
  %v = tile.load %ptrs mask %mask other %minf : tensor<256x!tile.ptr<f32>>
  %max = tile.reduce (%v) axis 0 : (tensor<256xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  %maxs = tile.splat %max : f32 -> tensor<256xf32>
  %d = arith.subf %v, %maxs : tensor<256xf32>
  %e = math.exp %d : tensor<256xf32>
  %sum = tile.reduce (%e) axis 0 : (tensor<256xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %sums = tile.splat %sum : f32 -> tensor<256xf32>
  %q = arith.divf %e, %sums : tensor<256xf32>
  %orow = tile.offset %out, %start : !tile.ptr<f32>, i32
  %orows = tile.splat %orow : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %optrs = tile.offset %orows, %lanes : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %optrs, %q mask %mask : tensor<256x!tile.ptr<f32>>
  return
})";
  for (int n : {1, 100, 256}) {
    std::vector<float> x = randomFloats(5 * n, 3);
    expectAgreement(text,
                    {TestArgument::array(x), TestArgument::array(std::vector<float>(5 * n, NAN)),
                     TestArgument::scalar(n), TestArgument::scalar(n)},
                    {5, 1, 1}, 32 * 0x1p-24f); // two functions, a sum and a quotient
  }
}

// clang-format off
std::string matmulKernel(int m, int n, int k, int rounds) {
  auto tile = [](int a, int b, const char *t) {
    return "tensor<" + std::to_string(a) + "x" + std::to_string(b) + "x" + t + ">";
  };
  auto vec = [](int a, const char *t) { return "tensor<" + std::to_string(a) + "x" + t + ">"; };
  std::string M = std::to_string(m), N = std::to_string(n), K = std::to_string(k);
  std::string text = "func.func @matmul(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %c: !tile.ptr<f32>) "
                     "attributes {tile.kernel, tile.noalias} {\n";
  // Pointers to a row-major rows x cols tile with the given row stride.
  auto pointers = [&](std::string name, std::string base, int rows, int cols, int stride) {
    std::string s;
    s += "%" + name + "r = tile.range 0 to " + std::to_string(rows) + " : " + vec(rows, "i32") + "\n";
    s += "%" + name + "rs = arith.constant dense<" + std::to_string(stride) + "> : " + vec(rows, "i32") + "\n";
    s += "%" + name + "rm = arith.muli %" + name + "r, %" + name + "rs : " + vec(rows, "i32") + "\n";
    s += "%" + name + "re = tile.expand_dims %" + name + "rm axis 1 : " + vec(rows, "i32") + " -> " + tile(rows, 1, "i32") + "\n";
    s += "%" + name + "rb = tile.broadcast %" + name + "re : " + tile(rows, 1, "i32") + " -> " + tile(rows, cols, "i32") + "\n";
    s += "%" + name + "c = tile.range 0 to " + std::to_string(cols) + " : " + vec(cols, "i32") + "\n";
    s += "%" + name + "ce = tile.expand_dims %" + name + "c axis 0 : " + vec(cols, "i32") + " -> " + tile(1, cols, "i32") + "\n";
    s += "%" + name + "cb = tile.broadcast %" + name + "ce : " + tile(1, cols, "i32") + " -> " + tile(rows, cols, "i32") + "\n";
    s += "%" + name + "o = arith.addi %" + name + "rb, %" + name + "cb : " + tile(rows, cols, "i32") + "\n";
    s += "%" + name + "s = tile.splat %" + base + " : !tile.ptr<f32> -> " + tile(rows, cols, "!tile.ptr<f32>") + "\n";
    s += "%" + name + "p = tile.offset %" + name + "s, %" + name + "o : " + tile(rows, cols, "!tile.ptr<f32>") + ", " + tile(rows, cols, "i32") + "\n";
    return s;
  };
  text += pointers("a", "a", m, k, k * rounds) + pointers("b", "b", k, n, n) + pointers("c", "c", m, n, n);
  std::string pa = tile(m, k, "!tile.ptr<f32>"), pb = tile(k, n, "!tile.ptr<f32>"), acc = tile(m, n, "f32");
  text += "%zero = arith.constant dense<0.0> : " + acc + "\n%lo = arith.constant 0 : i32\n%hi = arith.constant " +
          std::to_string(rounds) + " : i32\n%one = arith.constant 1 : i32\n";
  text += "%r:3 = scf.for %i = %lo to %hi step %one iter_args(%acc = %zero, %qa = %ap, %qb = %bp) -> (" + acc + ", " + pa + ", " + pb + ") : i32 {\n";
  text += "%va = tile.load %qa : " + pa + "\n%vb = tile.load %qb : " + pb + "\n";
  text += "%d = tile.dot %va, %vb, %zero precision ieee : " + tile(m, k, "f32") + ", " + tile(k, n, "f32") + " -> " + acc + "\n";
  text += "%s = arith.addf %acc, %d : " + acc + "\n";
  text += "%sa = arith.constant dense<" + K + "> : " + tile(m, k, "i32") + "\n%na = tile.offset %qa, %sa : " + pa + ", " + tile(m, k, "i32") + "\n";
  text += "%sb = arith.constant dense<" + std::to_string(k * n) + "> : " + tile(k, n, "i32") + "\n%nb = tile.offset %qb, %sb : " + pb + ", " + tile(k, n, "i32") + "\n";
  text += "scf.yield %s, %na, %nb : " + acc + ", " + pa + ", " + pb + "\n}\n";
  text += "tile.store %cp, %r#0 : " + tile(m, n, "!tile.ptr<f32>") + "\nreturn\n}\n";
  return text;
}

// clang-format on

TEST(CpuBackend, dot_in_a_loop_agrees_for_odd_and_even_tiles) {
  for (auto [m, n, k, rounds] :
       {std::array{16, 16, 16, 4}, {64, 64, 32, 3}, {5, 7, 3, 2}, {1, 1, 1, 1}, {13, 33, 9, 2}})
    expectAgreement(matmulKernel(m, n, k, rounds),
                    {TestArgument::array(randomEighths(m * k * rounds, 5)),
                     TestArgument::array(randomEighths(k * n * rounds, 6)),
                     TestArgument::array(std::vector<float>(m * n, NAN))},
                    {1, 1, 1});
}

TEST(CpuBackend, a_sum_of_negative_zeros_is_one) {
  expectAgreement(R"(
func.func @zeros(%out: !tile.ptr<f32>) attributes {tile.kernel, tile.noalias} {
  %zeros = arith.constant dense<-0.0> : tensor<4x4xf32>
  %ones = arith.constant dense<1.0> : tensor<4x4xf32>
  %dot = tile.dot %zeros, %ones, %zeros precision ieee : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %lanes = tile.range 0 to 16 : tensor<16xi32>
  %base = tile.splat %out : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %at = tile.offset %base, %lanes : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %flat = tile.reshape %dot : tensor<4x4xf32> -> tensor<16xf32>
  tile.store %at, %flat : tensor<16x!tile.ptr<f32>>
  return
})",
                  {TestArgument::array(std::vector<float>(16, NAN))}, {1, 1, 1});
}

TEST(CpuBackend, exp_of_very_small_and_masked_lanes_is_exact_enough) {
  // Results that are not normal are slow, and avoided where they will not be looked at: that must
  // not show.
  std::string text = R"(
func.func @exp(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel, tile.noalias} {
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %px = tile.offset %xs, %lanes : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %py = tile.offset %ys, %lanes : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %px : tensor<64x!tile.ptr<f32>>
  %e = math.exp %v : tensor<64xf32>
  tile.store %py, %e : tensor<64x!tile.ptr<f32>>
  return
})";
  std::vector<float> x(64);
  for (int i = 0; i < 64; ++i)
    x[i] = -75.0f - i * 0.5f;
  x[60] = -INFINITY, x[61] = INFINITY, x[62] = NAN, x[63] = 89;
  auto result =
      runTile(text, {TestArgument::array(x), TestArgument::array(std::vector<float>(64, -1))},
              {1, 1, 1}, Executor::Cpu)[1]
          .as<float>();
  for (int i = 0; i < 60; ++i) {
    double expected = std::exp(static_cast<double>(x[i]));
    EXPECT_NEAR(result[i], expected, 4e-7 * expected + 1.5e-45) << x[i];
  }
  EXPECT_EQ(result[60], 0);
  EXPECT_EQ(result[61], INFINITY);
  EXPECT_TRUE(std::isnan(result[62]));
  EXPECT_EQ(result[63], INFINITY);
}

TEST(CpuBackend, carried_tiles_may_swap) {
  std::string text = R"(
func.func @swap(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>, %n: i32) attributes {tile.kernel, tile.noalias} {
  %lanes = tile.range 0 to 37 : tensor<37xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<37x!tile.ptr<i32>>
  %px = tile.offset %xs, %lanes : tensor<37x!tile.ptr<i32>>, tensor<37xi32>
  %ys = tile.splat %y : !tile.ptr<i32> -> tensor<37x!tile.ptr<i32>>
  %py = tile.offset %ys, %lanes : tensor<37x!tile.ptr<i32>>, tensor<37xi32>
  %a0 = tile.load %px : tensor<37x!tile.ptr<i32>>
  %b0 = tile.load %py : tensor<37x!tile.ptr<i32>>
  %lo = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:2 = scf.for %i = %lo to %n step %one iter_args(%a = %a0, %b = %b0) -> (tensor<37xi32>, tensor<37xi32>) : i32 {
    %s = arith.addi %a, %b : tensor<37xi32>
    scf.yield %b, %s : tensor<37xi32>, tensor<37xi32>
  }
  tile.store %px, %r#0 : tensor<37x!tile.ptr<i32>>
  tile.store %py, %r#1 : tensor<37x!tile.ptr<i32>>
  return
})";
  for (int n : {0, 1, 2, 9})
    expectAgreement(text,
                    {TestArgument::array(randomInts(37, 1, -99, 99)),
                     TestArgument::array(randomInts(37, 2, -99, 99)), TestArgument::scalar(n)},
                    {1, 1, 1});
}

TEST(CpuBackend, overlapping_arrays_are_read_before_they_are_written) {
  std::string text = R"(
func.func @shift(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %one = arith.constant 1 : i32
  %next = tile.offset %x, %one : !tile.ptr<i32>, i32
  %s0 = tile.splat %x : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %p0 = tile.offset %s0, %lanes : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %s1 = tile.splat %next : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %p1 = tile.offset %s1, %lanes : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %v = tile.load %p0 : tensor<64x!tile.ptr<i32>>
  tile.store %p1, %v : tensor<64x!tile.ptr<i32>>
  return
})";
  expectAgreement(text, {TestArgument::array(randomInts(65, 1, -99, 99))}, {1, 1, 1});
}

/// What the CPU back end says of a kernel that it cannot compile.
Diagnostic refusalOf(const std::string &text) {
  try {
    runTile(text, {TestArgument::array(std::vector<float>(8))}, {1, 1, 1}, Executor::Cpu);
  } catch (const SourceError &error) {
    return error.diagnostic;
  }
  return {DiagnosticId::expected, {}, "it was compiled", {}};
}

TEST(CpuBackend, operations_without_code_are_named_with_their_place) {
  struct Case {
    const char *operation, *use, *name, *place;
  };
  for (auto [operation, use, name, place] : {
           Case{"%y, %z = math.sincos %v : tensor<8xf32>", "(%y) : (tensor<8xf32>)", "math.sincos",
                "at -:6:12"},
           Case{"%y = \"made.up\"(%v) : (tensor<8xf32>) -> tensor<8xf32>", "(%y) : (tensor<8xf32>)",
                "made.up", "at -:6:8"},
           Case{"\"made.up\"() : () -> ()", "() : ()", "made.up", "at -:6:3"},
           Case{"%y = arith.constant dense<[1, 2]> : tensor<2xi32>", "(%y) : (tensor<2xi32>)",
                "arith.constant", "at -:6:8"},
           Case{"%y = arith.extf %v : tensor<8xf32> to tensor<8xf128>", "(%y) : (tensor<8xf128>)",
                "arith.extf", "at -:6:8"},
       }) {
    Diagnostic refusal = refusalOf(std::string(R"(
func.func @k(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.range 0 to 8 : tensor<8xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %v = tile.load %s : tensor<8x!tile.ptr<f32>>
  )") + operation + "\n  \"test.use\"" +
                                   use + " -> ()\n  return\n}");
    EXPECT_EQ(refusal.id, DiagnosticId::unsupported_operation) << operation;
    EXPECT_EQ(refusal.text, std::string("the CPU has no code for ") + name);
    ASSERT_EQ(refusal.notes.size(), 1u);
    EXPECT_EQ(refusal.notes[0].text, place);
  }
}

} // namespace
