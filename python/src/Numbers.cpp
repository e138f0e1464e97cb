// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Numbers.h"

#include <bit>
#include <limits>
#include <string>

namespace nereid::python {

IntegerArgument readInteger(PyObject *integer) {
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(integer, &overflow);
  if (value == -1 && !overflow && PyErr_Occurred())
    throw nb::python_error();
  if (!overflow) {
    bool isInt32 = value >= std::numeric_limits<int32_t>::min() &&
                   value <= std::numeric_limits<int32_t>::max();
    return isInt32 ? IntegerArgument{DType::Int32, static_cast<uint32_t>(value)}
                   : IntegerArgument{DType::Int64, static_cast<uint64_t>(value)};
  }
  unsigned long long large = PyLong_AsUnsignedLongLong(integer);
  if (PyErr_Occurred())
    throw nb::python_error();
  return {DType::UInt64, large};
}

uint64_t integerBits(DType type, PyObject *integer) {
  if (!PyLong_Check(integer))
    throw nb::type_error(
        ("an integer is wanted for a parameter of type " + std::string(name(type))).c_str());
  IntegerArgument given = readInteger(integer);
  unsigned width = bitWidth(type);
  auto value = given.type == DType::Int32 ? static_cast<int64_t>(static_cast<int32_t>(given.bits))
                                          : static_cast<int64_t>(given.bits);
  uint64_t mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
  uint64_t bits = static_cast<uint64_t>(value) & mask;
  bool fits = true;
  if (width < 64)
    fits = isSigned(type)
               ? value >= -(int64_t(1) << (width - 1)) && value < int64_t(1) << (width - 1)
               : given.type != DType::UInt64 && value >= 0 && bits == uint64_t(value);
  if (!fits) {
    PyErr_Format(PyExc_OverflowError, "%R is not in the range of %s", integer,
                 std::string(name(type)).c_str());
    throw nb::python_error();
  }
  return bits;
}

uint64_t floatBits(DType type, double value) {
  if (type == DType::Float32)
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  uint64_t bits = 0;
  convertElements(DType::Float64, &value, type, &bits, 1);
  return bits;
}

} // namespace nereid::python
