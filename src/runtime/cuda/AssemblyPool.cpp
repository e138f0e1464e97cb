// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/AssemblyPool.h"

#include "runtime/cuda/AssemblyHelper.h"
#include "support/EnvironmentVariables.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <thread>

namespace nereid::runtime::cuda {
namespace {

/// A helper starts in about the time of so many assemblies.
constexpr unsigned worthAStart = 3;

/// Whether what a helper has had made is found by this process.
bool driverKeepsCache() {
  const char *disabled = readVariable(KnownVariable::CUDA_CACHE_DISABLE);
  return !disabled || std::string_view(disabled) != "1";
}

/// Of one GPU. What is idle ends with the process, whose end closes the sockets.
class AssemblyPool {
public:
  explicit AssemblyPool(unsigned ordinal)
      : ordinal(ordinal), program(assemblyHelperProgram()),
        mostHelpers(program.empty() || !driverKeepsCache()
                        ? 0
                        : std::min(8u, std::thread::hardware_concurrency())) {}

  std::shared_ptr<const Module> assemble(const std::shared_ptr<Context> &context,
                                         std::span<const uint8_t> ptx, const std::string &what) {
    std::unique_lock lock(mutex);
    ++waiting;
    bool mayHelp = true;
    for (;;) {
      if (!isBusy) {
        --waiting;
        return assembleHere(context, ptx, what, lock);
      }
      if (mayHelp && (!idle.empty() || shouldStart())) {
        --waiting;
        if (assembleThere(ptx, lock)) {
          lock.unlock();
          return Module::assemble(context, ptx, what);
        }
        mayHelp = false; // it says here what is wrong
        ++waiting;
        continue;
      }
      changed.wait(lock);
    }
  }

private:
  bool shouldStart() const { return waiting >= worthAStart && helpers < mostHelpers; }

  std::shared_ptr<const Module> assembleHere(const std::shared_ptr<Context> &context,
                                             std::span<const uint8_t> ptx, const std::string &what,
                                             std::unique_lock<std::mutex> &lock) {
    struct Turn {
      AssemblyPool &pool;
      std::unique_lock<std::mutex> &lock;
      ~Turn() {
        lock.lock();
        pool.isBusy = false;
        pool.changed.notify_all();
      }
    };
    isBusy = true;
    lock.unlock();
    Turn turn{*this, lock};
    return Module::assemble(context, ptx, what);
  }

  /// Whether the driver's cache has it now.
  bool assembleThere(std::span<const uint8_t> ptx, std::unique_lock<std::mutex> &lock) {
    std::unique_ptr<AssemblyHelper> helper;
    if (idle.empty()) {
      ++helpers;
    } else {
      helper = std::move(idle.back());
      idle.pop_back();
    }
    lock.unlock();
    if (!helper)
      helper = AssemblyHelper::start(program, ordinal);
    using Answer = AssemblyHelper::Answer;
    const Answer answer = helper ? helper->assemble(ptx) : Answer::Gone;
    if (answer == Answer::Gone)
      helper.reset();
    lock.lock();
    if (helper)
      idle.push_back(std::move(helper));
    else
      --helpers;
    changed.notify_all();
    return answer == Answer::Made;
  }

  const unsigned ordinal;
  const std::string program;
  const unsigned mostHelpers;
  std::mutex mutex;
  std::condition_variable changed;
  bool isBusy = false;
  unsigned waiting = 0, helpers = 0;
  std::vector<std::unique_ptr<AssemblyHelper>> idle;
};

AssemblyPool &poolOf(unsigned ordinal) {
  static std::mutex mutex;
  // Never freed: threads may still assemble while the process ends.
  static auto &pools = *new std::map<unsigned, AssemblyPool>;
  std::lock_guard lock(mutex);
  return pools.try_emplace(ordinal, ordinal).first->second;
}

} // namespace

std::shared_ptr<const Module> assembleInTurn(const std::shared_ptr<Context> &context,
                                             std::span<const uint8_t> ptx,
                                             const std::string &what) {
  return poolOf(context->properties().ordinal).assemble(context, ptx, what);
}

} // namespace nereid::runtime::cuda
