// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interpreter's lock, given up and taken by threads that may outlive the interpreter. Before
// Python 3.14 it ends a thread that asks for the lock after the end by unwinding it, which no C++
// code in between survives: such a thread stops here instead, until the process is gone.
#pragma once

#include <nanobind/nanobind.h>

#include <unistd.h>

namespace nereid::python {

template <typename F> auto orStop(F &&act) noexcept {
  try {
    return act();
  } catch (...) { // nothing else is thrown by what is called here
    for (;;)
      pause();
  }
}

class Unlocked {
public:
  Unlocked() : state(PyEval_SaveThread()) {}
  ~Unlocked() {
    orStop([this] { PyEval_RestoreThread(state); });
  }
  Unlocked(const Unlocked &) = delete;

private:
  PyThreadState *state;
};

class Locked {
public:
  Locked() : state(orStop([] { return PyGILState_Ensure(); })) {}
  ~Locked() { PyGILState_Release(state); }
  Locked(const Locked &) = delete;

private:
  PyGILState_STATE state;
};

} // namespace nereid::python
