// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProfilerRange.h"

namespace nereid::python {
namespace {

/// The profiler's own flag, which Inductor asks as well; programs without PyTorch have no such
/// module.
bool isProfiling() {
  static nb::object &module = *new nb::object(nb::str("torch.autograd.profiler"));
  static nb::object &flag = *new nb::object(nb::str("_is_profiler_enabled"));
  PyObject *loaded = PyImport_GetModuleDict(); // borrowed, as all here
  PyObject *profiler = loaded ? PyDict_GetItem(loaded, module.ptr()) : nullptr;
  PyObject *names = profiler && PyModule_Check(profiler) ? PyModule_GetDict(profiler) : nullptr;
  return names && PyDict_GetItem(names, flag.ptr()) == Py_True;
}

nb::object nameOf(nb::handle launched) {
  nb::object name = nb::hasattr(launched, "__name__") ? launched.attr("__name__")
                                                      : launched.attr("metadata").attr("name");
  return nb::str("kernel_") + name;
}

} // namespace

ProfilerRange::ProfilerRange(nb::handle launched) {
  if (!isProfiling()) [[likely]]
    return;
  try {
    nb::object type = nb::module_::import_("torch._C._profiler").attr("_RecordFunctionFast");
    range = type(nameOf(launched));
    range.attr("__enter__")();
  } catch (nb::python_error &) { // a PyTorch that has none: the launch goes on without
    range = {};
  }
}

ProfilerRange::~ProfilerRange() {
  if (!range.is_valid())
    return;
  nb::error_scope launchFailure; // stays what it is
  try {
    range.attr("__exit__")(nb::none(), nb::none(), nb::none());
  } catch (nb::python_error &error) {
    error.discard_as_unraisable("the profiler's range of a launch");
  }
}

} // namespace nereid::python
