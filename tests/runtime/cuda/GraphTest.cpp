// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that is recorded and launched as a whole.
#include "nereid/graph.h"
#include "CompiledAdd.h"
#include "FakeDevice.h"

#include <optional>
#include <stdexcept>

namespace nereid::test {
namespace {

class CudaGraphs : public FakeDevice {
protected:
  CudaGraphs() {
    setAdd();
    add = file.load(addArtifact(code("add")));
  }

  /// Behind work of the host that has failed.
  static Event failedEvent() {
    Device host = Device::open("cpu");
    Stream stream = host.stream();
    Module::fromText("import triton\nimport triton.language as tl\n@triton.jit\n"
                     "def says():\n    tl.device_print('here', tl.program_id(0))\n")
        .kernel()
        .launch(host, {1}, {},
                {.print = [](std::string_view) { throw std::runtime_error("enough"); },
                 .stream = stream});
    return stream.record();
  }

  ArtifactFile file;
  std::optional<Kernel> add;
};

TEST_F(CudaGraphs, RunAsOftenAsTheyAreLaunched) {
  Device device = Device::open("cuda");
  Array sum = ones(device), step = ones(device);
  Stream stream = device.stream(), other = device.stream();
  Graph graph = Graph::record(stream, [&] {
    add->launch(device, {1}, accumulate(sum, step, 2), {.stream = stream}); // loads it, too
    add->launch(device, {1}, accumulate(sum, step, 3), {.stream = stream});
  });
  stream.synchronize();
  EXPECT_EQ(sum.toVector<float>(), std::vector<float>(3, 1)); // nothing ran
  graph.launch(stream);
  graph.launch(stream);
  stream.synchronize();
  EXPECT_EQ(sum.toVector<float>(), std::vector<float>(3, 11));
  graph.launch(other);
  other.synchronize();
  EXPECT_EQ(sum.toVector<float>(), std::vector<float>(3, 16));
}

TEST_F(CudaGraphs, KeepWhatTheyUse) {
  Device device = Device::open("cuda");
  Array sum = ones(device);
  Stream stream = device.stream();
  std::optional<Graph> graph;
  {
    Array step = ones(device);
    graph = Graph::record(stream, [&] {
      for (int i = 0; i < 30; ++i) // more than a stream keeps before it looks what is done
        add->launch(device, {1}, accumulate(sum, step), {.stream = stream});
    });
  }
  graph->launch(stream);
  graph.reset();
  stream.synchronize();
  EXPECT_EQ(sum.toVector<float>(), std::vector<float>(3, 31));
}

TEST_F(CudaGraphs, EndWithWhatTheWorkThrows) {
  Device device = Device::open("cuda");
  Array sum = ones(device), step = ones(device);
  Stream stream = device.stream();
  auto failing = [&] {
    add->launch(device, {1}, accumulate(sum, step), {.stream = stream});
    throw std::runtime_error("enough");
  };
  EXPECT_THROW(Graph::record(stream, failing), std::runtime_error);
  add->launch(device, {1}, accumulate(sum, step), {.stream = stream});
  stream.synchronize();
  EXPECT_EQ(sum.toVector<float>(), std::vector<float>(3, 2));
}

TEST_F(CudaGraphs, EndWithAFaultThatIsNoticedMeanwhile) {
  Device device = Device::open("cuda:" + std::to_string(disposable()));
  Array sum = ones(device), step = ones(device);
  Stream stream = device.stream();
  auto failing = [&] {
    fake_cuda::fail("cuLaunchKernel", runtime::cuda::CUDA_ERROR_ILLEGAL_ADDRESS);
    add->launch(device, {1}, accumulate(sum, step), {.stream = stream});
  };
  EXPECT_TRUE(has(messageOf([&] { Graph::record(stream, failing); }), "CUDA_ERROR_ILLEGAL_ADDRESS",
                  "this process has lost"));
}

// A stream that has failed skips its work: the graph would lack it.
TEST_F(CudaGraphs, AreNotMadeByStreamsThatHaveFailed) {
  Device device = Device::open("cuda");
  Array sum = ones(device), step = ones(device);
  Stream stream = device.stream();
  auto launch = [&] { add->launch(device, {1}, accumulate(sum, step), {.stream = stream}); };
  auto messageOfRecording = [&](const std::function<void()> &work) {
    return messageOf([&] { Graph::record(stream, work); }, Error::Kind::Usage);
  };
  stream.wait(failedEvent());
  bool isCalled = false;
  EXPECT_TRUE(has(messageOfRecording([&] { isCalled = true; }), "the print sink threw: enough",
                  "kernel 'says'"));
  EXPECT_FALSE(isCalled);
  EXPECT_THROW(stream.synchronize(), Error); // which tells it as well
  auto failsMeanwhile = [&] {
    launch();
    stream.wait(failedEvent());
    launch();
  };
  EXPECT_TRUE(has(messageOfRecording(failsMeanwhile), "the print sink threw: enough"));
  EXPECT_THROW(stream.synchronize(), Error);
  Graph graph = Graph::record(stream, launch);
  graph.launch(stream);
  stream.synchronize();
  EXPECT_EQ(sum.toVector<float>(), std::vector<float>(3, 2));
}

TEST_F(CudaGraphs, RefuseWhatTheyCannotHold) {
  Device device = Device::open("cuda"), other = Device::open("cuda:1"), cpu = Device::open("cpu");
  Array sum = ones(device), step = ones(device);
  Stream stream = device.stream();
  constexpr auto usage = Error::Kind::Usage;
  EXPECT_TRUE(
      has(messageOf([&] { Graph::record(cpu.stream(), [] {}); }, usage), "device 'cpu' has no"));
  EXPECT_TRUE(has(messageOf([&] { Graph::record(stream, [&] { stream.synchronize(); }); }),
                  "cannot be part of a graph"));
  auto twice = [&] { Graph::record(stream, [&] { Graph::record(stream, [] {}); }); };
  EXPECT_TRUE(has(messageOf(twice, usage), "recorded already"));
  Graph graph = Graph::record(
      stream, [&] { add->launch(device, {1}, accumulate(sum, step), {.stream = stream}); });
  EXPECT_TRUE(has(messageOf([&] { graph.launch(other.stream()); }, usage),
                  "a graph of device 'cuda:0' cannot run on a stream of 'cuda:1'"));
}

} // namespace
} // namespace nereid::test
