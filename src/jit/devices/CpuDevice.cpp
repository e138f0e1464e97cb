// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/CacheKey.h"
#include "jit/CachedCompile.h"
#include "jit/devices/CpuChoice.h"
#include "jit/devices/HostDevice.h"
#include "jit/launch/Tuning.h"
#include "runtime/cpu/CpuKernel.h"
#include "runtime/cpu/ThreadPool.h"

namespace nereid::jit {
namespace {

class CpuDevice final : public HostDevice {
public:
  CpuDevice(const DeviceOptions &given, target::CpuTarget target)
      : pool(given.threads), options{std::move(target)}, cache(openDiskCache(given)) {
    options.checksAsserts = given.checksAsserts || checksAsserts();
  }

  unsigned threads() const override { return pool.threads(); }
  std::string targetName() const override {
    return "cpu " + std::get<target::CpuTarget>(options.target).cpu + ", " +
           std::to_string(threads()) + " threads";
  }

  std::string whyNoClocks() const override {
    return "the compiler joins lines in one loop there, in which a clock would be most of what is "
           "measured: where threads stand is sampled";
  }
  bool samplesLines() const override { return true; }
  /// Not kept anywhere: few kernels are profiled, and none for long.
  std::unique_ptr<runtime::Executable> buildSampled(const driver::KernelRequest &request) override {
    backend::CompileOptions sampled = options;
    sampled.keepsLines = true;
    Dump quiet;
    return loadCode(driver::compile(request, sampled, quiet));
  }

  void keepRelevant(sema::Specialization &specialization) const override {
    specialization = driver::relevantPart(std::move(specialization), options);
  }

  std::unique_ptr<runtime::Executable> build(const driver::KernelRequest &request) override {
    return compileOrFetch(request, options, cache ? &*cache : nullptr,
                          [&](const runtime::Artifact &artifact, const KeepArtifact &) {
                            return loadCode(artifact);
                          });
  }

  std::unique_ptr<runtime::Executable> load(const runtime::Artifact &artifact) override {
    const auto *code = std::get_if<runtime::CpuCode>(&artifact.code);
    if (!code)
      throw Error(Error::Kind::Usage,
                  "kernel '" + artifact.kernel + "' was not compiled for a cpu");
    requireRunnable(code->cpu, code->features);
    try {
      return loadCode(artifact);
    } catch (const runtime::ArtifactError &error) {
      throw Error(Error::Kind::Environment, "kernel '" + artifact.kernel + "' " + error.what());
    }
  }

private:
  std::unique_ptr<runtime::Executable> loadCode(const runtime::Artifact &artifact) {
    return std::make_unique<runtime::cpu::CpuKernel>(std::get<runtime::CpuCode>(artifact.code),
                                                     artifact.kernel, pool);
  }

  runtime::cpu::ThreadPool pool;
  backend::CompileOptions options;
  std::optional<runtime::DiskCache> cache;
};

} // namespace

std::unique_ptr<OpenDevice> openCpuDevice(const DeviceOptions &options, unsigned) {
  target::CpuTarget target = chooseCpu(options.cpu);
  requireRunnable(target.cpu, target.features);
  return std::make_unique<CpuDevice>(options, std::move(target));
}

} // namespace nereid::jit
