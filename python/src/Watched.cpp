// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Watched.h"

#include "LaunchKey.h"

#include <bit>

namespace nereid::python {
namespace {

bool hasSameItems(nb::handle now, nb::handle before);

/// Equal to what Read.is_as_before() says, where it is cheap to say; false otherwise.
bool isSame(nb::handle now, nb::handle before) {
  nb::object held; // what a constexpr stands for
  if (isConstexpr(now)) {
    held = unwrapped(now);
    now = held;
  }
  if (now.is(before))
    return true;
  if (PyTuple_Check(before.ptr()) && (PyTuple_Check(now.ptr()) || PyList_Check(now.ptr()))) {
    Py_ssize_t size = PyTuple_Size(before.ptr());
    if (PySequence_Size(now.ptr()) != size)
      return false;
    for (Py_ssize_t i = 0; i < size; ++i) {
      nb::object element = nb::steal(PySequence_GetItem(now.ptr(), i));
      if (!element.is_valid())
        throw nb::python_error();
      if (!isSame(element, PyTuple_GetItem(before.ptr(), i)))
        return false;
    }
    return true;
  }
  if (PyAnySet_Check(now.ptr()) && PyAnySet_Check(before.ptr()))
    return PyObject_RichCompareBool(now.ptr(), before.ptr(), Py_EQ) == 1;
  if (PyDict_Check(now.ptr()) && PyDict_Check(before.ptr()))
    return hasSameItems(now, before);
  if (!now.type().is(before.type()))
    return false;
  if (PyFloat_CheckExact(now.ptr()))
    return std::bit_cast<uint64_t>(PyFloat_AsDouble(now.ptr())) ==
           std::bit_cast<uint64_t>(PyFloat_AsDouble(before.ptr()));
  bool isPlain = PyLong_CheckExact(now.ptr()) || PyUnicode_CheckExact(now.ptr()) ||
                 PyBytes_CheckExact(now.ptr());
  return isPlain && PyObject_RichCompareBool(now.ptr(), before.ptr(), Py_EQ) == 1;
}

bool hasSameItems(nb::handle now, nb::handle before) {
  if (PyDict_Size(now.ptr()) != PyDict_Size(before.ptr()))
    return false;
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(before.ptr(), &at, &key, &value);) {
    PyObject *item = PyDict_GetItemWithError(now.ptr(), key);
    if (!item || !isSame(item, value))
      return false;
  }
  return true;
}

/// Nothing where there is none.
nb::object found(PyObject *value) {
  if (!value)
    PyErr_Clear();
  return nb::steal(value);
}

} // namespace

WatchedList Watched::listOf(const nb::list &reads) {
  std::vector<Watched> result;
  for (nb::handle read : reads) {
    Watched watched;
    watched.container = read[0];
    for (nb::handle key : read[1])
      watched.keys.push_back(nb::borrow(key));
    watched.isInDictionary = PyDict_Check(watched.container.ptr()) && !watched.keys.empty();
    watched.hasEntries = nb::cast<bool>(read[2]);
    if (nb::object expected = read[3]; nb::len(expected))
      watched.expected = expected[0];
    watched.notice = read[4];
    result.push_back(std::move(watched));
  }
  return std::make_shared<const std::vector<Watched>>(std::move(result));
}

nb::object Watched::now() const {
  size_t first = 0;
  nb::object value = container;
  if (isInDictionary) {
    value = nb::borrow(PyDict_GetItemWithError(container.ptr(), keys[first++].ptr()));
    if (!value.is_valid())
      PyErr_Clear();
  } else if (hasEntries) {
    value = found(PyObject_GetItem(container.ptr(), keys[first++].ptr()));
  }
  for (size_t i = first; i < keys.size() && value.is_valid(); ++i)
    value = found(PyObject_GetAttr(value.ptr(), keys[i].ptr()));
  return value;
}

bool Watched::isAsBefore() const {
  if (isInDictionary && keys.size() == 1) // most of them
    if (PyObject *value = PyDict_GetItemWithError(container.ptr(), keys[0].ptr());
        value && value == expected.ptr())
      return true;
  nb::object value = now();
  if (!value.is_valid() || !expected.is_valid())
    return value.is_valid() == expected.is_valid();
  return isSame(value, expected);
}

void check(const WatchedList &list) {
  WatchedList kept = list;
  if (!kept)
    return;
  for (const Watched &read : *kept)
    if (!read.isAsBefore()) {
      read.notice();
      if (list != kept)
        return;
    }
}

} // namespace nereid::python
