// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Not by llvm::runOnNewStack, which ends the process where no thread can be made.
#include "support/DeepStack.h"

#include "nereid/error.h"
#include "support/Fiber.h"

#include <atomic>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <pthread.h>

namespace nereid {
namespace {

/// What is not touched costs address space only.
constexpr size_t deepStackBytes = size_t(128) << 20;

std::atomic<bool> haveThreads = false;

struct DeepCall {
  llvm::function_ref<void()> act;
  std::exception_ptr failure;
};

void *runDeepCall(void *given) {
  auto &call = *static_cast<DeepCall *>(given);
  try {
    call.act();
  } catch (...) {
    call.failure = std::current_exception();
  }
  return nullptr;
}

std::exception_ptr runOnThread(llvm::function_ref<void()> act) {
  DeepCall call{act, nullptr};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, deepStackBytes);
  pthread_t thread;
  int error = pthread_create(&thread, &attributes, runDeepCall, &call);
  pthread_attr_destroy(&attributes);
  if (error)
    throw Error(Error::Kind::Environment,
                std::string("cannot make a thread to compile on: ") + std::strerror(error));
  pthread_join(thread, nullptr);
  return call.failure;
}

/// A thread would begin on another core, with cold caches, and have a heap of its own: a tenth of a
/// cold start.
std::exception_ptr runHere(llvm::function_ref<void()> act) {
  std::optional<Fiber> fiber;
  try {
    fiber.emplace(act, deepStackBytes);
  } catch (const std::bad_alloc &) {
    throw Error(Error::Kind::Environment, "not enough memory for a stack to compile on");
  }
  fiber->begin();
  fiber->enter();
  return fiber->takeFailure();
}

} // namespace

void giveDeepStacksThreads() { haveThreads.store(true, std::memory_order_relaxed); }

void runOnDeepStack(llvm::function_ref<void()> act) {
  bool hasThread = haveThreads.load(std::memory_order_relaxed);
  if (std::exception_ptr failure = hasThread ? runOnThread(act) : runHere(act))
    std::rethrow_exception(failure);
}

} // namespace nereid
