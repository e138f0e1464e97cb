// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/LinkPool.h"

#include "runtime/cuda/LinkHelper.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <thread>

namespace nereid::runtime::cuda {
namespace {

/// A helper starts in about the time of so many links.
constexpr unsigned worthAStart = 3;

/// Of one GPU. What is idle ends with the process, whose end closes the sockets.
class LinkPool {
public:
  explicit LinkPool(unsigned ordinal)
      : ordinal(ordinal), program(linkHelperProgram()),
        mostHelpers(program.empty() ? 0 : std::min(8u, std::thread::hardware_concurrency())) {}

  std::vector<uint8_t> link(Context &context, std::string_view ptx, const std::string &what) {
    std::unique_lock lock(mutex);
    ++waiting;
    bool mayHelp = true;
    for (;;) {
      if (!isBusy) {
        --waiting;
        return linkHere(context, ptx, what, lock);
      }
      if (mayHelp && (!idle.empty() || shouldStart())) {
        --waiting;
        if (auto cubin = linkThere(ptx, lock))
          return *std::move(cubin);
        mayHelp = false; // it says here what is wrong
        ++waiting;
        continue;
      }
      changed.wait(lock);
    }
  }

private:
  bool shouldStart() const { return waiting >= worthAStart && helpers < mostHelpers; }

  std::vector<uint8_t> linkHere(Context &context, std::string_view ptx, const std::string &what,
                                std::unique_lock<std::mutex> &lock) {
    struct Turn {
      LinkPool &pool;
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
    return cuda::link(context, ptx, what).cubin;
  }

  std::optional<std::vector<uint8_t>> linkThere(std::string_view ptx,
                                                std::unique_lock<std::mutex> &lock) {
    std::unique_ptr<LinkHelper> helper;
    if (idle.empty()) {
      ++helpers;
    } else {
      helper = std::move(idle.back());
      idle.pop_back();
    }
    lock.unlock();
    if (!helper)
      helper = LinkHelper::start(program, ordinal);
    std::optional<std::vector<uint8_t>> cubin = helper ? helper->link(ptx) : std::nullopt;
    if (!cubin)
      helper.reset();
    lock.lock();
    if (helper)
      idle.push_back(std::move(helper));
    else
      --helpers;
    changed.notify_all();
    return cubin;
  }

  const unsigned ordinal;
  const std::string program;
  const unsigned mostHelpers;
  std::mutex mutex;
  std::condition_variable changed;
  bool isBusy = false;
  unsigned waiting = 0, helpers = 0;
  std::vector<std::unique_ptr<LinkHelper>> idle;
};

LinkPool &poolOf(unsigned ordinal) {
  static std::mutex mutex;
  // Never freed: threads may still link while the process ends.
  static auto &pools = *new std::map<unsigned, LinkPool>;
  std::lock_guard lock(mutex);
  return pools.try_emplace(ordinal, ordinal).first->second;
}

} // namespace

std::vector<uint8_t> linkInTurn(Context &context, std::string_view ptx, const std::string &what) {
  return poolOf(context.properties().ordinal).link(context, ptx, what);
}

} // namespace nereid::runtime::cuda
