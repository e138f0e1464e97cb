// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/launch/KernelCache.h"

#include "jit/State.h"
#include "runtime/Forks.h"
#include "support/EnvironmentVariables.h"

#include "llvm/ADT/Hashing.h"

namespace nereid::jit {
namespace {

/// A kernel's places in the map and the list, its key and its handle, roughly.
constexpr size_t bytesPerEntry = 512;

} // namespace

size_t KernelKeyHash::operator()(const KernelKey &key) const {
  return llvm::hash_combine(key.module, key.function, key.device, key.specialization.hash());
}

KernelCache &KernelCache::ofProcess() {
  // Never destroyed, since modules that outlive main() still call it; by then they empty it.
  static auto &cache = *new KernelCache(readNumber(KnownVariable::NEREID_KERNEL_MEMORY) << 20);
  return cache;
}

size_t KernelCache::bytesOf(const runtime::Executable &executable) {
  return executable.bytes() + bytesPerEntry;
}

KernelCache::Result KernelCache::get(KernelKey key, Compile compile) {
  std::unique_lock lock(mutex);
  auto [slot, isNew] = kernels.try_emplace(std::move(key));
  if (isNew)
    return compileInto(*slot, compile, std::move(lock));
  Entry &entry = slot->second;
  if (entry.kernel) {
    uses.splice(uses.begin(), uses, entry.use);
    return {entry.kernel, false};
  }
  if (entry.process != runtime::forks()) // the thread that compiles it is not in this process
    return compileInto(*slot, compile, std::move(lock));
  std::shared_future<KernelPtr> compiling = entry.compiling;
  lock.unlock();
  return {compiling.get(), false};
}

/// The slot stays where it is, since only kernels that are there are taken out.
KernelCache::Result KernelCache::compileInto(Map::value_type &slot, Compile compile,
                                             std::unique_lock<std::mutex> lock) {
  auto &[key, entry] = slot;
  std::promise<KernelPtr> promise;
  entry.compiling = promise.get_future().share();
  entry.process = runtime::forks();
  lock.unlock();
  KernelPtr kernel;
  try {
    kernel = compile(key);
  } catch (...) {
    lock.lock();
    kernels.erase(kernels.find(key));
    lock.unlock();
    promise.set_exception(std::current_exception());
    throw;
  }
  lock.lock();
  entry.kernel = kernel;
  entry.compiling = {};
  entry.bytes = bytesOf(*kernel->executable);
  entry.use = uses.insert(uses.begin(), &key);
  held += entry.bytes;
  std::vector<KernelPtr> gone = shrink();
  lock.unlock();
  promise.set_value(kernel);
  return {std::move(kernel), true};
}

void KernelCache::forget(const detail::ModuleState *module) {
  std::vector<KernelPtr> gone;
  std::lock_guard lock(mutex);
  for (auto entry = kernels.begin(); entry != kernels.end();) {
    auto next = std::next(entry);
    if (entry->first.module == module)
      gone.push_back(take(entry));
    entry = next;
  }
}

KernelCache::KernelPtr KernelCache::take(Map::iterator entry) {
  KernelPtr kernel = std::move(entry->second.kernel);
  held -= entry->second.bytes;
  uses.erase(entry->second.use);
  kernels.erase(entry);
  return kernel;
}

std::vector<KernelCache::KernelPtr> KernelCache::shrink() {
  std::vector<KernelPtr> gone;
  for (auto use = uses.end(); held > mostBytes && use != uses.begin();) {
    auto entry = kernels.find(**--use);
    if (entry->second.kernel.use_count() > 1) // in use: it would stay in memory all the same
      continue;
    ++use;
    gone.push_back(take(entry));
  }
  return gone;
}

void KernelCache::setLimit(size_t bytes) {
  std::vector<KernelPtr> gone;
  std::lock_guard lock(mutex);
  mostBytes = bytes;
  gone = shrink();
}

size_t KernelCache::limit() const {
  std::lock_guard lock(mutex);
  return mostBytes;
}

size_t KernelCache::bytes() const {
  std::lock_guard lock(mutex);
  return held;
}

size_t KernelCache::count() const {
  std::lock_guard lock(mutex);
  return kernels.size();
}

} // namespace nereid::jit
