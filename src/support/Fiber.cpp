// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Fiber.h"

#include <cstdint>
#include <new>
#include <sys/mman.h>
#include <ucontext.h>
#include <utility>

// How clang and how g++ say that the address sanitizer watches.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NEREID_WATCHES_STACKS
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define NEREID_WATCHES_STACKS
#endif
#ifdef NEREID_WATCHES_STACKS
#include <sanitizer/common_interface_defs.h>
#endif

namespace nereid {

namespace {

class Stack {
public:
  explicit Stack(size_t bytes)
      : bytes(bytes), base(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0)) {
    if (base == MAP_FAILED)
      throw std::bad_alloc();
    mprotect(base, 4096, PROT_NONE); // an overflow faults
  }
  ~Stack() { munmap(base, bytes); }
  Stack(const Stack &) = delete;
  Stack &operator=(const Stack &) = delete;

  const size_t bytes;
  void *const base;
};

/// One side of a switch between stacks, and what the address sanitizer wants to know of it.
struct Side {
  ucontext_t context;
  const void *stack = nullptr;
  size_t stackBytes = 0;
  void *sanitizerState = nullptr;

  /// Returns when something switches back.
  void leaveFor(Side &other, [[maybe_unused]] bool forGood = false) {
#ifdef NEREID_WATCHES_STACKS
    __sanitizer_start_switch_fiber(forGood ? nullptr : &sanitizerState, other.stack,
                                   other.stackBytes);
#endif
    swapcontext(&context, &other.context);
    arrived(nullptr);
  }
  /// The first thing on a stack that was switched to.
  void arrived([[maybe_unused]] Side *from) {
#ifdef NEREID_WATCHES_STACKS
    const void *bottom = nullptr;
    size_t bytes = 0;
    __sanitizer_finish_switch_fiber(sanitizerState, &bottom, &bytes);
    if (from) {
      from->stack = bottom;
      from->stackBytes = bytes;
    }
#endif
  }
};

} // namespace

struct Fiber::State {
  Stack stack;
  Side here, there; // of the body, and of who entered
  std::function<void()> body;
  std::exception_ptr failure;
  bool isDone = false;

  State(std::function<void()> given, size_t stackBytes)
      : stack(stackBytes), body(std::move(given)) {
    here.stack = stack.base;
    here.stackBytes = stack.bytes;
  }
  static void main(unsigned high, unsigned low) {
    auto *self = reinterpret_cast<State *>(uint64_t(high) << 32 | low);
    self->here.arrived(&self->there);
    try {
      self->body();
    } catch (...) {
      self->failure = std::current_exception();
    }
    self->isDone = true;
    self->here.leaveFor(self->there, /*forGood=*/true);
  }
};

Fiber::Fiber(std::function<void()> body, size_t stackBytes)
    : state(std::make_unique<State>(std::move(body), stackBytes)) {}
Fiber::~Fiber() = default;

void Fiber::begin() {
  ucontext_t &context = state->here.context;
  state->isDone = false;
  getcontext(&context);
  state->here.sanitizerState = nullptr;
  context.uc_stack.ss_sp = state->stack.base;
  context.uc_stack.ss_size = state->stack.bytes;
  context.uc_link = nullptr;
  auto address = reinterpret_cast<uint64_t>(state.get());
  makecontext(&context, reinterpret_cast<void (*)()>(&State::main), 2, unsigned(address >> 32),
              unsigned(address));
}

void Fiber::enter() { state->there.leaveFor(state->here); }
void Fiber::leave() { state->here.leaveFor(state->there); }
bool Fiber::isDone() const { return state->isDone; }
std::exception_ptr Fiber::takeFailure() { return std::exchange(state->failure, nullptr); }

} // namespace nereid
