// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch on a GPU costs a user's program: prepared, and by name, beside the driver's
// cuLaunchKernel called bare. Needs the library and a driver.
#include "EmptyKernel.h"
#include "Timing.h"

#include "nereid/nereid.h"

#include <cstdint>
#include <cstdio>
#include <dlfcn.h>

namespace nereid::bench {
namespace {

constexpr const char *source = R"(import triton
import triton.language as tl

@triton.jit
def nothing(a, b, c, d, n):
    if n < 0:
        tl.store(a, tl.load(b) + tl.load(c) + tl.load(d))
)";

/// The driver's own launch, in the context that all of a process share.
class Bare {
public:
  Bare() {
    call("cuInit", 0u);
    int device = 0;
    void *context = nullptr, *module = nullptr;
    call("cuDeviceGet", &device, 0);
    call("cuDevicePrimaryCtxRetain", &context, device);
    call("cuCtxSetCurrent", context);
    call("cuModuleLoadData", &module, emptyKernel);
    call("cuModuleGetFunction", &function, module, "empty");
    call("cuStreamCreate", &stream, /*nonblocking*/ 1u);
    launchKernel = reinterpret_cast<LaunchKernel *>(find("cuLaunchKernel"));
    for (int i = 0; i < 5; ++i)
      parameters[i] = &values[i];
  }

  void launch() { launchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, parameters, nullptr); }
  void synchronize() { call("cuStreamSynchronize", stream); }

private:
  using LaunchKernel = int(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                           unsigned, void *, void **, void **);

  void *find(const char *name) {
    void *address = dlsym(library, name);
    if (!address)
      throw Error(Error::Kind::Environment, std::string("no ") + name);
    return address;
  }
  template <typename... Types> void call(const char *name, Types... arguments) {
    if (int result = reinterpret_cast<int (*)(Types...)>(find(name))(arguments...))
      throw Error(Error::Kind::Environment, std::string(name) + ": " + std::to_string(result));
  }

  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  void *function = nullptr, *stream = nullptr;
  LaunchKernel *launchKernel = nullptr;
  uint64_t values[5] = {};
  void *parameters[5];
};

/// Microseconds of the host for one of a number that fits the driver's queue; waiting is not
/// counted.
double hostCost(const std::function<void()> &launch, const std::function<void()> &synchronize) {
  constexpr int launches = 200;
  synchronize();
  return 1e6 / launches * seconds([&] {
           for (int i = 0; i < launches; ++i)
             launch();
         });
}

bool measure() {
  constexpr int rounds = 200;
  Device device = Device::open("cuda");
  Stream stream = device.stream();
  Module module = Module::fromText(source, "launch.py");
  Kernel kernel = module.kernel("nothing");
  Array array = device.zeros(DType::Float32, {64});
  Arguments arguments{{"a", array}, {"b", array}, {"c", array}, {"d", array}, {"n", 64}};
  Launch prepared = kernel.prepare(device, arguments);
  LaunchOptions options;
  options.stream = stream;
  Bare bare;
  auto wait = [&] { stream.synchronize(); };
  std::vector<double> ofBare, ofPrepared, byName;
  for (int round = 0; round < rounds; ++round) {
    ofBare.push_back(hostCost([&] { bare.launch(); }, [&] { bare.synchronize(); }));
    ofPrepared.push_back(hostCost([&] { prepared.run({1}, options); }, wait));
    byName.push_back(hostCost([&] { kernel.launch(device, Grid{1}, arguments, options); }, wait));
  }
  wait();
  bool isGood = true;
  auto show = [&](const char *what, const std::vector<double> &costs, double most) {
    double ratio = median(costs) / median(ofBare);
    isGood &= ratio <= most;
    std::printf("%-10s %.3f us, of cuLaunchKernel alone %.3f (at most %.1f)  %s\n", what,
                median(costs), ratio, most, ratio <= most ? "ok" : "MISS");
  };
  std::printf("the host's part of a launch of 5 arguments; cuLaunchKernel alone: %.3f us\n",
              median(ofBare));
  show("prepared", ofPrepared, 1.1);
  show("by name", byName, 1.5);
  return isGood;
}

} // namespace
} // namespace nereid::bench

int main() {
  try {
    return nereid::bench::measure() ? 0 : 1;
  } catch (const nereid::Error &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
