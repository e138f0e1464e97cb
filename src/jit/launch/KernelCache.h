// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/sema/Specialization.h"
#include "nereid/nereid.h"
#include "runtime/Executable.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace nereid::detail {
struct DeviceState;
struct ModuleState;
} // namespace nereid::detail

namespace nereid::jit {

struct CompiledKernel {
  /// Declared first, so that it goes last: the code runs on its threads.
  std::shared_ptr<detail::DeviceState> device;
  std::unique_ptr<runtime::Executable> executable;
  std::string name;
  /// The integers among the constants it was compiled for.
  Constants constants{{}};
  double compileMilliseconds = 0;
};

/// What tells the compiled kernels of a process apart.
struct KernelKey {
  const detail::ModuleState *module;
  const void *function; // null: the module has one kernel
  uint64_t device;      // DeviceState::id
  sema::Specialization specialization;

  bool operator==(const KernelKey &) const = default;
};
struct KernelKeyHash {
  size_t operator()(const KernelKey &key) const;
};

/// Compiled kernels by key. Each is compiled once: who asks for one that is being compiled waits,
/// and different ones compile side by side. A failure is reported to all who wait and not kept.
/// Beyond the limit, what was used least recently goes, but for what somebody still holds.
class KernelCache {
public:
  /// The one that all modules share. Its limit is what the environment variable
  /// NEREID_KERNEL_MEMORY says.
  static KernelCache &ofProcess();
  explicit KernelCache(size_t mostBytes) : mostBytes(mostBytes) {}

  using KernelPtr = std::shared_ptr<CompiledKernel>;
  using Compile = llvm::function_ref<KernelPtr(const KernelKey &key)>;
  struct Result {
    KernelPtr kernel;
    /// This call compiled it.
    bool isNew;
  };
  Result get(KernelKey key, Compile compile);
  /// Drops the kernels of a module that ends.
  void forget(const detail::ModuleState *module);

  /// About what a kernel holds that is kept.
  static size_t bytesOf(const runtime::Executable &executable);

  void setLimit(size_t mostBytes);
  size_t limit() const;
  /// About what the kernels hold that are kept.
  size_t bytes() const;
  size_t count() const;

private:
  struct Entry {
    std::shared_future<KernelPtr> compiling; // until there is a kernel
    uint64_t process = 0;                    // runtime::forks() of who compiles
    KernelPtr kernel;
    size_t bytes = 0;
    std::list<const KernelKey *>::iterator use;
  };
  using Map = std::unordered_map<KernelKey, Entry, KernelKeyHash>;

  Result compileInto(Map::value_type &slot, Compile compile, std::unique_lock<std::mutex> lock);
  /// Both take out what is to go, for the caller to destroy without the lock.
  KernelPtr take(Map::iterator entry);
  std::vector<KernelPtr> shrink();

  mutable std::mutex mutex;
  Map kernels;
  std::list<const KernelKey *> uses; // of kernels that are there, the latest first
  size_t mostBytes, held = 0;
};

} // namespace nereid::jit
