// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU's streams and events through the public interface, and streams of other libraries. The fake
// driver does nothing before somebody waits, so what has been done too early or too late is seen.
#include "CompiledAdd.h"
#include "FakeDevice.h"
#include "nereid/devices.h"

#include <optional>
#include <stdexcept>

namespace nereid::test {
namespace {

class CudaStreams : public FakeDevice {
protected:
  CudaStreams() {
    setAdd();
    started = 0;
  }

  /// out = x + factor * y, counted when it is done.
  static void setCountedAdd() {
    fake_cuda::setKernel("add", {{8, 8, 8, 4, 2}, 32, 0, 0, [](const auto &run) {
                                   ++started;
                                   return runAdd(run);
                                 }});
  }
  /// A stream of the GPU as another library makes one, in the primary context.
  class OthersStream {
  public:
    explicit OthersStream(unsigned ordinal = 0) : stream(runtime::cuda::Context::open(ordinal)) {}
    void *handle() const { return stream.handle(); }
    void finish() const { stream.synchronize(); }

  private:
    runtime::cuda::Stream stream;
  };

  static inline int started;
  ArtifactFile file;
};

TEST_F(CudaStreams, GiveTheDriverWorkAndReturn) {
  setCountedAdd();
  Device device = Device::open("cuda");
  Kernel add = file.load(addArtifact(code("add")));
  Array sum = ones(device), step = ones(device);
  Stream stream = device.stream();
  EXPECT_NE(stream.handle(), nullptr);
  EXPECT_TRUE(stream.isIdle());
  for (int i = 0; i < 5; ++i)
    add.launch(device, {1}, accumulate(sum, step, i), {.stream = stream});
  EXPECT_EQ(started, 0);
  EXPECT_FALSE(stream.isIdle());
  Event event = stream.record();
  EXPECT_FALSE(event.isDone());
  std::vector<float> result(3);
  sum.copyTo(result.data(), stream);
  EXPECT_EQ(result, std::vector<float>(3));
  event.wait();
  EXPECT_TRUE(event.isDone());
  EXPECT_EQ(started, 5);
  stream.synchronize();
  EXPECT_TRUE(stream.isIdle());
  EXPECT_EQ(result, std::vector<float>(3, 11));
}

TEST_F(CudaStreams, NeedNoThreadAndNoMemoryForALaunch) {
  Device device = Device::open("cuda");
  Kernel add = file.load(addArtifact(code("add")));
  Array sum = ones(device), step = ones(device);
  Stream stream = device.stream();
  Launch launch = add.prepare(device, accumulate(sum, step));
  fake_cuda::takeCalls();
  launch.run({1}, {.stream = stream});
  std::vector<std::string> calls = fake_cuda::takeCalls();
  std::erase_if(calls, [](const std::string &call) { return call.starts_with("cuCtx"); });
  EXPECT_EQ(calls, (std::vector<std::string>{"cuLaunchKernel", "cuStreamIsCapturing"}));
  stream.synchronize();
}

TEST_F(CudaStreams, KeepWhatWorkUses) {
  Device device = Device::open("cuda");
  Array result = device.zeros(DType::Float32, {3});
  Stream stream = device.stream();
  {
    Kernel add = file.load(addArtifact(code("add")));
    for (int i = 0; i < 3000; ++i) {
      Array gone = ones(device);
      add.launch(device, {1}, accumulate(result, gone), {.stream = stream});
    }
    Array copied = ones(device);
    std::vector<float> twos(3, 2);
    copied.copyFrom(twos.data(), stream);
    add.launch(device, {1}, accumulate(result, copied), {.stream = stream});
  }
  EXPECT_LE(fake_cuda::live().allocations, 1100);
  stream.synchronize();
  EXPECT_EQ(fake_cuda::live().allocations, 1);
  EXPECT_EQ(result.toVector<float>(), std::vector<float>(3, 3002));
}

TEST_F(CudaStreams, WaitForEventsOfStreamsDevicesAndTheHost) {
  Device first = Device::open("cuda:0"), second = Device::open("cuda:1"),
         host = Device::open("cpu");
  Kernel add = file.load(addArtifact(code("add")));
  Array sum = ones(first), step = ones(first), other = ones(second), otherStep = ones(second);
  Stream a = first.stream(), b = first.stream(), c = second.stream(), h = host.stream();
  add.launch(first, {1}, accumulate(sum, step), {.stream = a});
  Event before = a.record();
  b.wait(before);
  add.launch(first, {1}, accumulate(step, sum), {.stream = b}); // needs a's result
  c.wait(b.record());
  add.launch(second, {1}, accumulate(other, otherStep), {.stream = c});
  h.wait(c.record());
  Event last = h.record();
  c.wait(last); // waits here
  c.synchronize();
  EXPECT_TRUE(before.isDone());
  EXPECT_EQ(step.toVector<float>(), std::vector<float>(3, 3));
  EXPECT_EQ(other.toVector<float>(), std::vector<float>(3, 2));
  Event end = b.record();
  EXPECT_GE(end.millisecondsSince(before), 0);
  EXPECT_TRUE(has(messageOf([&] { last.millisecondsSince(end); }, Error::Kind::Usage),
                  "no clock in common"));
}

TEST_F(CudaStreams, OfOtherLibrariesTakeWork) {
  setCountedAdd();
  Device device = Device::open("cuda");
  Kernel add = file.load(addArtifact(code("add")));
  Array sum = ones(device), step = ones(device);
  OthersStream others;
  {
    Stream stream = device.borrowStream(others.handle());
    EXPECT_EQ(stream.handle(), others.handle());
    add.launch(device, {1}, accumulate(sum, step), {.stream = stream});
    EXPECT_EQ(started, 0);
    others.finish();
    EXPECT_EQ(started, 1);
    Stream standard = device.borrowStream(nullptr);
    add.launch(device, {1}, accumulate(sum, step), {.stream = standard});
    EXPECT_EQ(started, 1);
  } // waits for its work
  EXPECT_EQ(started, 2);
  others.finish(); // it is still there
  EXPECT_EQ(sum.toVector<float>(), std::vector<float>(3, 3));
  EXPECT_TRUE(
      has(messageOf([&] { Device::open("cpu").borrowStream(others.handle()); }, Error::Kind::Usage),
          "on GPUs alone"));
}

TEST_F(CudaStreams, AreCaptured) {
  setCountedAdd();
  Device device = Device::open("cuda");
  Kernel add = file.load(addArtifact(code("add")));
  Array sum = ones(device), step = ones(device);
  OthersStream others;
  std::function<void()> graph;
  {
    Stream stream = device.borrowStream(others.handle());
    fake_cuda::beginCapture(others.handle());
    // The first launch of the kernel loads it, and thirty make the stream let go of what it kept.
    for (int i = 0; i < 30; ++i)
      add.launch(device, {1}, accumulate(sum, step), {.stream = stream});
    graph = fake_cuda::endCapture(others.handle());
  }
  ASSERT_TRUE(graph);
  others.finish();
  EXPECT_EQ(started, 0);
  graph();
  graph();
  EXPECT_EQ(started, 60);
  EXPECT_EQ(sum.toVector<float>(), std::vector<float>(3, 61));
}

TEST_F(CudaStreams, AreNotSpoiledByTheCaptureOfAnother) {
  Device device = Device::open("cuda");
  Kernel add = file.load(addArtifact(code("add")));
  Array sum = ones(device), step = ones(device);
  OthersStream others;
  Stream stream = device.stream();
  fake_cuda::beginCapture(others.handle());
  for (int i = 0; i < 100; ++i)
    add.launch(device, {1}, accumulate(sum, step), {.stream = stream});
  EXPECT_TRUE(fake_cuda::endCapture(others.handle()));
  stream.synchronize();
  EXPECT_EQ(sum.toVector<float>(), std::vector<float>(3, 101));
}

TEST_F(CudaStreams, LetGoOfArraysWhileAnotherIsCaptured) {
  Device device = Device::open("cuda");
  OthersStream others;
  Stream stream = device.stream();
  constexpr size_t atOnce = 16; // that a stream keeps before it looks what is done
  std::vector<float> values(3, 2);
  std::vector<Array> arrays;
  for (size_t i = 0; i < 2 * atOnce; ++i)
    arrays.push_back(ones(device));
  auto copyToFirst = [&] {
    for (size_t i = 0; i < atOnce; ++i)
      arrays[i].copyFrom(values.data(), stream);
  };
  copyToFirst();
  stream.record().wait();
  arrays.erase(arrays.begin(), arrays.begin() + atOnce); // the stream alone keeps them now
  std::optional<Array> own = ones(device);
  fake_cuda::beginCapture(others.handle());
  copyToFirst();
  own.reset();
  EXPECT_TRUE(fake_cuda::endCapture(others.handle()));
  EXPECT_EQ(fake_cuda::live().allocations, int(atOnce));
}

TEST_F(CudaStreams, KeepWhatWorkUsesWhereItCannotBeWaitedFor) {
  Device device = Device::open("cuda");
  Stream stream = device.stream();
  std::vector<float> values(3, 2);
  ones(device).copyFrom(values.data(), stream);
  fake_cuda::fail("cuStreamSynchronize", runtime::cuda::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_TRUE(
      has(messageOf([&] { stream.synchronize(); }), "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"));
  EXPECT_EQ(fake_cuda::live().allocations, 1);
  stream.synchronize();
  EXPECT_EQ(fake_cuda::live().allocations, 0);
}

TEST_F(CudaStreams, ThatAreCapturedCannotBeWaitedFor) {
  Device device = Device::open("cuda");
  OthersStream others;
  Stream stream = device.borrowStream(others.handle());
  fake_cuda::beginCapture(others.handle());
  EXPECT_TRUE(has(messageOf([&] { stream.synchronize(); }, Error::Kind::Environment),
                  "cuStreamSynchronize failed", "cannot be part of a graph"));
  EXPECT_FALSE(fake_cuda::endCapture(others.handle()));
}

TEST_F(CudaStreams, ReportFaultsWhenTheyAreWaitedFor) {
  unsigned ordinal = disposable();
  Device device = Device::open("cuda:" + std::to_string(ordinal));
  Kernel add = file.load(addArtifact(code("add")));
  Array sum = ones(device), step = ones(device);
  fake_cuda::setKernel(
      "add", {{}, 32, 0, 0, [](const auto &) { return int(runtime::cuda::CUDA_ERROR_ASSERT); }});
  Stream stream = device.stream();
  add.launch(device, {1}, accumulate(sum, step), {.stream = stream});
  Event event = stream.record();
  EXPECT_TRUE(has(messageOf([&] { stream.synchronize(); }),
                  "kernel 'add' (add.py) on a grid of (1, 1, 1) failed", "CUDA_ERROR_ASSERT"));
  EXPECT_TRUE(has(messageOf([&] { event.wait(); }), "cannot be used any more in this process"));
  EXPECT_TRUE(
      has(messageOf([&] { add.launch(device, {1}, accumulate(sum, step), {.stream = stream}); }),
          "cannot be used any more in this process"));
}

TEST_F(CudaStreams, RefuseImpossibleLaunchesInTheCall) {
  Device device = Device::open("cuda"), other = Device::open("cuda:1");
  Kernel add = file.load(addArtifact(code("add")));
  Array sum = ones(device), step = ones(device);
  Stream stream = device.stream();
  auto run = [&](Grid grid, const Stream &on) {
    return messageOf([&] { add.launch(device, grid, accumulate(sum, step), {.stream = on}); },
                     Error::Kind::Usage);
  };
  EXPECT_TRUE(has(run({1, 1 << 17}, stream), "65535"));
  EXPECT_TRUE(has(run({1}, other.stream()), "cannot run on a stream of another ('cuda:1')"));
  stream.synchronize(); // nothing has failed of it
  EXPECT_EQ(sum.toVector<float>(), std::vector<float>(3, 1));
}

// As of the cache: there the code for launches without boxes is an entry of its own.
TEST_F(CudaStreams, RefuseLaunchesOfWhichNoBoxesCanBeCopied) {
  Device device = Device::open("cuda");
  runtime::CudaCode boxed = code("add");
  using Sum = runtime::ParameterSum;
  boxed.boxes = {{DType::Float32, 0, Sum{}, {{Sum{{{64, {}}}}, Sum{{{1, {}}}}, 32}}, 0}};
  boxed.conditions = {{runtime::IntegerParameter{3, 4}, 8}}; // n, which is 3
  Kernel add = file.load(addArtifact(boxed));
  Array sum = ones(device), step = ones(device);
  Stream stream = device.stream();
  for (std::optional<Stream> on : {std::optional<Stream>(), std::optional(stream)})
    EXPECT_TRUE(
        has(messageOf([&] { add.launch(device, {1}, accumulate(sum, step), {.stream = on}); },
                      Error::Kind::Usage),
            "kernel 'add' (add.py) cannot be launched", "launch it from its source"));
}

TEST_F(CudaStreams, DescribeTheirGpu) {
  GpuInfo info = gpuInfo(3);
  EXPECT_EQ(info.name, "Fake H200");
  EXPECT_EQ(info.target, "sm_90a");
  EXPECT_EQ(info.smMajor * 10 + info.smMinor, 90u);
  EXPECT_EQ(info.multiprocessors, 132u);
  EXPECT_EQ(info.sharedPerBlock, 227u << 10);
  EXPECT_TRUE(has(messageOf([] { gpuInfo(32); }, Error::Kind::Usage), "no GPU 32; there are 32"));
}

} // namespace
} // namespace nereid::test
