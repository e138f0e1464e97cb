// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Numbers.h"

#include <string>

namespace nereid::python {

using specialize::Number;
using specialize::SpecializedNumber;

Number readNumber(PyObject *object, const specialize::ParameterRules &rules) {
  if (PyBool_Check(object))
    return Number::of(object == Py_True);
  const bool becomesFloat = rules.number && isFloat(*rules.number);
  if (PyFloat_Check(object) || becomesFloat) {
    double value = PyFloat_AsDouble(object);
    if (value == -1 && PyErr_Occurred())
      throw nb::python_error();
    return Number::of(value);
  }
  if (rules.isOfThreads && rules.number)
    return Number::of(static_cast<uint64_t>(PyLong_AsUnsignedLongLongMask(object)));
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (value == -1 && !overflow && PyErr_Occurred())
    throw nb::python_error();
  if (!overflow)
    return Number::of(static_cast<int64_t>(value));
  unsigned long long large = PyLong_AsUnsignedLongLong(object);
  if (PyErr_Occurred())
    throw nb::python_error();
  return Number::of(static_cast<uint64_t>(large));
}

void failNumber(const SpecializedNumber &mistake, PyObject *number) {
  std::string type(name(mistake.type));
  if (mistake.outcome == SpecializedNumber::Outcome::NeedsInteger)
    throw nb::type_error(("an integer is wanted for a parameter of type " + type).c_str());
  PyErr_Format(PyExc_OverflowError, "%R is not in the range of %s", number, type.c_str());
  throw nb::python_error();
}

SpecializedNumber readInteger(PyObject *integer) {
  return specialize::specializeNumber({.knowsOne = false}, readNumber(integer));
}

} // namespace nereid::python
