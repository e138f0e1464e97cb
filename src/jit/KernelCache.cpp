// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/KernelCache.h"

#include "jit/State.h"

namespace nereid::jit {

KernelCache::Result KernelCache::get(const std::string &key, const Compile &compile) {
  std::promise<std::shared_ptr<CompiledKernel>> promise;
  Future future;
  {
    std::lock_guard lock(mutex);
    auto [entry, isNew] = kernels.try_emplace(key);
    if (isNew)
      entry->second = promise.get_future().share();
    else
      future = entry->second;
  }
  // Waits outside the lock.
  if (future.valid())
    return {future.get(), false};
  try {
    auto kernel = compile();
    promise.set_value(kernel);
    return {std::move(kernel), true};
  } catch (...) {
    {
      std::lock_guard lock(mutex);
      kernels.erase(key);
    }
    promise.set_exception(std::current_exception());
    throw;
  }
}

} // namespace nereid::jit
