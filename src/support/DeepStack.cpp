// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Not by llvm::runOnNewStack, which ends the process where no thread can be made.
#include "support/DeepStack.h"

#include "nereid/error.h"

#include <cstring>
#include <exception>
#include <pthread.h>

namespace nereid {
namespace {

/// What is not touched costs address space only.
constexpr size_t deepStackBytes = size_t(128) << 20;

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

} // namespace

void runOnDeepStack(llvm::function_ref<void()> act) {
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
  if (call.failure)
    std::rethrow_exception(call.failure);
}

} // namespace nereid
