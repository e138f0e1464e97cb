// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches whose arrays lie on several GPUs.
#include "CompiledAdd.h"
#include "FakeDevice.h"
#include "nereid/compile.h"
#include "nereid/devices.h"

#include <algorithm>

namespace nereid::test {
namespace {

namespace cuda = runtime::cuda;
using Values = std::vector<float>;

class PeerGpus : public FakeDevice {
protected:
  PeerGpus() { setAdd(); }

  Launch sumOf(const Device &on, const Array &x, const Array &y, const Array &out) {
    return file.load(addArtifact(code("add")))
        .prepare(on, {{"x", x}, {"y", y}, {"out", out}, {"n", 3}, {"factor", 1}});
  }
  /// How often access was asked for since the last call.
  static ptrdiff_t takeRequests() {
    return std::ranges::count(fake_cuda::takeCalls(), "cuCtxEnablePeerAccess");
  }
  static uint64_t addressOf(const Array &array) { return reinterpret_cast<uint64_t>(array.data()); }
  static Array three(const Device &device) { return device.zeros(DType::Float32, {3}); }
  ArtifactFile file;
};

TEST_F(PeerGpus, ReadAndWriteEachOthersMemory) {
  Device device = Device::open("cuda:0"), other = Device::open("cuda:1");
  Array x = device.array(Values{1, 2, 3}), y = other.array(Values{10, 20, 30}), out = three(other);
  fake_cuda::takeCalls();
  sumOf(device, x, y, out).run({1});
  EXPECT_EQ(out.toVector<float>(), (Values{11, 22, 33}));
  EXPECT_EQ(takeRequests(), 1);
  // The other way is another access; what is there is not asked for again.
  sumOf(other, out, x, y).run({1});
  sumOf(other, out, x, y).run({1});
  EXPECT_EQ(y.toVector<float>(), (Values{12, 24, 36}));
  EXPECT_EQ(takeRequests(), 1);
}

/// So the tests here see whether it is given.
TEST_F(PeerGpus, WithoutAccessAKernelFails) {
  const unsigned number = disposable();
  Device device = Device::open("cuda:" + std::to_string(number)), other = Device::open("cuda:1");
  Array own = three(device), foreign = three(other);
  cuda::CudaKernel kernel(openStream(number), code("add"), {"add", "add.py"});
  auto slotOf = [](const Array &array) { return ArgumentSlot{addressOf(array), array.bytes()}; };
  std::vector<ArgumentSlot> slots = {slotOf(own), slotOf(own), slotOf(foreign), {3, 0}, {1, 0}};
  EXPECT_TRUE(has(messageOf([&] { kernel.launch({1, 1, 1}, slots, nullptr); }),
                  "CUDA_ERROR_ILLEGAL_ADDRESS"));
}

TEST_F(PeerGpus, AccessThatSomebodyElseGaveIsTaken) {
  Device device = Device::open("cuda:0"), other = Device::open("cuda:1");
  auto context = cuda::Context::open(0), peer = cuda::Context::open(1);
  context->call(context->driver().ctxEnablePeerAccess, peer->handle(), 0u);
  Array x = device.array(Values{1, 2, 3}), y = other.array(Values{1, 1, 1});
  sumOf(device, x, y, x).run({1});
  EXPECT_EQ(x.toVector<float>(), (Values{2, 3, 4}));
}

TEST_F(PeerGpus, AccessIsGivenAnewToAGpuThatWasClosed) {
  Device device = Device::open("cuda:0");
  Array x = device.array(Values{1, 2, 3});
  for (int time = 0; time < 2; ++time) {
    Device other = Device::open("cuda:1");
    Array y = other.array(Values{10, 20, 30});
    sumOf(device, x, y, y).run({1});
    EXPECT_EQ(y.toVector<float>(), (Values{11, 22, 33}));
  }
}

TEST_F(PeerGpus, AnArgumentThatCannotBeReachedIsNamed) {
  fake_cuda::Config config = machine();
  config.devices[1].hasPeers = false;
  fake_cuda::reset(config);
  setAdd();
  Device device = Device::open("cuda:0"), other = Device::open("cuda:1"),
         third = Device::open("cuda:2");
  Array own = three(device), near = three(third), far = three(other);
  EXPECT_TRUE(has(messageOf([&] { sumOf(device, near, far, own); }, Error::Kind::Usage),
                  "argument 'y' lies in cuda:1 memory, which device 'cuda:0' cannot use: the "
                  "driver connects the two in no way that kernels could use; make it on that "
                  "device, or copy it"));
  EXPECT_TRUE(
      has(messageOf([&] { device.borrow(far.data(), DType::Float32, {3}); }, Error::Kind::Usage),
          "lies in memory of cuda:1, which cuda:0 cannot reach: the driver connects"));
  Array borrowed = device.borrow(near.data(), DType::Float32, {3});
  sumOf(device, borrowed, own, borrowed).run({1});
  EXPECT_TRUE(has(whyOutOfReach(0, far.data(), 12), "cuda:0 cannot reach"));
  EXPECT_EQ(whyOutOfReach(0, near.data(), 12), "");
  EXPECT_EQ(whyOutOfReach(1, far.data(), 12), "");
}

TEST_F(PeerGpus, TheDriversReasonIsTold) {
  Device device = Device::open("cuda:0"), other = Device::open("cuda:1");
  Array own = three(device), far = three(other);
  fake_cuda::fail("cuCtxEnablePeerAccess", cuda::CUDA_ERROR_TOO_MANY_PEERS);
  EXPECT_TRUE(has(messageOf([&] { sumOf(device, far, own, own); }, Error::Kind::Usage),
                  "argument 'x'", "CUDA_ERROR_TOO_MANY_PEERS", "as many others as it can"));
  sumOf(device, far, own, own).run({1}); // the next time it works
}

TEST_F(PeerGpus, MappedMemoryIsReachedByThoseItIsMappedFor) {
  Device device = Device::open("cuda:0"), other = Device::open("cuda:1");
  Array own = three(device), shared = other.array(Values{1, 2, 3}), secret = three(other);
  fake_cuda::mapFor(addressOf(shared), {0, 1});
  fake_cuda::mapFor(addressOf(secret), {1});
  fake_cuda::takeCalls();
  sumOf(device, shared, own, own).run({1});
  EXPECT_EQ(own.toVector<float>(), (Values{1, 2, 3}));
  EXPECT_EQ(takeRequests(), 0);
  EXPECT_TRUE(has(messageOf([&] { sumOf(device, own, own, secret); }, Error::Kind::Usage),
                  "argument 'out'", "gave that device no access (cuMemSetAccess)"));
}

TEST_F(PeerGpus, WhatAnotherDeviceBorrowedIsTakenAsWhatItIs) {
  Device device = Device::open("cuda:0"), other = Device::open("cuda:1");
  auto pinned = cuda::allocatePinned(cuda::Context::open(1), 12);
  Array own = device.array(Values{1, 2, 3}), lent = other.borrow(own.data(), DType::Float32, {3}),
        host = other.borrow(pinned->data(), DType::Float32, {3});
  fake_cuda::takeCalls();
  sumOf(device, lent, own, host).run({1});
  EXPECT_EQ(takeRequests(), 0);
  EXPECT_EQ(static_cast<float *>(pinned->data())[2], 6);
  auto owner = std::make_unique<Array>(other.zeros(DType::Float32, {1 << 20}));
  Array gone = other.borrow(owner->data(), DType::Float32, {3});
  owner.reset();
  EXPECT_TRUE(has(messageOf([&] { sumOf(device, own, gone, own); }, Error::Kind::Usage),
                  "argument 'y' cannot be used: 0x", "it was freed"));
}

/// Streams of the fake do nothing until somebody waits for them, so that a missing wait is seen.
TEST_F(PeerGpus, WaitForEachOthersEvents) {
  Device device = Device::open("cuda:0"), other = Device::open("cuda:1");
  Array x = device.array(Values{1, 2, 3}), there = three(other), result = three(other);
  Stream first = device.stream(), second = other.stream();
  sumOf(device, x, x, there).run({1}, {.stream = first});
  second.wait(first.record());
  sumOf(other, there, there, result).run({1}, {.stream = second});
  Event end = second.record();
  first.wait(end);
  sumOf(device, result, x, x).run({1}, {.stream = first});
  EXPECT_FALSE(end.isDone());
  first.synchronize();
  EXPECT_TRUE(end.isDone());
  EXPECT_EQ(result.toVector<float>(), (Values{4, 8, 12}));
  EXPECT_EQ(x.toVector<float>(), (Values{5, 10, 15}));
  EXPECT_TRUE(has(messageOf([&] { end.millisecondsSince(first.record()); }, Error::Kind::Usage),
                  "have no clock in common"));
}

TEST_F(PeerGpus, KeepArraysUntilTheLaunchIsDone) {
  Device device = Device::open("cuda:0");
  Stream stream = device.stream();
  Array x = device.array(Values{1, 2, 3});
  {
    Device other = Device::open("cuda:1");
    sumOf(device, x, other.array(Values{10, 20, 30}), x).run({1}, {.stream = stream});
  }
  stream.synchronize();
  EXPECT_EQ(x.toVector<float>(), (Values{11, 22, 33}));
}

TEST_F(PeerGpus, GiveAccessWhileAStreamIsCaptured) {
  Device device = Device::open("cuda:0"), other = Device::open("cuda:1");
  Stream stream = device.stream();
  Array x = device.array(Values{1, 2, 3}), y = other.array(Values{1, 1, 1});
  fake_cuda::beginCapture(stream.handle());
  Launch launch = sumOf(device, x, y, x);
  launch.run({1}, {.stream = stream});
  std::function<void()> replay = fake_cuda::endCapture(stream.handle());
  ASSERT_TRUE(replay);
  replay();
  EXPECT_EQ(x.toVector<float>(), (Values{2, 3, 4}));
}

} // namespace
} // namespace nereid::test
