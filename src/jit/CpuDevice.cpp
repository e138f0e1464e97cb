// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/CpuBackend.h"
#include "jit/CpuChoice.h"
#include "jit/HostDevice.h"
#include "runtime/cpu/ThreadPool.h"

namespace nereid::jit {
namespace {

class CpuDevice final : public HostDevice {
public:
  CpuDevice(unsigned threads, target::CpuTarget target)
      : pool(threads), backend(backend::createCpuBackend(pool, std::move(target))) {}

  unsigned threads() const override { return pool.threads(); }

  std::unique_ptr<runtime::Executable>
  compile(driver::TileKernel kernel, std::shared_ptr<const driver::SourceModule>) override {
    driver::Dump quiet;
    driver::optimizeTile(kernel, quiet);
    return backend->compile(std::move(kernel), quiet);
  }

private:
  runtime::cpu::ThreadPool pool;
  std::unique_ptr<backend::Backend> backend;
};

} // namespace

std::unique_ptr<OpenDevice> openCpuDevice(const DeviceOptions &options) {
  target::CpuTarget target = chooseCpu(options.cpu);
  requireRunnable(target);
  return std::make_unique<CpuDevice>(options.threads, std::move(target));
}

} // namespace nereid::jit
