// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProfilerRange.h"

namespace nereid::python {
namespace {

/// What the name stands for; null, without an error, where it stands for nothing.
PyObject *itemOf(PyObject *dictionary, const nb::object &name) {
  PyObject *item = PyDict_GetItemWithError(dictionary, name.ptr()); // borrowed, as all here
  if (!item)
    PyErr_Clear();
  return item;
}

/// The names of the profiler's module, which stay when it is loaded anew; null until it is there.
/// Programs without PyTorch have no such module.
PyObject *profilerNames() {
  static nb::object &module = *new nb::object(nb::str("torch.autograd.profiler"));
  static PyObject *names = nullptr;
  if (names)
    return names;
  PyObject *loaded = PyImport_GetModuleDict();
  PyObject *profiler = loaded ? itemOf(loaded, module) : nullptr;
  if (profiler && PyModule_Check(profiler))
    names = nb::handle(PyModule_GetDict(profiler)).inc_ref().ptr();
  return names;
}

/// The profiler's own flag, which Inductor asks as well.
bool isProfiling() {
  static nb::object &flag = *new nb::object(nb::str("_is_profiler_enabled"));
  PyObject *names = profilerNames();
  return names && itemOf(names, flag) == Py_True;
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
