// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function that can be left in the middle and gone on with later: it has a stack of its own.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>

namespace nereid {

class Fiber {
public:
  /// Throws std::bad_alloc where there is no address space for the stack; what of it is not touched
  /// costs nothing else.
  explicit Fiber(std::function<void()> body, size_t stackBytes = size_t(1) << 20);
  ~Fiber();

  /// Begins anew: the next enter() calls the body.
  void begin();
  /// Runs the body until it leaves or is done.
  void enter();
  /// Called in the body: back to who entered, until it enters again.
  void leave();
  bool isDone() const;
  /// What the body threw, once.
  std::exception_ptr takeFailure();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace nereid
