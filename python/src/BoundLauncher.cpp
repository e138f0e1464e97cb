// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BoundLauncher.h"

#include "Dispatcher.h"

#include <cstddef>
#include <exception>
#include <structmember.h>

namespace nereid::python {
namespace {

/// An object of a type without nanobind's book-keeping, since one is made for each launch. A
/// stream or a block that was not given is null.
struct BoundLauncher {
  PyObject_HEAD vectorcallfunc call;
  PyObject *dispatcher, *grid, *stream, *block;
};

PyTypeObject *launcherType = nullptr, *dispatcherType = nullptr;

/// What C++ throws becomes Python's by way of a function, as of all others.
PyObject *raised() {
  nb::object raise =
      nb::cpp_function([failure = std::current_exception()] { std::rethrow_exception(failure); });
  return PyObject_CallObject(raise.ptr(), nullptr);
}

PyObject *callLauncher(PyObject *self, PyObject *const *values, size_t flagged, PyObject *names) {
  auto *launcher = reinterpret_cast<BoundLauncher *>(self);
  // One that is made for a call is held by that call alone, and part of no cycle.
  if (Py_REFCNT(self) > 1 && !PyObject_GC_IsTracked(self))
    PyObject_GC_Track(self);
  try {
    Passed passed{values, static_cast<size_t>(PyVectorcall_NARGS(flagged)), names};
    return nb::inst_ptr<Dispatcher>(launcher->dispatcher)
        ->call(launcher->grid, launcher->stream, launcher->block, passed)
        .release()
        .ptr();
  } catch (...) {
    return raised();
  }
}

/// A program may keep a launcher in an object that the function which gives its grid knows.
int visitLauncher(PyObject *self, visitproc visit, void *arg) {
  auto *launcher = reinterpret_cast<BoundLauncher *>(self);
  Py_VISIT(reinterpret_cast<PyObject *>(launcherType));
  Py_VISIT(launcher->dispatcher);
  Py_VISIT(launcher->grid);
  Py_VISIT(launcher->stream);
  Py_VISIT(launcher->block);
  return 0;
}

/// Of a cycle the grid alone goes: what is called in this moment is still a launcher.
int clearLauncher(PyObject *self) {
  auto *launcher = reinterpret_cast<BoundLauncher *>(self);
  PyObject *grid = launcher->grid;
  launcher->grid = nb::none().release().ptr();
  Py_DECREF(grid);
  return 0;
}

void deallocateLauncher(PyObject *self) {
  PyObject_GC_UnTrack(self);
  auto *launcher = reinterpret_cast<BoundLauncher *>(self);
  Py_DECREF(launcher->dispatcher);
  Py_DECREF(launcher->grid);
  Py_XDECREF(launcher->stream);
  Py_XDECREF(launcher->block);
  PyObject_GC_Del(self);
  Py_DECREF(reinterpret_cast<PyObject *>(launcherType));
}

PyObject *orNull(nb::handle given) {
  return given.is_valid() && !given.is_none() ? given.inc_ref().ptr() : nullptr;
}

/// `kernel[grid]`, without a frame of Python's, of whatever has a `_dispatcher`.
PyObject *launcherOfKernel(PyObject *kernel, PyObject *grid) {
  static PyObject *const name = PyUnicode_InternFromString("_dispatcher");
  nb::object dispatcher = nb::steal(PyObject_GetAttr(kernel, name));
  if (!dispatcher.is_valid())
    return nullptr;
  if (!PyObject_TypeCheck(dispatcher.ptr(), dispatcherType)) {
    PyErr_SetString(PyExc_TypeError, "a kernel's dispatcher is one of this package's");
    return nullptr;
  }
  return bindLauncher(dispatcher, grid, {}, {}).release().ptr();
}

} // namespace

nb::object bindLauncher(nb::handle dispatcher, nb::handle grid, nb::handle stream,
                        nb::handle block) {
  BoundLauncher *launcher = PyObject_GC_New(BoundLauncher, launcherType);
  if (!launcher)
    throw nb::python_error();
  launcher->call = callLauncher;
  launcher->dispatcher = dispatcher.inc_ref().ptr();
  launcher->grid = grid.inc_ref().ptr();
  launcher->stream = orNull(stream);
  launcher->block = orNull(block);
  if (!PyTuple_Check(grid.ptr())) // of a function it may be kept and never called
    PyObject_GC_Track(launcher);
  return nb::steal(reinterpret_cast<PyObject *>(launcher));
}

void addLauncherClass(nb::module_ &module) {
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", T_PYSSIZET, offsetof(BoundLauncher, call), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  static PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
                                {Py_tp_dealloc, reinterpret_cast<void *>(deallocateLauncher)},
                                {Py_tp_traverse, reinterpret_cast<void *>(visitLauncher)},
                                {Py_tp_clear, reinterpret_cast<void *>(clearLauncher)},
                                {Py_tp_members, members},
                                {0, nullptr}};
  static PyType_Spec spec = {"nereid._native.BoundLauncher", sizeof(BoundLauncher), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                                 Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             slots};
  launcherType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  if (!launcherType)
    throw nb::python_error();
  dispatcherType = reinterpret_cast<PyTypeObject *>(nb::type<Dispatcher>().ptr());
  module.attr("BoundLauncher") = nb::handle(reinterpret_cast<PyObject *>(launcherType));
  static PyMethodDef subscript = {"launcher_of", launcherOfKernel, METH_O, nullptr};
  module.attr("launcher_of") = nb::steal(PyDescr_NewMethod(&PyBaseObject_Type, &subscript));
}

} // namespace nereid::python
