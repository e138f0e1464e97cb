// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of the device, of the host and of others; streams and events.
#include "FakeDevice.h"
#include "runtime/cuda/Pointer.h"
#include "runtime/cuda/TensorMap.h"

#include <numeric>

using namespace nereid::runtime::cuda;
using nereid::runtime::Memory;

namespace nereid::test {
// Not the public ones of the same name.
using runtime::cuda::Event;
using runtime::cuda::Stream;
namespace {

class CudaMemory : public FakeDevice {};

std::vector<int> numbers(size_t count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

TEST_F(CudaMemory, IsZeroedAndComesBack) {
  auto stream = openStream();
  std::vector<int> values = numbers(1000), back(1000);
  auto memory = allocateDevice(stream, 4000);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory->data()) % 256, 0u);
  memory->copyToHost(back.data(), 4000);
  EXPECT_EQ(back, std::vector<int>(1000));
  memory->copyFromHost(values.data(), 4000);
  memory->copyToHost(back.data(), 4000);
  EXPECT_EQ(back, values);
  EXPECT_EQ(allocateDevice(stream, 0)->bytes(), 0u);
}

TEST_F(CudaMemory, TooMuchSaysWhatIsAskedAndWhatThereIs) {
  auto stream = openStream();
  auto held = allocateDevice(stream, size_t(24) << 20);
  EXPECT_TRUE(has(messageOf([&] { allocateDevice(stream, size_t(48) << 20); }),
                  "cannot allocate 48 MiB on cuda:0 (Fake H200, sm_90)", "cuMemAlloc_v2 failed",
                  "CUDA_ERROR_OUT_OF_MEMORY", "40 MiB of its 64 MiB are free", "would help"));
  EXPECT_EQ(allocateDevice(stream, size_t(8) << 20)->bytes(), size_t(8) << 20); // still in use
  fake_cuda::fail("cuMemHostAlloc", CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_TRUE(has(messageOf([&] { allocatePinned(stream->sharedContext(), 4096); }),
                  "4 KiB of pinned host memory", "ulimit -l"));
}

TEST_F(CudaMemory, AFailureHalfwayLeavesNothing) {
  auto stream = openStream();
  fake_cuda::Live before = fake_cuda::live();
  fake_cuda::fail("cuMemsetD8Async", CUDA_ERROR_INVALID_VALUE);
  EXPECT_THROW(allocateDevice(stream, 64), Error);
  EXPECT_EQ(fake_cuda::live(), before);
}

TEST_F(CudaMemory, BorrowedMemoryIsTheCallers) {
  auto stream = openStream();
  auto owner = allocateDevice(stream, 4000);
  std::vector<int> values = numbers(1000), back(500);
  owner->copyFromHost(values.data(), 4000);
  auto half = static_cast<char *>(owner->data()) + 2000;
  borrowDevice(stream, half, 2000)->copyToHost(back.data(), 2000);
  EXPECT_EQ(back, std::vector<int>(values.begin() + 500, values.end()));
  auto pinned = allocatePinned(stream->sharedContext(), 64);
  EXPECT_EQ(borrowDevice(stream, pinned->data(), 64)->data(), pinned->data());
}

TEST_F(CudaMemory, WhatTheDeviceCannotReachIsRefused) {
  auto stream = openStream(0), other = openStream(1);
  auto borrow = [&](void *address, size_t bytes) {
    return messageOf([&] { borrowDevice(stream, address, bytes); }, Error::Kind::Usage);
  };
  int host = 0;
  EXPECT_TRUE(has(borrow(&host, 4), "no memory that the driver knows",
                  "memory of cuda:0, managed or pinned"));
  auto elsewhere = allocateDevice(other, 64);
  fake_cuda::mapFor(reinterpret_cast<uint64_t>(elsewhere->data()), {1});
  EXPECT_TRUE(has(borrow(elsewhere->data(), 64),
                  "lies in memory of cuda:1, which cuda:0 cannot reach: who mapped the memory gave",
                  "; use it there, or copy it"));
  auto memory = allocateDevice(stream, 64);
  EXPECT_TRUE(has(borrow(static_cast<char *>(memory->data()) + 32, 64), "64 bytes are asked for",
                  "ends after 32"));
  void *freed = memory->data();
  auto borrowed = borrowDevice(stream, freed, 64);
  memory.reset();
  EXPECT_TRUE(has(borrow(freed, 64), "it was freed, or is the host's own"));
  // And where it was borrowed before it was freed, when it is used.
  EXPECT_TRUE(has(messageOf([&] { borrowed->copyToHost(&host, 4); }), "cuMemcpyDtoHAsync_v2 failed",
                  "it was freed"));
}

TEST_F(CudaMemory, CopiesWithinAndBetweenDevices) {
  auto stream = openStream(0), other = openStream(1);
  std::vector<int> values = numbers(16), back(16);
  auto a = allocateDevice(stream, 64), b = allocateDevice(stream, 64),
       c = allocateDevice(other, 64);
  a->copyFromHost(values.data(), 64);
  copyOnDevice(*stream, b->data(), a->data(), 64);
  stream->synchronize();
  copyBetween(*other, c->data(), stream->context(), b->data(), 64);
  c->copyToHost(back.data(), 64);
  EXPECT_EQ(back, values);
}

TEST_F(CudaMemory, PinnedCopiesRunWhenTheirTurnComes) {
  auto stream = openStream();
  auto pinned = allocatePinned(stream->sharedContext(), 64);
  auto memory = allocateDevice(stream, 64);
  std::vector<int> values = numbers(16), back(16);
  copyToDevice(*stream, memory->data(), pinned->data(), 64);
  std::copy(values.begin(), values.end(), static_cast<int *>(pinned->data()));
  EXPECT_FALSE(stream->isDone());
  stream->synchronize();
  EXPECT_TRUE(stream->isDone());
  memory->copyToHost(back.data(), 64);
  EXPECT_EQ(back, values);
}

TEST_F(CudaMemory, AnEventOrdersStreams) {
  auto first = openStream(), second = openStream();
  auto a = allocateDevice(first, 64), b = allocateDevice(first, 64);
  Event begin(first->sharedContext(), Event::Timing::On),
      event(first->sharedContext(), Event::Timing::On);
  EXPECT_TRUE(event.isDone());
  begin.record(*first);
  fillBytes(*first, a->data(), 7, 64);
  event.record(*first);
  EXPECT_FALSE(event.isDone());
  second->wait(event);
  copyOnDevice(*second, b->data(), a->data(), 64);
  second->synchronize();
  EXPECT_TRUE(event.isDone());
  EXPECT_GE(event.millisecondsSince(begin), 0);
  std::vector<char> back(64);
  b->copyToHost(back.data(), 64);
  EXPECT_EQ(back, std::vector<char>(64, 7));
  fillBytes(*first, a->data(), 8, 64);
  event.record(*first);
  event.synchronize();
  EXPECT_TRUE(first->isDone());
}

/// The host program's context is as it was, whatever is called.
TEST_F(CudaMemory, LeavesTheCallersContextCurrent) {
  auto stream = openStream(0), other = openStream(1);
  const Driver &driver = Driver::get();
  CurrentContext mine(driver, other->context().handle());
  auto memory = allocateDevice(stream, 64);
  CUcontext current = nullptr;
  driver.call(driver.ctxGetCurrent, &current);
  EXPECT_EQ(current, other->context().handle());
}

TEST_F(CudaMemory, ATensorMapIsMadeWhereTheRulesAllow) {
  auto stream = openStream();
  const Driver &driver = Driver::get();
  TensorMapShape shape{DType::Float16, 2,        {512, 100},
                       {1024},         {64, 64}, TensorMapShape::Swizzle::Bytes128};
  auto *address = reinterpret_cast<void *>(uint64_t(1) << 40);
  ASSERT_EQ(whyNoTensorMap(driver, shape, address), "");
  std::optional<CUtensorMap> map = encodeTensorMap(stream->context(), shape, address);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->opaque[0], uint64_t(1) << 40);
  EXPECT_EQ(map->opaque[1], uint64_t(CU_TENSOR_MAP_DATA_TYPE_FLOAT16));
  EXPECT_EQ(map->opaque[4], 3u);
  auto whyNot = [&](auto change, size_t offset = 0) {
    TensorMapShape bad = shape;
    change(bad);
    return whyNoTensorMap(driver, bad, static_cast<char *>(address) + offset);
  };
  EXPECT_TRUE(has(whyNot([](auto &) {}, 8), "multiple of 16"));
  EXPECT_TRUE(has(whyNot([](auto &s) { s.strideBytes[0] = 1002; }), "rows"));
  EXPECT_TRUE(has(whyNot([](auto &s) { s.box[1] = 257; }), "256"));
  EXPECT_TRUE(has(whyNot([](auto &s) { s.box[0] = 128; }), "swizzled"));
  EXPECT_TRUE(has(whyNot([](auto &s) { s.extents[1] = 0; }), "2^32"));
}

} // namespace
} // namespace nereid::test
