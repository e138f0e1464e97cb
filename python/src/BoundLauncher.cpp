// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Dispatcher.h"

#include <exception>

namespace nereid::python {

/// As the type's own slot, which a launch reaches without the look-up of a method and a second list
/// of its arguments. What it throws becomes Python's by way of a function, as of all others.
static PyObject *callLauncher(PyObject *self, PyObject *args, PyObject *kwargs) {
  try {
    const auto &launcher = *nb::inst_ptr<BoundLauncher>(self);
    nb::object named = kwargs ? nb::borrow(kwargs) : nb::steal(PyDict_New());
    return nb::inst_ptr<Dispatcher>(launcher.dispatcher)
        ->call(launcher.grid, launcher.stream, launcher.block, nb::borrow<nb::args>(args),
               nb::borrow<nb::kwargs>(named))
        .release()
        .ptr();
  } catch (...) {
    nb::object raise =
        nb::cpp_function([failure = std::current_exception()] { std::rethrow_exception(failure); });
    return PyObject_CallObject(raise.ptr(), nullptr);
  }
}

void addLauncherClass(nb::module_ &module) {
  static PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void *>(callLauncher)}, {0, nullptr}};
  nb::class_<BoundLauncher>(module, "BoundLauncher", nb::type_slots(slots));
}

} // namespace nereid::python
