// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor descriptors that the host makes: arguments of kernels.
#include "MeaningTest.h"
#include "nereid/compile.h"

#include <cmath>
#include <numeric>

using namespace nereid;

namespace {

class HostDescriptorTest : public nereid::test::MeaningTest {
protected:
  static std::vector<float> numbers(size_t count) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 1.0F);
    return values;
  }
  /// The memory of `rows` x `pitch` numbers, of which `columns` belong to each row.
  Array inside(Array memory, int64_t rows, int64_t columns, int64_t pitch) {
    return device.borrow(memory.data(), memory.dtype(), {rows, columns}, {pitch, 1});
  }
};
NEREID_ON_ALL_DEVICES(HostDescriptorTest);

const std::string copy = "def k(x, y, n: tl.constexpr = 3):\n"
                         "    r, c = tl.program_id(1) * 4, tl.program_id(0) * 8\n"
                         "    y.store([r, c], x.load([r, c]) * n)\n";

TEST_P(HostDescriptorTest, LoadsAndStoresBlocks) {
  constexpr int64_t rows = 11, columns = 21, pitch = 24;
  std::vector<float> values = numbers(rows * pitch), before(rows * pitch, -1.0F);
  Array from = device.array(values), to = device.array(before);
  run(copy,
      {{"x", TensorDescriptor{inside(from, rows, columns, pitch), {4, 8}}},
       {"y", TensorDescriptor{inside(to, rows, columns, pitch), {4, 8}}}},
      {3, 3});
  std::vector<float> result = to.toVector<float>();
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < pitch; ++j) {
      auto at = static_cast<size_t>(i * pitch + j);
      EXPECT_EQ(result[at], j < columns ? 3 * values[at] : -1) << i << " " << j;
    }
}

// Rows of matrices that lie one behind the other, as attention counts them: the mask bounds the
// number of the row in all of them. The last block reaches beyond the array.
TEST_P(HostDescriptorTest, MultipliesMatricesOfABatch) {
  constexpr int64_t matrices = 3, rows = 32, depth = 72, columns = 64;
  auto factors = [](int64_t count, int64_t first) {
    std::vector<double> values;
    for (int64_t i = first; i < first + count; ++i)
      values.push_back(static_cast<double>(i * 37 % 11 - 5));
    return values;
  };
  std::vector<double> a = factors(matrices * rows * depth, 0),
                      b = factors(matrices * depth * columns, 3);
  auto halves = [&](const std::vector<double> &values, int64_t width) {
    return device.arrayFromDoubles(DType::Float16, values,
                                   {static_cast<int64_t>(values.size()) / width, width});
  };
  Array product = device.zeros(DType::Float32, {matrices, rows, columns});
  run("def k(a, b, c, rows, depth, BLOCK: tl.constexpr = 16):\n"
      "    m = tl.program_id(0)\n"
      "    sum = tl.zeros([32, 64], tl.float32)\n"
      "    first, at = m * rows, m * depth\n"
      "    for k in range(0, depth, BLOCK):\n"
      "        left = a.load([first, k])\n"
      "        right = tl.where(k + tl.arange(0, BLOCK)[:, None] < depth, b.load([at + k, 0]), 0)\n"
      "        sum = tl.dot(left, right.to(tl.float16), sum)\n"
      "    i, j = tl.arange(0, 32)[:, None], tl.arange(0, 64)[None, :]\n"
      "    tl.store(c + (first + i) * 64 + j, sum)\n",
      {{"a", TensorDescriptor{halves(a, depth), {32, 16}}},
       {"b", TensorDescriptor{halves(b, columns), {16, 64}}},
       {"c", product},
       {"rows", rows},
       {"depth", depth}},
      {matrices});
  std::vector<float> result = product.toVector<float>();
  for (int64_t m = 0; m < matrices; ++m)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < depth; ++k)
          sum += a[static_cast<size_t>((m * rows + i) * depth + k)] *
                 b[static_cast<size_t>((m * depth + k) * columns + j)];
        ASSERT_EQ(result[static_cast<size_t>((m * rows + i) * columns + j)], sum) << m << i << j;
      }
}

TEST_P(HostDescriptorTest, KnowsItsParts) {
  Array a = device.zeros(DType::Float16, {2, 9, 16}), out = device.zeros(DType::Int64, {9});
  run("def k(d, o):\n"
      "    tl.static_assert(isinstance(d, tl.tensor_descriptor) and d.dtype == tl.float16)\n"
      "    tl.static_assert(d.block_shape[0] == 1 and d.block_shape[1] == 3 and d.block_shape[2] "
      "== 16)\n"
      "    for i in tl.static_range(3):\n"
      "        tl.store(o + i, d.shape[i])\n"
      "        tl.store(o + 3 + i, d.strides[i])\n",
      {{"d", TensorDescriptor{a, {1, 3, 16}}}, {"o", out}});
  EXPECT_EQ(out.toVector<int64_t>(), (std::vector<int64_t>{2, 9, 16, 144, 16, 1, 0, 0, 0}));
}

TEST_P(HostDescriptorTest, PadsWithNanWhereItIsTold) {
  for (bool padsWithNan : {false, true}) {
    Array out = device.zeros(DType::Float32, {8});
    run("def k(d, o):\n    tl.store(o + tl.arange(0, 8), d.load([0]))\n",
        {{"d", TensorDescriptor{device.array(numbers(5)), {8}, padsWithNan}}, {"o", out}});
    std::vector<float> result = out.toVector<float>();
    EXPECT_EQ(result[4], 5);
    EXPECT_EQ(std::isnan(result[5]), padsWithNan);
  }
}

TEST_P(HostDescriptorTest, IsCompiledOnceForABlock) {
  Module module = Module::fromText("import triton.language as tl\n@triton.jit\n" + copy);
  auto launch = [&](int64_t rows, int64_t columns, std::vector<int64_t> block) {
    Array x = device.zeros(DType::Float32, {rows, columns}),
          y = device.zeros(DType::Float32, {rows, columns});
    return module.kernel().prepare(
        device, {{"x", TensorDescriptor{x, block}}, {"y", TensorDescriptor{y, block}}});
  };
  EXPECT_GT(launch(4, 8, {4, 8}).compileMilliseconds(), 0);
  EXPECT_EQ(launch(5, 80, {4, 8}).compileMilliseconds(), 0);
  EXPECT_GT(launch(4, 8, {2, 8}).compileMilliseconds(), 0);
}

TEST_P(HostDescriptorTest, RefusesWhatNoKernelCanUse) {
  Array flat = device.zeros(DType::Float32, {12}), whole = device.zeros(DType::Int32, {4, 4});
  Array columns = device.borrow(flat.data(), DType::Float32, {3, 4}, {1, 3});
  Array y = device.zeros(DType::Float32, {4, 4});
  auto expectRefusal = [&](Argument x, const std::string &words) {
    try {
      run(copy, {{"x", std::move(x)}, {"y", TensorDescriptor{y, {4, 8}}}});
      ADD_FAILURE() << words;
    } catch (const Error &error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  expectRefusal(TensorDescriptor{columns, {4, 4}}, "last stride is 1, not 3");
  expectRefusal(TensorDescriptor{flat, {4, 4}},
                "blocks of as many dimensions as the array, 1, not 2");
  expectRefusal(TensorDescriptor{y, {4, 0}}, "blocks of one element or more, not (4, 0)");
  expectRefusal(TensorDescriptor{whole, {4, 4}, true}, "pads with zero");
  expectRefusal(y, "has no attribute 'load'");
}

TEST(HostDescriptor, TravelsInAnArtifact) {
  Device device = Device::open("cpu");
  Kernel kernel = Module::fromText("import triton.language as tl\n@triton.jit\n" + copy).kernel();
  Artifact artifact =
      compile(kernel, parseSignature("x=tensordesc<f32[4,8]>:16,y=tensordesc<fp32[4, 8]>"));
  Kernel loaded = Artifact::fromBytes(artifact.bytes(), "bytes").kernel();
  ASSERT_EQ(loaded.parameters().size(), 3u);
  Array x = device.array(std::vector<float>(8 * 16, 2.0F), {8, 16}),
        y = device.zeros(DType::Float32, {8, 16});
  loaded.launch(device, {2, 2},
                {{"x", TensorDescriptor{x, {4, 8}}}, {"y", TensorDescriptor{y, {4, 8}}}});
  EXPECT_EQ(y.toVector<float>(), std::vector<float>(8 * 16, 6.0F));
  for (Argument wrong : {Argument(x), Argument(TensorDescriptor{x, {4, 4}}),
                         Argument(TensorDescriptor{x, {4, 8}, true}), Argument(3)})
    EXPECT_THROW(loaded.launch(device, {1}, {{"x", wrong}, {"y", TensorDescriptor{y, {4, 8}}}}),
                 Error);
}

TEST(HostDescriptor, HasExtentsThatKernelsCountTo) {
  Device device = Device::open("cpu");
  Kernel kernel = Module::fromText("import triton.language as tl\n@triton.jit\n"
                                   "def k(x, out):\n    tl.store(out, x.load([0, 0]).sum())\n")
                      .kernel();
  alignas(16) int row[4] = {1, 2, 3, 4};
  Array out = device.zeros(DType::Int32, {1});
  auto with = [&](int64_t rows) {
    Array x = device.borrow(row, DType::Int32, {rows, 4}, {0, 1});
    return Arguments{{"x", TensorDescriptor{x, {1, 4}}}, {"out", out}};
  };
  Kernel loaded = compileFor(kernel, with(INT32_MAX)).kernel();
  for (const Kernel &each : {kernel, loaded}) {
    each.launch(device, {1}, with(INT32_MAX));
    for (int64_t rows : {int64_t(1) << 31, (int64_t(1) << 32) + 16})
      try {
        each.launch(device, {1}, with(rows));
        ADD_FAILURE() << rows;
      } catch (const Error &error) {
        std::string words = "argument 'x' of kernel 'k' must be a descriptor of an array whose "
                            "extents are int32, not " +
                            std::to_string(rows);
        EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
      }
  }
}

TEST(HostDescriptor, IsReadFromASignature) {
  Signature signature = parseSignature("x=tensordesc<bf16[64,32]>:nan:16,n=i32");
  const auto &type = std::get<ArgumentType>(signature[0].value);
  EXPECT_EQ(type.dtype, DType::BFloat16);
  EXPECT_EQ(type.blockShape, (std::vector<int64_t>{64, 32}));
  EXPECT_TRUE(type.isPointer && type.padsWithNan && type.isMultipleOf16);
  for (const char *text :
       {"x=tensordesc<f32>", "x=tensordesc<f32[]>", "x=tensordesc<f33[4]>", "x=tensordesc<f32[0]>",
        "x=tensordesc<i32[4]>:nan", "x=tensordesc<*f32[4]>"})
    EXPECT_THROW(parseSignature(text), Error) << text;
}

} // namespace
