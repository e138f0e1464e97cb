// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU through the public interface.
#include "../EnvironmentVariable.h"
#include "CompiledAdd.h"
#include "FakeDevice.h"
#include "nereid/compile.h"
#include "nereid/devices.h"
#include "runtime/DiskCache.h"

#include <algorithm>
#include <functional>
#include <memory>

namespace nereid::test {
namespace {

class CudaDevices : public FakeDevice {
protected:
  CudaDevices() { setAdd(); }

  static runtime::Artifact addArtifact() { return test::addArtifact(code("add")); }
  Kernel load(const runtime::Artifact &artifact) { return file.load(artifact); }
  ArtifactFile file;
};

TEST_F(CudaDevices, AreOpenedByName) {
  Device first = Device::open("cuda"), same = Device::open("cuda:0"),
         second = Device::open("cuda:1");
  EXPECT_EQ(first.name(), "cuda:0");
  EXPECT_EQ(same.name(), "cuda:0");
  EXPECT_EQ(second.name(), "cuda:1");
  EXPECT_EQ(first.threads(), 132u);
  for (const char *name : {"cuda:32", "cuda:", "cuda:x", "cuda:-1", "cuda:0x"})
    EXPECT_TRUE(has(messageOf([&] { Device::open(name); }, Error::Kind::Usage),
                    "no device '" + std::string(name) + "'; there are: cuda:0 to cuda:31"));
  EXPECT_TRUE(
      has(messageOf([] { Device::open("cud"); }, Error::Kind::Usage), "did you mean 'cuda'"));
}

TEST_F(CudaDevices, HoldArrays) {
  Device device = Device::open("cuda:1");
  std::vector<float> values = {1, 2, 3, 4, 5, 6};
  Array array = device.array(values, {2, 3});
  EXPECT_EQ(array.toVector<float>(), values);
  EXPECT_EQ(array.toDoubles(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(device.zeros(DType::Float64, {3}).toVector<double>(), std::vector<double>(3));
  EXPECT_EQ(device.zeros(DType::Float32, {0}).toVector<float>(), std::vector<float>());
  Array transposed = device.borrow(array.data(), DType::Float32, {3, 2}, {1, 3});
  EXPECT_EQ(transposed.toDoubles(), (std::vector<double>{1, 4, 2, 5, 3, 6}));
  values[4] = 50;
  array.copyFrom(values.data());
  std::vector<float> back(6);
  array.copyTo(back.data());
  EXPECT_EQ(back, values);
  EXPECT_EQ(device.arrayFromDoubles(DType::Float16, std::vector<double>{0.5}).toDoubles()[0], 0.5);
}

TEST_F(CudaDevices, RunCompiledKernels) {
  Device device = Device::open("cuda");
  std::vector<float> x = {1, 2, 3}, y = {10, 20, 30};
  Array out = device.zeros(DType::Float32, {3});
  load(addArtifact())
      .launch(
          device, {1},
          {{"x", device.array(x)}, {"y", device.array(y)}, {"out", out}, {"n", 3}, {"factor", -2}});
  EXPECT_EQ(out.toVector<float>(), (std::vector<float>{-19, -38, -57}));
}

// The copy engine wants rows at multiples of 16 bytes.
TEST_F(CudaDevices, HoldDescriptorsToWhatTheyWereCompiledFor) {
  Device device = Device::open("cuda");
  Module module = Module::fromText("import triton.language as tl\n"
                                   "@triton.jit\n"
                                   "def copy(x, y):\n"
                                   "    y.store([0, 0], x.load([0, 0]))\n");
  Artifact artifact =
      compile(module.kernel(), parseSignature("x=tensordesc<f32[4,8]>:16,y=tensordesc<f32[4,8]>"),
              {.target = "sm_90a"});
  Array x = device.zeros(DType::Float32, {4, 9}), y = device.zeros(DType::Float32, {4, 9});
  EXPECT_TRUE(has(messageOf(
                      [&] {
                        artifact.kernel().launch(device, {1},
                                                 {{"x", TensorDescriptor{x, {4, 8}}},
                                                  {"y", TensorDescriptor{y, {4, 8}}}});
                      },
                      Error::Kind::Usage),
                  "kernel 'copy' was compiled for 'x' with strides of multiples of 16 bytes"));
}

TEST_F(CudaDevices, TakeTheirOwnArraysOnly) {
  Device device = Device::open("cuda:0"), other = Device::open("cuda:1"),
         host = Device::open("cpu");
  Kernel kernel = load(addArtifact());
  auto launch = [&](const Array &odd, const Device &on) {
    Array own = on.zeros(DType::Float32, {3});
    return messageOf(
        [&] {
          kernel.launch(on, {1}, {{"x", own}, {"y", odd}, {"out", own}, {"n", 3}, {"factor", 1}});
        },
        Error::Kind::Usage);
  };
  EXPECT_TRUE(has(launch(other.zeros(DType::Float32, {3}), host),
                  "argument 'y' lies in cuda:1 memory, which device 'cpu' cannot use; make it on "
                  "that device"));
  EXPECT_TRUE(has(launch(host.zeros(DType::Float32, {3}), device),
                  "argument 'y' lies in host memory", "make it on that device"));
  EXPECT_TRUE(has(launch(device.zeros(DType::Float32, {3}), host),
                  "argument 'y' lies in cuda:0 memory, which device 'cpu' cannot use"));
  auto owner =
      std::make_unique<Array>(device.zeros(DType::Float32, {1 << 20})); // a place of its own
  Array borrowed = device.borrow(owner->data(), DType::Float32, {3});
  owner.reset();
  EXPECT_TRUE(has(launch(borrowed, device), "argument 'y' cannot be used: 0x", "it was freed"));
  int mine = 0;
  EXPECT_TRUE(has(messageOf([&] { device.borrow(&mine, DType::Int32, {1}); }, Error::Kind::Usage),
                  "cannot borrow memory", "the host's own"));
}

TEST_F(CudaDevices, SayWhatTheyCannotRun) {
  Device device = Device::open("cuda"), host = Device::open("cpu");
  runtime::Artifact artifact = addArtifact();
  auto prepare = [&](const Device &on, Error::Kind kind) {
    Array array = on.zeros(DType::Float32, {3});
    return messageOf(
        [&] {
          load(artifact).prepare(
              on, {{"x", array}, {"y", array}, {"out", array}, {"n", 3}, {"factor", 1}});
        },
        kind);
  };
  EXPECT_TRUE(has(prepare(host, Error::Kind::Usage), "was not compiled for a cpu"));
  artifact.code = runtime::NoCode();
  EXPECT_TRUE(has(prepare(device, Error::Kind::Usage), "was not compiled for an NVIDIA GPU"));
  artifact = addArtifact();
  std::get<runtime::CudaCode>(artifact.code).sharedBytes = 300000;
  EXPECT_TRUE(
      has(prepare(device, Error::Kind::Environment), "needs 300000 bytes of shared memory"));
}

TEST_F(CudaDevices, CompileKernelsFromTheirSource) {
  static unsigned blocks, threads;
  blocks = threads = 0;
  auto run = [](const fake_cuda::KernelRun &launched) {
    blocks = launched.grid[0];
    threads = launched.threads;
    static_cast<int32_t *>(fake_cuda::hostAddress(launched.value<uint64_t>(0)))[0] =
        launched.value<int32_t>(1);
    return 0;
  };
  fake_cuda::setKernel("kernel_put", {{8, 4}, 32, 0, 0, run});
  Device device = Device::open("cuda");
  Array out = device.zeros(DType::Int32, {4});
  Kernel put = Module::fromText("import triton\nimport triton.language as tl\n@triton.jit\n"
                                "def put(out, n, BLOCK: tl.constexpr):\n"
                                "    i = tl.arange(0, BLOCK)\n    tl.store(out + i, n + i)\n")
                   .kernel("put");
  Arguments arguments = {{"out", out}, {"n", 41}, {"BLOCK", 1024}};
  put.launch(device, {3}, arguments);
  EXPECT_EQ(out.toVector<int32_t>()[0], 41); // the fake runs what we told it to
  EXPECT_EQ(blocks, 3u);
  EXPECT_EQ(threads, 128u);
  // As many warps as the launch says; another number is another kernel.
  put.launch(device, {3}, arguments, {.tuning = {.warps = 2}});
  EXPECT_EQ(threads, 64u);
  put.prepare(device, arguments, {.warps = 8}).run({3});
  EXPECT_EQ(threads, 256u);
  put.launch(device, {3}, arguments);
  EXPECT_EQ(threads, 128u);
  auto refusal = [&](Tuning tuning, Error::Kind kind) {
    return messageOf([&] { put.prepare(device, arguments, tuning); }, kind);
  };
  EXPECT_TRUE(has(refusal({.warps = 3}, Error::Kind::Usage),
                  "3 warps: a power of two from 1 to 32 is accepted"));
  EXPECT_TRUE(has(refusal({.warps = 64}, Error::Kind::Environment),
                  "64 warps needs blocks of 2048 threads; a GPU has 1024 at most"));
}

// A choice that is set while a device is open, with kernels in use, is one for who opens it anew:
// benchmarks/gpu_figures/ablation.py launches both codes in turns.
TEST_F(CudaDevices, CompileForTheChoicesThatAreSetWhenTheyAreOpened) {
  static unsigned threads;
  auto run = [](const fake_cuda::KernelRun &launched) {
    threads = launched.threads;
    return 0;
  };
  fake_cuda::setKernel("kernel_put", {{8, 4}, 32, 0, 0, run});
  TemporaryDirectory texts; // of the driver's: one that it has seen is not assembled again
  Variable place("CUDA_CACHE_PATH", texts.path("."));
  Kernel put = Module::fromText("import triton\nimport triton.language as tl\n@triton.jit\n"
                                "def put(out, n, BLOCK: tl.constexpr):\n"
                                "    i = tl.arange(0, BLOCK)\n    tl.store(out + i, n + i)\n")
                   .kernel("put");
  auto launch = [&](const Device &device) {
    threads = 0;
    fake_cuda::takeCalls();
    put.launch(device, {1},
               {{"out", device.zeros(DType::Int32, {1024})}, {"n", 41}, {"BLOCK", 1024}});
    std::vector<std::string> calls = fake_cuda::takeCalls();
    return std::ranges::count(calls, fake_cuda::assembly);
  };
  Device usual = Device::open("cuda");
  EXPECT_EQ(launch(usual), 1);
  EXPECT_EQ(threads, 128u);
  std::optional<Device> other;
  {
    Variable policy("NEREID_POLICY", "elements_of_thread=16");
    other = Device::open("cuda");
    EXPECT_EQ(launch(*other), 1); // another text
    EXPECT_EQ(threads, 64u);
    EXPECT_EQ(launch(Device::open("cuda")), 0); // the same device
  }
  EXPECT_EQ(launch(usual), 0);
  EXPECT_EQ(threads, 128u);
  EXPECT_EQ(launch(*other), 0);
  EXPECT_EQ(threads, 64u);
  EXPECT_EQ(launch(Device::open("cuda")), 0);
  EXPECT_EQ(threads, 128u);
}

TEST_F(CudaDevices, SayWhatAKernelTakes) {
  fake_cuda::setKernel("kernel_put", {{8}, 40, 1024, 16, [](const auto &) { return 0; }});
  Device device = Device::open("cuda");
  Kernel put = Module::fromText("import triton\nimport triton.language as tl\n@triton.jit\n"
                                "def put(out):\n    tl.store(out, 1)\n")
                   .kernel("put");
  Arguments arguments = {{"out", device.zeros(DType::Int32, {1})}};
  std::optional<KernelResources> found = put.prepare(device, arguments, {.warps = 4}).resources();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->threads, 128u);
  EXPECT_EQ(found->registers, 40u);
  EXPECT_EQ(found->localBytes, 16u);
  EXPECT_EQ(found->sharedBytes, 1024u);
  EXPECT_EQ(found->programsPerMultiprocessor, 12u); // 65536 registers, 5120 a program
  EXPECT_DOUBLE_EQ(found->occupancy, 12 * 128 / 2048.0);
  Device host = Device::open("cpu");
  EXPECT_FALSE(put.prepare(host, {{"out", host.zeros(DType::Int32, {1})}}).resources());
}

TEST_F(CudaDevices, TakeALimitOfRegisters) {
  fake_cuda::setKernel("kernel_put", {{8}, 32, 0, 0, [](const auto &) { return 0; }});
  Device device = Device::open("cuda");
  Kernel put = Module::fromText("import triton\nimport triton.language as tl\n@triton.jit\n"
                                "def put(out):\n    tl.store(out, 1)\n")
                   .kernel("put");
  Arguments arguments = {{"out", device.zeros(DType::Int32, {1})}};
  auto assemblies = [&](const Tuning &tuning) {
    fake_cuda::takeCalls();
    put.launch(device, {1}, arguments, {.tuning = tuning});
    std::vector<std::string> calls = fake_cuda::takeCalls();
    return std::ranges::count(calls, fake_cuda::assembly);
  };
  EXPECT_EQ(assemblies({}), 1);
  EXPECT_EQ(assemblies({.maxRegisters = 64}), 1); // another kernel
  EXPECT_EQ(assemblies({.maxRegisters = 64}), 0);
  EXPECT_EQ(assemblies({.maxRegisters = 255}), 1);
  for (unsigned all : {256u, 1024u}) // a thread has no more
    EXPECT_EQ(assemblies({.maxRegisters = all}), 0);
  for (unsigned most : {1u, 15u})
    EXPECT_TRUE(has(messageOf([&] { assemblies({.maxRegisters = most}); }, Error::Kind::Usage),
                    std::to_string(most) + " registers of a thread: 16 and more are accepted"));
}

TEST_F(CudaDevices, KeepWhatTheDriverTookForTheNextProcess) {
  fake_cuda::setKernel("kernel_put", {{8}, 32, 0, 0, [](const auto &) { return 0; }});
  TemporaryDirectory kept;
  setenv("NEREID_CACHE", "on", 1);
  setenv("NEREID_CACHE_DIR", kept.path("kernels").c_str(), 1);
  // Opens the device anew, as another process would, and gives the calls of the driver.
  auto launch = [] {
    Device device = Device::open("cuda");
    Kernel put = Module::fromText("import triton\nimport triton.language as tl\n@triton.jit\n"
                                  "def put(out):\n    tl.store(out, 1)\n")
                     .kernel("put");
    Array out = device.zeros(DType::Int32, {1});
    fake_cuda::takeCalls();
    put.launch(device, {1}, {{"out", out}});
    return fake_cuda::takeCalls();
  };
  setenv("CUDA_CACHE_PATH", kept.path(".").c_str(), 1);
  auto assemblies = [&] {
    std::vector<std::string> calls = launch();
    return std::ranges::count(calls, fake_cuda::assembly);
  };
  runtime::DiskCache cache({kept.path("kernels")});
  auto change = [&](const std::function<void(runtime::CudaCode &)> &edit) {
    std::string key = cache.entries().at(0).key;
    runtime::Artifact artifact = runtime::deserialize(*cache.find(key));
    edit(std::get<runtime::CudaCode>(artifact.code));
    cache.store(key, runtime::serialize(artifact));
  };
  auto code = [&] {
    runtime::Artifact artifact = runtime::deserialize(*cache.find(cache.entries().at(0).key));
    return std::get<runtime::CudaCode>(artifact.code);
  };
  EXPECT_EQ(assemblies(), 1);
  const runtime::CudaCode first = code();
  EXPECT_EQ(first.limit, (runtime::CudaCode::RegisterLimit{0, 90, 12080}));
  EXPECT_EQ(assemblies(), 0);
  // After an update of the driver, and on another GPU, it is looked for anew.
  change([](runtime::CudaCode &code) { code.limit.driver = 12040; });
  EXPECT_EQ(assemblies(), 0); // this text has been made already
  EXPECT_EQ(code(), first);
  change([](runtime::CudaCode &code) { code.limit.sm = 80; });
  EXPECT_EQ(assemblies(), 0);
  EXPECT_EQ(code(), first);
  EXPECT_EQ(cache.entries().size(), 1u);
  // The kernel that is fetched was compiled once: the text of the first one is still there.
  change([](runtime::CudaCode &code) { code.threads = 96; });
  static unsigned threads;
  fake_cuda::setKernel("kernel_put", {{8}, 32, 0, 0, [](const fake_cuda::KernelRun &run) {
                                        threads = run.threads;
                                        return 0;
                                      }});
  EXPECT_EQ(assemblies(), 0);
  EXPECT_EQ(threads, 96u);
  unsetenv("CUDA_CACHE_PATH");
  setenv("NEREID_CACHE", "off", 1);
  unsetenv("NEREID_CACHE_DIR");
}

TEST_F(CudaDevices, AreFoundByTheirMemory) {
  int mine = 0;
  EXPECT_EQ(gpuOf(&mine), std::nullopt);
  const unsigned number = disposable();
  Device device = Device::open("cuda:" + std::to_string(number));
  Array array = ones(device);
  fake_cuda::takeCalls();
  EXPECT_EQ(gpuOf(array.data()), number);
  std::vector<std::string> calls = fake_cuda::takeCalls();
  EXPECT_EQ(std::ranges::count(calls, "cuDevicePrimaryCtxRetain"), 0); // another GPU's
  // One that is asked first, and turns out to be lost.
  Device lost = Device::open("cuda:" + std::to_string(disposable()));
  fake_cuda::fail("cuPointerGetAttributes", runtime::cuda::CUDA_ERROR_ASSERT);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(gpuOf(array.data()), number);
  EXPECT_TRUE(has(messageOf([&] { ones(lost); }), "cannot be used any more in this process"));
}

TEST_F(CudaDevices, LoseOneAndKeepTheOther) {
  Device device = Device::open("cuda:" + std::to_string(disposable()));
  Device other = Device::open("cuda:1");
  Kernel kernel = load(addArtifact());
  auto launch = [&](const Device &on) {
    Array array = on.zeros(DType::Float32, {3});
    kernel.launch(on, {5}, {{"x", array}, {"y", array}, {"out", array}, {"n", 3}, {"factor", 1}});
    return array;
  };
  Array before = device.zeros(DType::Float32, {3});
  fake_cuda::setKernel(
      "add", {{}, 32, 0, 0, [](const auto &) { return int(runtime::cuda::CUDA_ERROR_ASSERT); }});
  EXPECT_TRUE(has(messageOf([&] { launch(device); }),
                  "kernel 'add' (add.py) on a grid of (5, 1, 1) failed", "CUDA_ERROR_ASSERT"));
  EXPECT_TRUE(
      has(messageOf([&] { before.toDoubles(); }), "cannot be used any more in this process"));
  setAdd();
  EXPECT_EQ(launch(other).toDoubles(), std::vector<double>(3));
}

} // namespace
} // namespace nereid::test
