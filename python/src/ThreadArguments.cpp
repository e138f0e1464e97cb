// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ThreadArguments.h"

#include "Numbers.h"

#include <nanobind/stl/string.h>

#include <tuple>
#include <unordered_map>

namespace nereid::python {
namespace {

[[noreturn]] void failArgument(const ParameterSpec &parameter, const std::string &reason) {
  throw nb::type_error(
      ("argument '" + nb::cast<std::string>(parameter.name) + "': " + reason).c_str());
}

/// The type of NumPy's numbers of one class (numpy.float32), which are few and live long.
std::optional<DType> dtypeOfNumber(nb::handle number) {
  static auto &known = *new std::unordered_map<PyTypeObject *, std::optional<DType>>();
  PyTypeObject *type = Py_TYPE(number.ptr());
  auto found = known.find(type);
  if (found == known.end()) {
    auto dtype = dtypeOfText(nb::cast<std::string>(nb::str(nb::getattr(number, "dtype"))));
    Py_INCREF(reinterpret_cast<PyObject *>(type));
    found = known.emplace(type, dtype).first;
  }
  return found->second;
}

/// One of NumPy's as one of Python's.
nb::object plainNumber(nb::handle number, DType type) {
  if (type == DType::Int1)
    return nb::borrow(PyObject_IsTrue(number.ptr()) == 1 ? Py_True : Py_False);
  PyObject *plain = isFloat(type) ? PyNumber_Float(number.ptr()) : PyNumber_Index(number.ptr());
  if (!plain)
    throw nb::python_error();
  return nb::steal(plain);
}

/// One without elements is, whatever its strides.
bool isContiguous(const ArrayView &view) {
  if (!view.extentBytes && view.isExtentKnown)
    return true;
  int64_t packed = byteSize(view.dtype);
  for (unsigned i = view.rank; i-- > 0; packed *= view.shape[i])
    if (view.shape[i] != 1 && view.strideBytes[i] != packed)
      return false;
  return true;
}

} // namespace

std::optional<specialize::SpecializedNumber> numberOfThreads(const ParameterSpec &parameter,
                                                             nb::handle argument) {
  nb::object held;
  std::optional<DType> own;
  bool isPlain = PyLong_CheckExact(argument.ptr()) || PyFloat_CheckExact(argument.ptr());
  if (!isPlain && isNumberObject(argument)) {
    own = dtypeOfNumber(argument);
    if (!own)
      failArgument(parameter, "numbers of " +
                                  nb::cast<std::string>(nb::str(nb::getattr(argument, "dtype"))) +
                                  " are no arguments of a kernel");
    held = plainNumber(argument, *own);
    argument = held;
  }
  PyObject *object = argument.ptr();
  if (!PyLong_Check(object) && !PyFloat_Check(object)) // booleans are integers there
    return std::nullopt;
  specialize::ParameterRules rules = parameter.rules;
  if (!rules.number) // a signature converts
    rules.number = own;
  return specialize::specializeNumber(rules, readNumber(object, rules));
}

nb::handle tupleInstead(LaunchKey &key, nb::handle argument, bool hasNoDimensions) {
  PyObject *object = argument.ptr();
  if (PyLong_CheckExact(object) || PyFloat_CheckExact(object))
    return {};
  // Of those whom they belong to, and so never given back.
  static const auto [narrow, wide, classes, enumerated, wrapped] = [] {
    nb::object module = nb::module_::import_("nereid.threads.complex_numbers");
    auto kept = [&](const char *name) { return nb::getattr(module, name).release(); };
    return std::tuple(kept("NARROW"), kept("WIDE"), kept("CLASSES"), kept("ENUMERATED"),
                      kept("wrapped"));
  }();
  bool isMember =
      PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject *>(enumerated.ptr())) != 0;
  if (!PyComplex_Check(object) && !hasNoDimensions && !isMember) {
    nb::object dtype = nb::getattr(argument, "dtype", nb::none());
    int isOfClasses =
        PySequence_Contains(classes.ptr(), reinterpret_cast<PyObject *>(Py_TYPE(dtype.ptr())));
    if (!dtype.is(narrow) && !dtype.is(wide) && isOfClasses != 1)
      return {};
  }
  for (const auto &[whose, parts] : key.made)
    if (whose == object)
      return parts;
  nb::object parts = wrapped(argument);
  if (parts.is_none())
    return {};
  key.made.emplace_back(object, parts);
  return parts;
}

ArrayView requireArray(LaunchKey &key, const ParameterSpec &parameter, nb::handle argument) {
  std::optional<ArrayView> view;
  try {
    view = key.viewArray(argument);
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_TypeError))
      throw;
    failArgument(parameter, nb::cast<std::string>(nb::str(error.value())));
  } catch (nb::builtin_exception &error) {
    if (error.type() != nb::exception_type::type_error)
      throw;
    failArgument(parameter, error.what());
  }
  if (!view)
    failArgument(parameter, "a kernel takes numbers and arrays, and this is of type " +
                                nb::cast<std::string>(nb::getattr(argument.type(), "__name__")));
  return *view;
}

ArgumentType arrayType(const ParameterSpec &parameter, const ArrayView &view) {
  if (view.rank == 0 || view.rank > ArrayView::mostDimensions)
    failArgument(parameter,
                 "an array of " + std::to_string(view.rank) + " dimensions; 0 to 8 are accepted");
  ArgumentType type =
      specialize::specializeArrayOfThreads(view.dtype, view.address, view.rank, isContiguous(view));
  for (unsigned i = 0; !type.isContiguous && i < view.rank; ++i)
    if (view.strideBytes[i] % int64_t(byteSize(view.dtype)))
      failArgument(parameter, "its elements lie " + std::to_string(view.strideBytes[i]) +
                                  " bytes apart, which is no multiple of their size");
  return type;
}

} // namespace nereid::python
