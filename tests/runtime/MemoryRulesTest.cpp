// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of Triton's language about memory that are easy to get wrong, a test for each, on every
// executor.
#include "MeaningTest.h"

#include <cmath>
#include <cstdint>
#include <limits>

using namespace nereid;

namespace {

class MemoryRulesTest : public nereid::test::MeaningTest {
protected:
  Array counted(int64_t count) {
    std::vector<int32_t> values(static_cast<size_t>(count));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<int32_t>(i);
    return device.array(values);
  }
  /// Expects that a kernel of `x` and `o`, both of int32, is refused.
  void refuse(const std::string &body) {
    EXPECT_THROW(run("def k(x, o):\n    i = tl.arange(0, 4)\n" + body,
                     {{"x", counted(8)}, {"o", device.zeros(DType::Int32, {8})}}),
                 Error)
        << body;
  }
};
NEREID_ON_ALL_DEVICES(MemoryRulesTest);

TEST_P(MemoryRulesTest, SignedOffsetsAreExtended) {
  Array out = device.zeros(DType::Int32, {4});
  run("def k(x, o):\n"
      "    i = tl.arange(0, 4)\n"
      "    tl.store(o + i, tl.load(x + 7 + (-i).to(tl.int8)))\n",
      {{"x", counted(8)}, {"o", out}});
  EXPECT_EQ(out.toVector<int32_t>(), (std::vector<int32_t>{7, 6, 5, 4}));
}

TEST_P(MemoryRulesTest, UnsignedOffsetsAreNot) {
  // 200 as uint8 is 200, not -56.
  Array out = device.zeros(DType::Int32, {4});
  run("def k(x, o):\n"
      "    i = tl.arange(0, 4)\n"
      "    tl.store(o + i, tl.load(x + (i + 200).to(tl.uint8)))\n",
      {{"x", counted(256)}, {"o", out}});
  EXPECT_EQ(out.toVector<int32_t>(), (std::vector<int32_t>{200, 201, 202, 203}));
}

TEST_P(MemoryRulesTest, PointersAreNotAdded) {
  refuse("    tl.store(o + i, tl.load(x + (x + i)))\n");
  refuse("    tl.store(o + i, tl.load(x * 2))\n");
}

TEST_P(MemoryRulesTest, BooleansInMemory) {
  // A byte that is not zero is true, and true is stored as 1.
  Array out = device.zeros(DType::Int8, {4}), flags = device.zeros(DType::Int1, {4});
  Array bytes = device.array(std::vector<int8_t>{0, 1, 2, -128});
  run("def k(b, f, o):\n"
      "    i = tl.arange(0, 4)\n"
      "    seen = tl.load(b.to(tl.pointer_type(tl.int1)) + i)\n"
      "    tl.store(f + i, seen)\n"
      "    tl.store(o + i, tl.load(f + i))\n",
      {{"b", bytes}, {"f", flags}, {"o", out}});
  EXPECT_EQ(out.toVector<int8_t>(), (std::vector<int8_t>{0, 1, 1, 1}));
}

TEST_P(MemoryRulesTest, Loads) {
  Array out = device.zeros(DType::Int32, {8});
  run("def k(x, o):\n"
      "    i = tl.arange(0, 8)\n"
      "    tl.store(o + i, tl.load(x + i, mask=i < 3, other=2.9))\n",
      {{"x", counted(8)}, {"o", out}});
  EXPECT_EQ(out.toVector<int32_t>(), (std::vector<int32_t>{0, 1, 2, 2, 2, 2, 2, 2}));
  refuse("    tl.store(o + i, tl.load(x + i, other=0))\n");
  refuse("    tl.store(o + i, tl.load(x + i, mask=tl.arange(0, 8) < 3))\n");
  refuse("    tl.store(o + i, tl.load(x, mask=i < 3))\n");
  refuse("    tl.store(o + i, tl.load(x + i, cache_modifier='.zz'))\n");
  refuse("    tl.store(o + i, tl.load(x + i, eviction_policy='never'))\n");
}

TEST_P(MemoryRulesTest, Stores) {
  Array halves = device.zeros(DType::Float16, {2}), whole = device.zeros(DType::Int32, {4});
  run("def k(h, w):\n"
      "    i = tl.arange(0, 2)\n"
      "    tl.store(h + i, 2049.0 + 2.0 * i)\n"
      "    tl.store(w + tl.arange(0, 4), -2.75)\n",
      {{"h", halves}, {"w", whole}});
  EXPECT_EQ(halves.toDoubles(), (std::vector<double>{2048, 2052}));
  EXPECT_EQ(whole.toVector<int32_t>(), (std::vector<int32_t>(4, -2)));
  // Values may be repeated, pointers not.
  refuse("    tl.store(o, i)\n");
  refuse("    tl.store(o + i, i[:, None] + i[None, :])\n");
  refuse("    tl.store(o + i, i, mask=i[:, None] < 3)\n");
}

TEST_P(MemoryRulesTest, AtomicsGiveWhatWasThere) {
  Array memory = device.array(std::vector<int32_t>{10, 20, 30, 40});
  Array out = device.zeros(DType::Int32, {4});
  run("def k(m, o):\n"
      "    i = tl.arange(0, 4)\n"
      "    old = tl.atomic_add(m + i, i + 1, mask=i != 2)\n"
      "    tl.store(o + i, old, mask=i != 2)\n",
      {{"m", memory}, {"o", out}});
  EXPECT_EQ(out.toVector<int32_t>(), (std::vector<int32_t>{10, 20, 0, 40}));
  EXPECT_EQ(memory.toVector<int32_t>(), (std::vector<int32_t>{11, 22, 30, 44}));
}

TEST_P(MemoryRulesTest, ElementsOfAtomics) {
  // Adding is all that there is of 16 bits, and then only of floats.
  for (const char *call :
       {"atomic_add(x.to(tl.pointer_type(tl.int16)) + i, 1)",
        "atomic_max(x.to(tl.pointer_type(tl.float16)) + i, 1.0)",
        "atomic_add(x.to(tl.pointer_type(tl.int8)) + i, 1)",
        "atomic_and(x.to(tl.pointer_type(tl.float16)) + i, 1)",
        "atomic_load(x.to(tl.pointer_type(tl.int1)) + i)", "atomic_load(x + i, sem='release')",
        "atomic_store(x.to(tl.pointer_type(tl.int1)) + i, 1)",
        "atomic_cas(x.to(tl.pointer_type(tl.int8)) + i, 0, 1)",
        "atomic_add(x + i, 1, sem='sequential')", "atomic_add(x + i, 1, scope='galaxy')"})
    refuse("    tl." + std::string(call) + "\n");
  Array half = device.zeros(DType::Float16, {1}), single = device.array(std::vector<float>{-0.0F});
  run("def k(h, f):\n"
      "    tl.atomic_add(h, 0.5, sem='relaxed', scope='sys')\n"
      "    tl.atomic_max(f, 0.0)\n",
      {{"h", half}, {"f", single}});
  EXPECT_EQ(half.toDoubles()[0], 0.5);
  EXPECT_FALSE(std::signbit(single.toVector<float>()[0]));
}

TEST_P(MemoryRulesTest, BitsOfFloatsInMemory) {
  // 1.0 is 0x3f800000, and -0.0 the sign alone.
  Array values = device.array(std::vector<float>{1, -1, 1, 2}),
        old = device.zeros(DType::Float32, {4});
  run("def k(f, old):\n"
      "    tl.store(old, tl.atomic_or(f, -0.0))\n"
      "    tl.store(old + 1, tl.atomic_xor(f + 1, -0.0))\n"
      "    tl.store(old + 2, tl.atomic_and(f + 2, -0.0))\n",
      {{"f", values}, {"old", old}});
  EXPECT_EQ(values.toVector<float>(), (std::vector<float>{-1, 1, 0, 2}));
  EXPECT_EQ(old.toVector<float>(), (std::vector<float>{1, -1, 1, 0}));
}

TEST_P(MemoryRulesTest, AtomicLoadsAndStores) {
  Array words = device.zeros(DType::Int32, {8}), floats = device.zeros(DType::Float32, {8}),
        flag = device.zeros(DType::Int32, {1}), out = device.zeros(DType::Float64, {8});
  run(R"(
def k(words, floats, flag, out):
    i = tl.arange(0, 8)
    tl.atomic_store(words + i, i * 3, mask=i < 5)
    tl.atomic_store(floats + i, i / 2, sem="relaxed", scope="cta")
    tl.atomic_store(flag, 7)
    seen = tl.atomic_load(words + i) + tl.where(i < 4, (floats + i).atomic_load(i < 4, "relaxed"), 0)
    tl.store(out + i, seen + tl.atomic_load(flag, scope="sys"))
)",
      {{"words", words}, {"floats", floats}, {"flag", flag}, {"out", out}});
  EXPECT_EQ(out.toVector<double>(), (std::vector<double>{7, 10.5, 14, 17.5, 19, 7, 7, 7}));
}

TEST_P(MemoryRulesTest, AtomicLoadsAndStoresOfBytesAndHalves) {
  // Neighbours in one word of 32 bits are written by different lanes, and those between them by
  // none.
  for (DType type : {DType::Int8, DType::UInt8, DType::Int16, DType::UInt16, DType::Float16,
                     DType::BFloat16, DType::Float8E5M2}) {
    std::vector<double> wanted = {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5};
    Array memory = device.arrayFromDoubles(type, wanted), out = device.zeros(type, {13}),
          one = device.zeros(type, {1});
    run(R"(
def k(memory, out, one):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.atomic_load(memory + i, mask=i < 12, sem="relaxed"), mask=i < 12)
    tl.debug_barrier()
    tl.atomic_store(memory + i, i // 4, mask=(i < 13) & (i % 3 != 1))
    tl.atomic_store(one, 3, scope="sys")
    tl.static_assert(tl.atomic_load(memory).dtype == memory.dtype.element_ty)
    tl.store(one, one.atomic_load())
)",
        {{"memory", memory}, {"out", out}, {"one", one}});
    std::vector<double> loaded = wanted;
    loaded[12] = 0; // not asked for
    EXPECT_EQ(out.toDoubles(), loaded) << name(type);
    for (size_t i = 0; i < wanted.size(); ++i)
      if (i % 3 != 1)
        wanted[i] = static_cast<double>(i / 4);
    EXPECT_EQ(memory.toDoubles(), wanted) << name(type);
    EXPECT_EQ(one.toDoubles()[0], 3) << name(type);
  }
}

TEST_P(MemoryRulesTest, WaitingForMemory) {
  // The second program waits for what the first one writes, and then sees all that it wrote before.
  Array flag = device.zeros(DType::Int32, {2}), data = device.zeros(DType::Int32, {4}),
        out = device.zeros(DType::Int32, {4}), ends = device.zeros(DType::Int8, {3});
  run(R"(
def k(flag, data, out, ends):
    i = tl.arange(0, 4)
    if tl.program_id(0) == 0:
        tl.store(data + i, i * 11)
        tl.atomic_xchg(flag, 5, sem="release")
        tl.store(ends, tl.atomic_poll(flag + 1, 3, timeout_ns=20))
    else:
        tl.store(ends + 1, tl.atomic_poll(flag, 5))
        tl.store(out + i, tl.load(data + i))
        tl.store(ends + 2, flag.atomic_poll(5, timeout_ns=20))
)",
      {{"flag", flag}, {"data", data}, {"out", out}, {"ends", ends}}, {2});
  EXPECT_EQ(out.toVector<int32_t>(), (std::vector<int32_t>{0, 11, 22, 33}));
  EXPECT_EQ(ends.toVector<int8_t>(), (std::vector<int8_t>{0, 1, 1}));
  refuse("    tl.atomic_poll(x, 1, sem='release')\n");
  refuse("    tl.atomic_poll(x.to(tl.pointer_type(tl.float32)), 1)\n");
}

TEST_P(MemoryRulesTest, DescriptorsBeyondTheArray) {
  // What is outside reads as zero, or as NaN if the padding says so; stores there are dropped, and
  // values are converted.
  for (bool padsWithNan : {false, true}) {
    Array x = device.arrayFromDoubles(DType::Float32, std::vector<double>(5 * 8, 1.0), {5, 8});
    Array out = device.zeros(DType::Float32, {8, 8});
    run("def k(x, o, PADDING: tl.constexpr):\n"
        "    d = tl.make_tensor_descriptor(x, [5, 8], [8, 1], [8, 8], padding_option=PADDING)\n"
        "    i, j = tl.arange(0, 8)[:, None], tl.arange(0, 8)[None, :]\n"
        "    tl.store(o + i * 8 + j, d.load([2, 4]))\n"
        "    d.store([4, 0], tl.full((8, 8), 7, tl.int32))\n",
        {{"x", x}, {"o", out}, {"PADDING", padsWithNan ? "nan" : "zero"}});
    std::vector<double> values = out.toDoubles(), stored = x.toDoubles();
    for (size_t i = 0; i < 8; ++i)
      for (size_t j = 0; j < 8; ++j) {
        bool isInside = i < 3 && j < 4;
        double value = values[i * 8 + j];
        EXPECT_TRUE(isInside      ? value == 1
                    : padsWithNan ? std::isnan(value)
                                  : value == 0)
            << i << ", " << j << ": " << value;
      }
    for (size_t i = 0; i < 40; ++i)
      EXPECT_EQ(stored[i], i < 32 ? 1 : 7) << i;
  }
  refuse("    d = tl.make_tensor_descriptor(x, [8, 8], [1, 8], [4, 4])\n"
         "    tl.store(o + i, tl.sum(d.load([0, 0]), 0))\n");
}

TEST_P(MemoryRulesTest, ScalesOfTheRightFactorAreNotTransposed) {
  // e4m3 ones with scales 2^k: [M, K / 32] on the left, [N, K / 32] on the right.
  constexpr size_t m = 16, n = 16, k = 64;
  std::vector<uint8_t> left(m * k / 32), right(n * k / 32);
  for (size_t i = 0; i < left.size(); ++i) {
    left[i] = static_cast<uint8_t>(127 + i % 3);
    right[i] = static_cast<uint8_t>(126 + i % 5);
  }
  Array out = device.zeros(DType::Float32, {m, n});
  run(R"(
def k(l, r, o):
    i, j, g = tl.arange(0, 16)[:, None], tl.arange(0, 16)[None, :], tl.arange(0, 2)[None, :]
    a = tl.full((16, 64), 1.0, tl.float8e4nv)
    b = tl.full((64, 16), 1.0, tl.float8e4nv)
    ls, rs = tl.load(l + i * 2 + g), tl.load(r + i * 2 + g)
    tl.store(o + i * 16 + j, tl.dot_scaled(a, ls, "e4m3", b, rs, "e4m3"))
)",
      {{"l", device.array(left)}, {"r", device.array(right)}, {"o", out}});
  std::vector<float> product = out.toVector<float>();
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      double wanted = 0;
      for (size_t g = 0; g < 2; ++g)
        wanted += 32 * std::exp2(left[i * 2 + g] - 127.0) * std::exp2(right[j * 2 + g] - 127.0);
      ASSERT_EQ(product[i * n + j], wanted) << i << ", " << j;
    }
}

} // namespace
