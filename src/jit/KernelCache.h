// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/Executable.h"

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace nereid::detail {
struct DeviceState;
}

namespace nereid::jit {

struct CompiledKernel {
  /// Declared first, so that it goes last: the code runs on its threads.
  std::shared_ptr<detail::DeviceState> device;
  std::unique_ptr<runtime::Executable> executable;
  double compileMilliseconds = 0;
};

/// Compiled kernels by key. Each is compiled once: who asks for one that is being compiled waits,
/// and different ones compile side by side. A failure is reported to all who wait and not kept.
class KernelCache {
public:
  using Compile = std::function<std::shared_ptr<CompiledKernel>()>;
  struct Result {
    std::shared_ptr<CompiledKernel> kernel;
    /// This call compiled it.
    bool isNew;
  };
  Result get(const std::string &key, const Compile &compile);

private:
  using Future = std::shared_future<std::shared_ptr<CompiledKernel>>;
  std::mutex mutex;
  std::map<std::string, Future> kernels;
};

} // namespace nereid::jit
