// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch was called with.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

namespace nereid::python {

namespace nb = nanobind;

/// Arguments as a vectorcall has them: `count` by position, and behind them one for each of
/// `names`, a tuple, or null where there are none. All belong to the caller.
struct Passed {
  PyObject *const *values;
  size_t count;
  PyObject *names;

  size_t nameCount() const { return names ? nb::len(nb::handle(names)) : 0; }
  nb::handle name(size_t i) const { return PyTuple_GetItem(names, static_cast<Py_ssize_t>(i)); }
  nb::handle named(size_t i) const { return values[count + i]; }
  /// Those by position from `first` on.
  nb::tuple tuple(size_t first = 0) const;
  nb::dict dictionary() const;
};

/// The same of a tuple and a dictionary.
class Unpacked {
public:
  Unpacked(nb::args args, nb::kwargs kwargs);
  operator Passed() const { return {values.data(), nb::len(args), names.ptr()}; }

private:
  nb::args args;
  nb::kwargs kwargs;
  nb::tuple names;
  std::vector<PyObject *> values;
};

} // namespace nereid::python
