// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Context.h"

#include "nereid/error.h"
#include "runtime/GridText.h"
#include "runtime/cuda/Results.h"

#include <algorithm>
#include <map>

namespace nereid::runtime::cuda {

namespace {

struct Registry {
  std::mutex mutex;
  std::map<unsigned, std::weak_ptr<Context>> open;
  /// Why, of GPUs that this process cannot use any more. The driver gives no second context after
  /// an error in a kernel, not even once the first is released.
  std::map<unsigned, std::string> lost;

  static Registry &get() {
    static auto *only = new Registry; // outlives every handle
    return *only;
  }
};

[[noreturn]] void failLost(unsigned ordinal, const std::string &cause) {
  throw Error(Error::Kind::Environment, "cuda:" + std::to_string(ordinal) +
                                            " cannot be used any more in this process, because " +
                                            cause);
}

} // namespace

std::shared_ptr<Context> Context::open(unsigned ordinal) {
  Registry &registry = Registry::get();
  std::lock_guard lock(registry.mutex);
  if (auto lost = registry.lost.find(ordinal); lost != registry.lost.end())
    cuda::failLost(ordinal, lost->second);
  std::weak_ptr<Context> &slot = registry.open[ordinal];
  if (auto context = slot.lock())
    return context;
  auto context = std::make_shared<Context>(Driver::get(), ordinal);
  slot = context;
  return context;
}

std::shared_ptr<Context> Context::openAny() {
  {
    Registry &registry = Registry::get();
    std::lock_guard lock(registry.mutex);
    for (const auto &[ordinal, slot] : registry.open)
      if (auto context = slot.lock(); context && context->isUsable())
        return context;
  }
  for (unsigned ordinal = 0;; ++ordinal) {
    try {
      return open(ordinal);
    } catch (const Error &) {
      if (ordinal + 1 >= Driver::get().deviceCount())
        throw;
    }
  }
}

Context::Context(const Driver &driver, unsigned ordinal)
    : driver_(driver), properties_(readProperties(driver, ordinal)) {
  driver_.call(driver_.deviceGet, &device_, static_cast<int>(ordinal));
  if (CUresult result = driver_.primaryCtxRetain.address(&handle_, device_))
    driver_.fail(driver_.primaryCtxRetain.symbol, result,
                 "while opening " + properties_.fullName());
}

Context::~Context() { driver_.primaryCtxRelease.address(device_); }

void Context::fail(const char *symbol, CUresult result, const std::string &what,
                   const std::string &detail) {
  if (meaningOf(result).effect == Effect::Call) {
    std::string text = (what.empty() ? "" : what + ": ") + driver_.describe(symbol, result);
    throw Error(Error::Kind::Environment, text + (detail.empty() ? "" : "; " + detail));
  }
  Registry &registry = Registry::get();
  std::lock_guard lock(registry.mutex);
  auto [cause, isFirst] = registry.lost.try_emplace(properties_.ordinal);
  if (isFirst)
    cause->second = describeLoss(symbol, result);
  isLost.store(true, std::memory_order_release);
  throw Error(Error::Kind::Environment, cause->second);
}

void Context::failLost() const {
  Registry &registry = Registry::get();
  std::lock_guard lock(registry.mutex);
  cuda::failLost(properties_.ordinal, registry.lost.at(properties_.ordinal));
}

static std::string launchText(const LaunchLog::Launch &launch) {
  return launch.label->text() + " on a grid of " + gridText(launch.grid);
}

/// Whose fault it may be, as the beginning of a sentence.
static std::string blame(const std::vector<LaunchLog::Launch> &running) {
  if (running.empty())
    return "work on the device failed";
  if (running.size() == 1)
    return launchText(running.front()) + " failed";
  // A kernel of a loop is one suspect, however often it runs.
  std::vector<std::pair<std::string, size_t>> suspects;
  for (const LaunchLog::Launch &launch : running) {
    std::string name = launchText(launch);
    auto known = std::ranges::find(suspects, name, &std::pair<std::string, size_t>::first);
    if (known == suspects.end())
      suspects.emplace_back(std::move(name), 1);
    else
      ++known->second;
  }
  std::string text = "one of these launches failed: ";
  constexpr size_t most = 4;
  for (size_t i = 0; i < suspects.size() && i < most; ++i) {
    auto &[name, count] = suspects[i];
    text += (i ? ", " : "") + name + (count > 1 ? " (" + std::to_string(count) + " times)" : "");
  }
  if (suspects.size() > most)
    text += " and " + std::to_string(suspects.size() - most) + " more";
  return text + ", or other work that this process gave to the device" +
         " (CUDA_LAUNCH_BLOCKING=1 in the environment tells which)";
}

std::string Context::describeLoss(const char *symbol, CUresult result) const {
  std::string device = properties_.fullName();
  std::string text = blame(launches_.running()) + ": " + driver_.describe(symbol, result) +
                     "; with that, this process has lost " + device +
                     ": arrays there cannot be read any more, and every call for it is refused; "
                     "start a new process to use it again";
  if (meaningOf(result).effect == Effect::Context)
    text += "; other devices remain usable; device 'check' shows what a kernel does wrong";
  return text;
}

} // namespace nereid::runtime::cuda
