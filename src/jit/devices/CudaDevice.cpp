// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/CacheKey.h"
#include "jit/CachedCompile.h"
#include "jit/devices/DeviceTable.h"
#include "jit/launch/Tuning.h"
#include "nereid/devices.h"
#include "runtime/cuda/AssemblyHelper.h"
#include "runtime/cuda/CudaKernel.h"
#include "runtime/cuda/DeviceMemory.h"
#include "runtime/cuda/DeviceStream.h"
#include "runtime/cuda/Pointer.h"

#include <algorithm>

namespace nereid::jit {
namespace {

namespace cuda = runtime::cuda;

class CudaDevice final : public OpenDevice {
public:
  CudaDevice(unsigned ordinal, const DeviceOptions &given)
      : stream(std::make_shared<cuda::Stream>(cuda::Context::open(ordinal))),
        name(properties().deviceName()), options{requireSm()}, cache(openDiskCache(given)) {
    options.checksAsserts = given.checksAsserts || checksAsserts();
    options.policy = policy();
  }

  unsigned threads() const override { return static_cast<unsigned>(properties().multiprocessors); }
  std::string targetName() const override {
    return "cuda sm_" + std::to_string(properties().sm()) + ", " + properties().name;
  }
  std::string_view memoryName() const override { return name; }

  std::shared_ptr<runtime::Memory> allocate(size_t bytes) override {
    return cuda::allocateDevice(stream, bytes);
  }
  std::shared_ptr<runtime::Memory> borrow(void *address, size_t bytes) override {
    return cuda::borrowDevice(stream, address, bytes);
  }

  std::unique_ptr<runtime::Stream> openStream(runtime::DefaultStream beside) override {
    return cuda::openDeviceStream(stream->sharedContext(), beside);
  }
  std::unique_ptr<runtime::Stream> borrowStream(void *handle) override {
    return cuda::borrowDeviceStream(stream->sharedContext(), static_cast<cuda::CUstream>(handle));
  }

  std::vector<uint8_t> assemble(std::string_view ptx) override {
    cuda::OutsideCapture outside(stream->context());
    return cuda::link(stream->context(), ptx, "PTX").cubin;
  }

  std::string whyUnusable(std::string_view memoryName,
                          const runtime::Memory &memory) const override {
    if (!memoryName.starts_with("cuda:"))
      return OpenDevice::whyUnusable(memoryName, memory);
    cuda::PointerInfo info = cuda::inspect(stream->context(), memory.data());
    // What any GPU may use, or ours lent to another device; what was freed is told elsewhere.
    if (info.kind != cuda::PointerInfo::Kind::Device || info.ordinal == properties().ordinal)
      return {};
    std::string why =
        cuda::whyNoAccess(stream->context(), info, reinterpret_cast<uint64_t>(memory.data()));
    return why.empty() ? "" : ": " + why + "; make it on that device, or copy it";
  }

  void keepRelevant(sema::Specialization &specialization) const override {
    specialization = driver::relevantPart(std::move(specialization), options);
  }

  std::unique_ptr<runtime::Executable> build(const driver::KernelRequest &request) override {
    return compileOrFetch(request, options, cache ? &*cache : nullptr,
                          [&](const runtime::Artifact &artifact, const KeepArtifact &keep) {
                            return loadCode(artifact, keep, plainOf(request), betterOf(request));
                          });
  }

  std::string whyNoClocks() const override { return {}; }
  std::unique_ptr<runtime::Executable> buildClocked(const driver::KernelRequest &request,
                                                    backend::Clocks clocks) override {
    return buildClocked(request, clocks, options);
  }

  std::unique_ptr<runtime::Executable> load(const runtime::Artifact &artifact) override {
    return loadCode(artifact, {}, {}, {});
  }

private:
  /// `keep` may be empty.
  std::unique_ptr<runtime::Executable> loadCode(const runtime::Artifact &artifact,
                                                const KeepArtifact &keep,
                                                cuda::CudaKernel::MakePlain makePlain,
                                                cuda::CudaKernel::MakeBetter makeBetter) {
    const auto *code = std::get_if<runtime::CudaCode>(&artifact.code);
    if (!code)
      throw Error(Error::Kind::Usage,
                  "kernel '" + artifact.kernel + "' was not compiled for an NVIDIA GPU");
    auto isSlot = [](const runtime::ArtifactParameter &parameter) {
      return std::holds_alternative<runtime::ScalarSlot>(parameter.value);
    };
    auto slots = std::count_if(artifact.parameters.begin(), artifact.parameters.end(), isSlot);
    if (static_cast<size_t>(slots) > cuda::CudaKernel::mostParameters)
      throw Error(Error::Kind::Usage, "kernel '" + artifact.kernel + "' has " +
                                          std::to_string(slots) +
                                          " run-time parameters; a GPU takes up to " +
                                          std::to_string(cuda::CudaKernel::mostParameters));
    cuda::OutsideCapture outside(stream->context());
    auto keepCode = [&](const runtime::CudaCode &complete) {
      runtime::Artifact kept = artifact;
      kept.code = complete;
      if (keep)
        keep(kept);
    };
    return std::make_unique<cuda::CudaKernel>(
        stream, *code, cuda::KernelLabel{artifact.kernel, artifact.source}, keepCode,
        std::move(makePlain), std::move(makeBetter));
  }

  /// Not kept anywhere: few kernels are profiled, and none for long.
  std::unique_ptr<runtime::Executable> buildClocked(driver::KernelRequest request,
                                                    backend::Clocks clocks,
                                                    backend::CompileOptions clocked) {
    clocked.clocks = clocks;
    Dump quiet;
    runtime::Artifact artifact = driver::compile(request, clocked, quiet);
    request.wantedConstants = nullptr;
    cuda::CudaKernel::MakePlain plain;
    if (clocked.usesBoxes)
      plain = [this, request, clocks, clocked] {
        return buildClocked(request, clocks, withoutBoxes(clocked));
      };
    auto better = [this, request, clocks](unsigned bytes) {
      return buildClocked(request, clocks, assuming(bytes));
    };
    return loadCode(artifact, {}, plain, better);
  }

  /// Code without boxes that takes for granted what `by` does.
  backend::CompileOptions withoutBoxes(backend::CompileOptions by) const {
    by.usesBoxes = false;
    return by;
  }
  /// Code for launches whose rows begin at multiples of so many bytes.
  backend::CompileOptions assuming(unsigned bytes) const {
    backend::CompileOptions better = options;
    better.policy.emplace_back("assumed_bytes", bytes);
    return better;
  }

  std::unique_ptr<runtime::Executable> build(const driver::KernelRequest &request,
                                             const backend::CompileOptions &with,
                                             const cuda::CudaKernel::MakePlain &plain) {
    return compileOrFetch(request, with, cache ? &*cache : nullptr,
                          [&](const runtime::Artifact &artifact, const KeepArtifact &keep) {
                            return loadCode(artifact, keep, plain, {});
                          });
  }

  /// For launches of whose arrays no boxes can be copied.
  cuda::CudaKernel::MakePlain plainOf(driver::KernelRequest request) {
    request.wantedConstants = nullptr; // the caller's, who may be gone
    return
        [this, request = std::move(request)] { return build(request, plainOptions(options), {}); };
  }

  /// For launches whose numbers are multiples of what the kernel wants.
  cuda::CudaKernel::MakeBetter betterOf(driver::KernelRequest request) {
    request.wantedConstants = nullptr;
    return [this, request = std::move(request)](unsigned bytes) {
      backend::CompileOptions better = assuming(bytes);
      return build(request, better,
                   [this, request, better] { return build(request, withoutBoxes(better), {}); });
    };
  }

  const cuda::DeviceProperties &properties() const { return stream->context().properties(); }

  target::NvidiaTarget requireSm() const {
    auto sm = static_cast<unsigned>(properties().sm());
    if (std::optional<target::NvidiaTarget> target = target::smFor(sm / 10, sm % 10))
      return *target;
    throw Error(Error::Kind::Environment, "there is no code for device '" + name + "', " +
                                              properties().name + " with sm_" + std::to_string(sm) +
                                              "; there is for sm_80 and later");
  }

  std::shared_ptr<cuda::Stream> stream;
  std::string name;
  backend::CompileOptions options;
  std::optional<runtime::DiskCache> cache;
};

} // namespace

std::string whyNoCuda() { return cuda::Driver::status().reason; }

/// What kernels of a GPU are measured by.
static std::string describeLimits(const cuda::DeviceProperties &device) {
  // Two transfers a clock, which is in kHz.
  double bytesPerSecond = 2e3 * device.memoryClock * device.memoryBusBits / 8;
  return std::to_string(device.clock / 1000) + " MHz, " +
         std::to_string(static_cast<int>(bytesPerSecond / 1e9)) + " GB/s, " +
         cuda::sizeText(static_cast<uint64_t>(device.l2)) + " of second-level cache, " +
         cuda::sizeText(static_cast<uint64_t>(device.sharedPerBlock)) +
         " of shared memory for a program";
}

std::vector<std::string> describeCudaDevices() {
  const cuda::Driver &driver = cuda::Driver::get();
  std::vector<std::string> texts;
  for (unsigned ordinal = 0; ordinal < driver.deviceCount(); ++ordinal) {
    cuda::DeviceProperties device = cuda::readProperties(driver, ordinal);
    texts.push_back(device.name + ", sm_" + std::to_string(device.sm()) + ", " +
                    std::to_string(device.multiprocessors) + " multiprocessors, " +
                    cuda::sizeText(device.memory) + ", driver for CUDA " +
                    cuda::versionText(driver.version()) + "; " + describeLimits(device));
  }
  return texts;
}

std::unique_ptr<OpenDevice> openCudaDevice(const DeviceOptions &options, unsigned number) {
  return std::make_unique<CudaDevice>(number, options);
}

} // namespace nereid::jit

int nereid::serveAssembly(unsigned gpu, int socket) {
  return runtime::cuda::serveAssembly(gpu, socket);
}
