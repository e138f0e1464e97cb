// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor descriptors against plain loops, with blocks that reach beyond the edges on every side.
#include "MeaningTest.h"

#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>

using namespace nereid;

namespace {

constexpr int arrayRows = 11, arrayColumns = 13, pitch = 17; // an array inside a larger one

class DescriptorTest : public nereid::test::MeaningTest {
protected:
  /// Every element is told from every other, and from zero.
  static std::vector<float> numbers(size_t count) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 1.0F);
    return values;
  }

  static bool isInside(int64_t row, int64_t column) {
    return row >= 0 && row < arrayRows && column >= 0 && column < arrayColumns;
  }
};
NEREID_ON_ALL_DEVICES(DescriptorTest);

TEST_P(DescriptorTest, LoadsZeroBeyondTheEdges) {
  for (auto [y, x] : {std::pair(0, 0), {8, 8}, {-3, 2}, {2, -5}, {-100, 0}, {0, 13}, {-4, -4}})
    for (bool isNan : {false, true}) {
      std::vector<float> values = numbers(arrayRows * pitch);
      Array out = device.zeros(DType::Float32, {8 * 8});
      run(std::string("def k(a, o, h, w, pitch, y, x):\n"
                      "    d = tl.make_tensor_descriptor(a, [h, w], [pitch, 1], [8, 8]") +
              (isNan ? ", padding_option='nan'" : "") +
              ")\n"
              "    i = tl.arange(0, 8)\n"
              "    tl.store(o + i[:, None] * 8 + i[None, :], d.load([y, x]))\n",
          {{"a", device.array(values)},
           {"o", out},
           {"h", arrayRows},
           {"w", arrayColumns},
           {"pitch", pitch},
           {"y", y},
           {"x", x}});
      std::vector<float> actual = out.toVector<float>();
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) {
          float got = actual[i * 8 + j];
          if (isInside(y + i, x + j))
            EXPECT_EQ(got, values[(y + i) * pitch + x + j]) << y + i << " " << x + j;
          else if (isNan)
            EXPECT_TRUE(std::isnan(got)) << y + i << " " << x + j;
          else
            EXPECT_EQ(got, 0) << y + i << " " << x + j;
        }
    }
}

TEST_P(DescriptorTest, StoresNothingBeyondTheEdges) {
  std::vector<float> before = numbers(arrayRows * pitch), expected = before;
  Array memory = device.array(before);
  run(R"(
def k(a, h, w, pitch):
    d = tl.make_tensor_descriptor(a, shape=[h, w], strides=[pitch, 1], block_shape=[4, 8])
    y, x = tl.program_id(1) * 4 - 4, tl.program_id(0) * 8 - 8
    d.store([y, x], d.load([y, x]) * -1)
)",
      {{"a", memory}, {"h", arrayRows}, {"w", arrayColumns}, {"pitch", pitch}}, {4, 5});
  for (int i = 0; i < arrayRows; ++i)
    for (int j = 0; j < arrayColumns; ++j)
      expected[i * pitch + j] *= -1;
  EXPECT_EQ(memory.toVector<float>(), expected);
}

/// The other spelling, one dimension, and a value of another type, which is cast.
TEST_P(DescriptorTest, OneDimension) {
  Array a = device.array(std::vector<int16_t>(100, 3)), out = device.zeros(DType::Int32, {100});
  run(R"(
def k(a, o, n):
    source = tl.make_tensor_descriptor(a, [n], [1], [32])
    target = tl.make_tensor_descriptor(o, [n - 1], [1], [32])
    at = tl.program_id(0) * 32
    tl.store_tensor_descriptor(target, [at], tl.load_tensor_descriptor(source, [at]) * 2.5)
)",
      {{"a", a}, {"o", out}, {"n", 100}}, {4});
  std::vector<int32_t> expected(100, 7);
  expected.back() = 0;
  EXPECT_EQ(out.toVector<int32_t>(), expected);
}

TEST_P(DescriptorTest, ThreeDimensions) {
  std::vector<float> values = numbers(3 * 5 * 7);
  Array out = device.zeros(DType::Float32, {3 * 5 * 7});
  run(R"(
def k(a, o):
    source = tl.make_tensor_descriptor(a, [3, 5, 7], [35, 7, 1], [2, 4, 8])
    target = tl.make_tensor_descriptor(o, [3, 5, 7], [35, 7, 1], [2, 4, 8])
    at = [tl.program_id(1) * 2, tl.program_id(0) * 4, 0]
    target.store(at, source.load(at) + 1)
)",
      {{"a", device.array(values)}, {"o", out}}, {2, 2});
  for (float &value : values)
    ++value;
  EXPECT_EQ(out.toVector<float>(), values);
}

TEST_P(DescriptorTest, KnowsItself) {
  Array out = device.zeros(DType::Int64, {4});
  run(R"(
def k(a, o, h, w):
    d = tl.make_tensor_descriptor(a, [h, w], [w, 1], [4, 16])
    tl.static_assert(isinstance(d, tl.tensor_descriptor))
    tl.static_assert(not isinstance(a, tl.tensor_descriptor))
    tl.static_assert(d.dtype == tl.float16)
    tl.static_assert(d.block_shape[0] == 4 and d.block_shape[1] == 16)
    tl.static_assert(d.shape[0].dtype == tl.int32 and d.strides[0].dtype == tl.int64)
    tl.static_assert(d.load([0, 0]).dtype == d.block_type.element_ty)
    tl.store(o, d.shape[0])
    tl.store(o + 1, d.shape[1])
    tl.store(o + 2, d.strides[0])
    tl.store(o + 3, d.strides[1])
)",
      {{"a", device.zeros(DType::Float16, {100})}, {"o", out}, {"h", 3}, {"w", 33}});
  EXPECT_EQ(out.toVector<int64_t>(), (std::vector<int64_t>{3, 33, 33, 1}));
}

/// Descriptors that a branch chooses, that a loop changes, that a function and a tuple hand on.
TEST_P(DescriptorTest, GoesThroughControlFlow) {
  std::vector<float> values = numbers(64);
  Array out = device.zeros(DType::Float32, {32});
  run(R"(
@triton.jit
def doubled(pair, at):
    return pair[0].load([at]) * 2

@triton.jit
def k(a, o):
    pid = tl.program_id(0)
    if pid % 2 == 0:
        d = tl.make_tensor_descriptor(a, [10], [1], [8])
    else:
        d = tl.make_tensor_descriptor(a + 20, [8 + pid], [1], [8])
    sum = tl.zeros((8,), tl.float32)
    for i in range(3):
        sum += doubled((d, i), 4)
        d = tl.make_tensor_descriptor(a + 10 * i, [6 + pid + i], [1], [8])
    tl.store(o + pid * 8 + tl.arange(0, 8), sum)
)",
      {{"a", device.array(values)}, {"o", out}}, {4});
  std::vector<float> expected(32);
  for (int pid = 0; pid < 4; ++pid)
    for (int lane = 0; lane < 8; ++lane) {
      auto read = [&](int base, int size) {
        return 4 + lane < size ? 2 * values[base + 4 + lane] : 0;
      };
      float first = pid % 2 == 0 ? read(0, 10) : read(20, 8 + pid);
      expected[pid * 8 + lane] = first + read(0, 6 + pid) + read(10, 7 + pid);
    }
  EXPECT_EQ(out.toVector<float>(), expected);
}

TEST_P(DescriptorTest, GathersAndScattersRows) {
  std::vector<float> values = numbers(arrayRows * pitch), expected = values;
  std::vector<int32_t> named = {3, 0, 10, 11, -1, 7, 7, 2};
  Array out = device.zeros(DType::Float32, {8 * 8}), memory = device.array(values);
  for (int x : {0, 7, -2}) {
    run(R"(
def k(a, index, o, h, w, pitch, x):
    d = tl.make_tensor_descriptor(a, [h, w], [pitch, 1], [1, 8])
    i = tl.arange(0, 8)
    tl.store(o + i[:, None] * 8 + i[None, :], d.gather(tl.load(index + i), x))
)",
        {{"a", memory},
         {"index", device.array(named)},
         {"o", out},
         {"h", arrayRows},
         {"w", arrayColumns},
         {"pitch", pitch},
         {"x", x}});
    std::vector<float> actual = out.toVector<float>();
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 8; ++j)
        EXPECT_EQ(actual[i * 8 + j],
                  isInside(named[i], x + j) ? values[named[i] * pitch + x + j] : 0)
            << i << " " << j;
  }
  run(R"(
def k(a, index, h, w, pitch):
    d = tl.make_tensor_descriptor(a, [h, w], [pitch, 1], [1, 8])
    arrayRows = tl.load(index + tl.arange(0, 8))
    d.scatter(tl.broadcast_to(-arrayRows[:, None], 8, 8), arrayRows, 9)
)",
      {{"a", memory},
       {"index", device.array(named)},
       {"h", arrayRows},
       {"w", arrayColumns},
       {"pitch", pitch}});
  for (int row : named)
    for (int column = 9; column < arrayColumns; ++column)
      if (isInside(row, column))
        expected[row * pitch + column] = static_cast<float>(-row);
  EXPECT_EQ(memory.toVector<float>(), expected);
}

TEST_P(DescriptorTest, Atomics) {
  struct Case {
    const char *method;
    int32_t (*combine)(int32_t, int32_t);
  };
  for (auto [method, combine] :
       {Case{"atomic_add", [](int32_t x, int32_t y) { return x + y; }},
        {"atomic_max", [](int32_t x, int32_t y) { return std::max(x, y); }},
        {"atomic_min", [](int32_t x, int32_t y) { return std::min(x, y); }},
        {"atomic_and", [](int32_t x, int32_t y) { return x & y; }},
        {"atomic_or", [](int32_t x, int32_t y) { return x | y; }},
        {"atomic_xor", [](int32_t x, int32_t y) { return x ^ y; }}}) {
    std::vector<int32_t> expected(arrayRows * pitch);
    std::iota(expected.begin(), expected.end(), -90);
    Array memory = device.array(expected);
    run(std::string(R"(
def k(a, h, w, pitch):
    d = tl.make_tensor_descriptor(a, [h, w], [pitch, 1], [8, 8])
    pid = tl.program_id(0)
    d.)") + method +
            "([pid - 5, 7], tl.arange(0, 8)[:, None] * 5 - pid)\n",
        {{"a", memory}, {"h", arrayRows}, {"w", arrayColumns}, {"pitch", pitch}}, {15});
    for (int pid = 0; pid < 15; ++pid)
      for (int i = 0; i < 8; ++i)
        for (int column = 7; column < arrayColumns; ++column)
          if (int row = pid - 5 + i; isInside(row, column)) {
            int32_t &element = expected[row * pitch + column];
            element = combine(element, i * 5 - pid);
          }
    EXPECT_EQ(memory.toVector<int32_t>(), expected) << method;
  }
}

TEST_P(DescriptorTest, ExtremaOfHalves) {
  constexpr int count = 256;
  std::vector<float> before(count), values(count);
  std::mt19937 random(5);
  for (int i = 0; i < count; ++i) { // whole numbers, which both kinds of halves hold
    before[i] = static_cast<float>(static_cast<int>(random() % 200) - 100);
    values[i] = static_cast<float>(static_cast<int>(random() % 200) - 100);
  }
  for (const char *type : {"tl.float16", "tl.bfloat16"})
    for (bool isMax : {true, false}) {
      Array out = device.zeros(DType::Float32, {count});
      run(std::string(R"(
def k(halves, before, values, out):
    i = tl.arange(0, 256)
    p = halves.to(tl.pointer_type()") +
              type + R"())
    tl.store(p + i, tl.load(before + i))
    d = tl.make_tensor_descriptor(p, [16, 16], [16, 1], [16, 16])
    d.atomic_)" +
              (isMax ? "max" : "min") +
              R"(([0, 0], tl.reshape(tl.load(values + i), (16, 16)))
    tl.store(out + i, tl.load(p + i).to(tl.float32))
)",
          {{"halves", device.zeros(DType::UInt16, {count})},
           {"before", device.array(before)},
           {"values", device.array(values)},
           {"out", out}});
      std::vector<float> result = out.toVector<float>();
      for (int i = 0; i < count; ++i)
        ASSERT_EQ(result[i],
                  isMax ? std::max(before[i], values[i]) : std::min(before[i], values[i]))
            << type << " " << i;
    }
}

/// A product as the persistent kernels of the tutorials write it, of no whole number of blocks.
TEST_P(DescriptorTest, MultipliesMatrices) {
  constexpr int m = 37, n = 29, k = 45;
  std::vector<float> a(m * k), b(n * k), expected(m * n);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<float>((i * 31) % 7) - 3;
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = static_cast<float>((i * 17) % 5) - 2;
  Array out = device.zeros(DType::Float32, {m * n});
  run(R"(
def k(a, b, c, m, n, k):
    a_desc = tl.make_tensor_descriptor(a, [m, k], [k, 1], [16, 16])
    b_desc = tl.make_tensor_descriptor(b, [n, k], [k, 1], [16, 16])
    c_desc = tl.make_tensor_descriptor(c, [m, n], [n, 1], [16, 8])
    tiles = tl.cdiv(n, 16)
    for tile in tl.range(tl.program_id(0), tl.cdiv(m, 16) * tiles, tl.num_programs(0), flatten=True):
        y, x = tile // tiles * 16, tile % tiles * 16
        acc = tl.zeros((16, 16), tl.float32)
        for step in range(tl.cdiv(k, 16)):
            lhs, rhs = a_desc.load([y, step * 16]), b_desc.load([x, step * 16])
            acc = tl.dot(lhs, rhs.T, acc, input_precision="ieee")
        left, right = acc.reshape(16, 2, 8).permute(0, 2, 1).split()
        c_desc.store([y, x], left)
        c_desc.store([y, x + 8], right)
)",
      {{"a", device.array(a)}, {"b", device.array(b)}, {"c", out}, {"m", m}, {"n", n}, {"k", k}},
      {2});
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int l = 0; l < k; ++l)
        expected[i * n + j] += a[i * k + l] * b[j * k + l];
  EXPECT_EQ(out.toVector<float>(), expected); // whole numbers: exact
}

} // namespace
