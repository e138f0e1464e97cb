// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices on each level of CPU that this machine can be: every type of factor, however
// the factors lie, at sizes that fill no tile and no register. Factors are small whole numbers, so
// that every order of sums is exact, and the reference is the definition.
#include "support/NarrowFloat.h"
#include "support/TileProgram.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <random>

using namespace nereid;
using namespace nereid::test;

namespace {

struct FactorTypes {
  const char *element, *sum;
};
constexpr FactorTypes factors[] = {{"i8", "i32"},       {"bf16", "f32"},   {"f16", "f32"},
                                   {"f8E4M3FN", "f32"}, {"f8E5M2", "f32"}, {"bf16", "bf16"},
                                   {"f32", "f32"}};

struct Shape {
  int batch, m, n, k;
};

struct Product {
  FactorTypes types;
  Shape shape;
  bool isLhsByColumns, isRhsByColumns, startsAtZero;
};

std::string tileTypeOf(llvm::ArrayRef<int> dims, const std::string &element) {
  std::string text = "tensor<";
  for (int dim : dims)
    text += std::to_string(dim) + "x";
  return text + element + ">";
}

/// Writes kernels of one program: text of the tile dialect.
class TileText {
public:
  std::string text;

  /// A tile of offsets, `strides` elements apart along each dimension.
  std::string offsets(llvm::ArrayRef<int> dims, llvm::ArrayRef<int> strides) {
    std::string whole = tileTypeOf(dims, "i32"), sum;
    for (size_t dim = 0; dim < dims.size(); ++dim) {
      std::string line = tileTypeOf(dims[dim], "i32");
      std::string along = define("tile.range 0 to " + std::to_string(dims[dim]) + " : " + line);
      std::string stride =
          define("arith.constant dense<" + std::to_string(strides[dim]) + "> : " + line);
      std::string scaled = define("arith.muli " + along + ", " + stride + " : " + line);
      std::vector<int> shape = {dims[dim]};
      auto expand = [&](size_t axis) {
        std::string before = tileTypeOf(shape, "i32");
        shape.insert(shape.begin() + axis, 1);
        scaled = define("tile.expand_dims " + scaled + " axis " + std::to_string(axis) + " : " +
                        before + " -> " + tileTypeOf(shape, "i32"));
      };
      for (size_t other = 0; other < dims.size(); ++other)
        if (other != dim)
          expand(other);
      if (llvm::ArrayRef<int>(shape) != dims)
        scaled =
            define("tile.broadcast " + scaled + " : " + tileTypeOf(shape, "i32") + " -> " + whole);
      sum = sum.empty() ? scaled : define("arith.addi " + sum + ", " + scaled + " : " + whole);
    }
    return sum;
  }

  std::string pointers(const std::string &base, const std::string &element,
                       llvm::ArrayRef<int> dims, llvm::ArrayRef<int> strides) {
    std::string pointer = "!tile.ptr<" + element + ">", type = tileTypeOf(dims, pointer);
    std::string splat = define("tile.splat " + base + " : " + pointer + " -> " + type);
    return define("tile.offset " + splat + ", " + offsets(dims, strides) + " : " + type + ", " +
                  tileTypeOf(dims, "i32"));
  }

  std::string define(const std::string &operation) {
    std::string name = "%v" + std::to_string(next++);
    text += name + " = " + operation + "\n";
    return name;
  }

private:
  int next = 0;
};

std::vector<int> stridesOf(int batch, int rows, int columns, bool isByColumns) {
  std::vector<int> strides = isByColumns ? std::vector<int>{1, rows} : std::vector<int>{columns, 1};
  if (batch > 0)
    strides.insert(strides.begin(), rows * columns);
  return strides;
}

std::vector<int> dimsOf(int batch, int rows, int columns) {
  return batch > 0 ? std::vector<int>{batch, rows, columns} : std::vector<int>{rows, columns};
}

std::string productKernel(const Product &test) {
  auto [batch, m, n, k] = test.shape;
  std::string factor = test.types.element, sum = test.types.sum;
  TileText kernel;
  auto load = [&](const std::string &base, const std::string &element, int rows, int columns,
                  bool isByColumns) {
    std::vector<int> dims = dimsOf(batch, rows, columns);
    std::string at =
        kernel.pointers(base, element, dims, stridesOf(batch, rows, columns, isByColumns));
    return kernel.define("tile.load " + at + " : " +
                         tileTypeOf(dims, "!tile.ptr<" + element + ">"));
  };
  std::string a = load("%a", factor, m, k, test.isLhsByColumns);
  std::string b = load("%b", factor, k, n, test.isRhsByColumns);
  std::string result = tileTypeOf(dimsOf(batch, m, n), sum);
  std::string zero = sum == "i32" ? "0" : "0.0";
  std::string c = test.startsAtZero
                      ? kernel.define("arith.constant dense<" + zero + "> : " + result)
                      : load("%c", sum, m, n, false);
  std::string dot = kernel.define("tile.dot " + a + ", " + b + ", " + c +
                                  " precision tf32 : " + tileTypeOf(dimsOf(batch, m, k), factor) +
                                  ", " + tileTypeOf(dimsOf(batch, k, n), factor) + " -> " + result);
  std::string out = kernel.pointers("%c", sum, dimsOf(batch, m, n), stridesOf(batch, m, n, false));
  return "func.func @k(%a: !tile.ptr<" + factor + ">, %b: !tile.ptr<" + factor +
         ">, %c: !tile.ptr<" + sum + ">) attributes {tile.kernel, tile.noalias} {\n" + kernel.text +
         "tile.store " + out + ", " + dot + " : " +
         tileTypeOf(dimsOf(batch, m, n), "!tile.ptr<" + sum + ">") + "\nreturn\n}\n";
}

/// Small whole numbers in the form of an array of `element`.
TestArgument arrayOf(llvm::StringRef element, const std::vector<int> &values) {
  auto as = [&](auto convert) {
    std::vector<decltype(convert(0))> converted;
    for (int value : values)
      converted.push_back(convert(value));
    return TestArgument::array(converted);
  };
  if (element == "i8")
    return as([](int value) { return static_cast<int8_t>(value); });
  if (element == "i32")
    return TestArgument::array(values);
  if (element == "f32")
    return as([](int value) { return static_cast<float>(value); });
  if (element == "f16")
    return as([](int value) { return NarrowFloat<DType::Float16>::round(value); });
  if (element == "bf16")
    return as([](int value) { return NarrowFloat<DType::BFloat16>::round(value); });
  if (element == "f8E5M2")
    return as([](int value) { return NarrowFloat<DType::Float8E5M2>::round(value); });
  return as([](int value) { return NarrowFloat<DType::Float8E4M3FN>::round(value); });
}

std::vector<int> smallNumbers(size_t count, int limit, std::mt19937 &generator) {
  std::uniform_int_distribution<int> uniform(-limit, limit);
  std::vector<int> values(count);
  for (int &value : values)
    value = uniform(generator);
  return values;
}

/// The definition of the product, added to `c`.
std::vector<int> multiplied(const Product &test, const std::vector<int> &a,
                            const std::vector<int> &b, std::vector<int> c) {
  auto [batch, m, n, k] = test.shape;
  for (int which = 0; which < std::max(batch, 1); ++which)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        int &sum = c[(which * m + i) * n + j];
        if (test.startsAtZero)
          sum = 0;
        for (int l = 0; l < k; ++l)
          sum += a[which * m * k + (test.isLhsByColumns ? l * m + i : i * k + l)] *
                 b[which * k * n + (test.isRhsByColumns ? j * k + l : l * n + j)];
      }
  return c;
}

class Dot : public testing::TestWithParam<const char *> {};

void expectProduct(const target::CpuTarget &cpu, const Product &test, std::mt19937 &generator) {
  auto [batch, m, n, k] = test.shape;
  llvm::StringRef factor = test.types.element, sum = test.types.sum;
  int copies = std::max(batch, 1);
  // Sums of bf16 have 8 digits: only what is smaller is exact.
  int limit = sum == "bf16" ? 1 : factor == "i8" ? 127 : 4;
  std::vector<int> a = smallNumbers(copies * m * k, limit, generator);
  std::vector<int> b = smallNumbers(copies * k * n, limit, generator);
  std::vector<int> c = smallNumbers(copies * m * n, 4, generator);
  auto arguments = runTileOn(cpu, productKernel(test),
                             {arrayOf(factor, a), arrayOf(factor, b), arrayOf(sum, c)}, {1, 1, 1});
  EXPECT_EQ(arguments[2].bytes, arrayOf(sum, multiplied(test, a, b, c)).bytes)
      << factor.str() << " " << batch << "x" << m << "x" << n << "x" << k << " columns "
      << test.isLhsByColumns << test.isRhsByColumns << " zero " << test.startsAtZero;
}

TEST_P(Dot, is_the_sum_of_products) {
  target::CpuTarget cpu = *target::findCpu(GetParam());
  if (auto missing = target::missingOnHost(cpu.features); !missing.empty())
    GTEST_SKIP() << "this machine lacks " << llvm::join(missing, ", ");
  std::mt19937 generator(7);
  for (FactorTypes types : factors)
    for (Shape shape : {Shape{0, 16, 16, 16},
                        {0, 1, 1, 1},
                        {0, 5, 7, 3},
                        {0, 13, 33, 9},
                        {0, 64, 48, 96},
                        {0, 33, 100, 66},
                        {3, 17, 9, 34},
                        {2, 32, 32, 64}}) {
      bool lhs = generator() & 1, rhs = generator() & 1, zero = generator() & 1;
      expectProduct(cpu, {types, shape, lhs, rhs, zero}, generator);
      expectProduct(cpu, {types, shape, !lhs, !rhs, !zero}, generator);
    }
}

// What LLVM calls a plain x86-64, and the first CPUs with AVX2, AVX-512, VNNI, products of bf16,
// VNNI on registers of 32 bytes, AMX.
INSTANTIATE_TEST_SUITE_P(Cpus, Dot,
                         testing::Values("x86-64", "haswell", "skylake-avx512", "cascadelake",
                                         "cooperlake", "alderlake", "sapphirerapids"),
                         [](const auto &info) {
                           std::string name = info.param;
                           llvm::replace(name, '-', '_');
                           return name;
                         });

} // namespace
