// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gelu_of_driver ARTIFACT: a program that works with NVIDIA's driver alone, and launches a kernel
// that was compiled before on memory and a stream of its own. No compiler, no runtime of CUDA's.
#include <nereid/compile.h>
#include <nereid/nereid.h>

#include <cuda.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

/// Of how many elements a program takes care, as the artifact was compiled.
constexpr int64_t block = 1024;

void check(CUresult result, const char *what) {
  if (result == CUDA_SUCCESS)
    return;
  const char *text = nullptr;
  cuGetErrorString(result, &text);
  std::fprintf(stderr, "%s: %s\n", what, text ? text : "unknown error");
  std::exit(1);
}
#define CHECK(call) check(call, #call)

double gelu(double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }

double largestDifference(const std::vector<float> &x, const std::vector<float> &found) {
  double largest = 0;
  for (size_t i = 0; i < x.size(); ++i)
    largest = std::max(largest, std::abs(found[i] - gelu(x[i])));
  return largest;
}

} // namespace

int main(int count, char **arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: gelu_of_driver ARTIFACT\n");
    return 2;
  }
  // The GPU's primary context is the one that Nereid uses.
  CUdevice gpu;
  CUcontext context;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&gpu, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, gpu));
  CHECK(cuCtxPushCurrent(context));

  constexpr int64_t elements = 100'000;
  constexpr size_t bytes = elements * sizeof(float);
  std::vector<float> x(elements), found(elements);
  for (int64_t i = 0; i < elements; ++i)
    x[i] = static_cast<float>(i - elements / 2) / 10'000;
  CUdeviceptr input, output;
  CUstream stream;
  CHECK(cuMemAlloc(&input, bytes));
  CHECK(cuMemAlloc(&output, bytes));
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuMemcpyHtoDAsync(input, x.data(), bytes, stream));

  try {
    nereid::Device device = nereid::Device::open("cuda:0");
    nereid::Kernel kernel = nereid::Artifact::load(arguments[1]).kernel();
    auto arrayAt = [&](CUdeviceptr address) {
      return device.borrow(reinterpret_cast<void *>(address), nereid::DType::Float32, {elements});
    };
    nereid::Launch launch =
        kernel.prepare(device, {{"x", arrayAt(input)}, {"out", arrayAt(output)}, {"n", elements}});
    // In the order of the stream, as the copies are: nothing waits before the end.
    launch.run({nereid::cdiv(elements, block)}, {.stream = device.borrowStream(stream)});
    CHECK(cuMemcpyDtoHAsync(found.data(), output, bytes, stream));
    CHECK(cuStreamSynchronize(stream));
  } catch (const nereid::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }

  CHECK(cuStreamDestroy(stream));
  CHECK(cuMemFree(output));
  CHECK(cuMemFree(input));
  CHECK(cuDevicePrimaryCtxRelease(gpu));
  double difference = largestDifference(x, found);
  std::printf("gelu of %lld elements: largest difference %.1e\n", static_cast<long long>(elements),
              difference);
  return difference < 1e-5 ? 0 : 1;
}
