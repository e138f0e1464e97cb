// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LaunchKey.h"

#include "Numbers.h"
#include "ThreadArguments.h"
#include "Values.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace nereid::python {
namespace {

PyObject *descriptorClass = nullptr, *constexprClass = nullptr, *dtypeClass = nullptr;

bool isInstance(nb::handle object, PyObject *type) {
  return type && PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject *>(type));
}

std::optional<ArgumentType> typeOf(nb::handle text) {
  if (text.is_none())
    return std::nullopt;
  std::string name = nb::cast<std::string>(text);
  bool isPointer = name.starts_with('*');
  auto dtype = parseDType(isPointer ? name.substr(1) : name);
  return dtype ? std::optional(ArgumentType{*dtype, isPointer, false}) : std::nullopt;
}

} // namespace

ParameterSpec readParameter(nb::handle tuple) {
  ParameterSpec parameter;
  PyObject *name = nb::borrow(tuple[0]).release().ptr();
  PyUnicode_InternInPlace(&name);
  parameter.name = nb::steal<nb::str>(name);
  nb::list fallback = nb::cast<nb::list>(tuple[1]);
  if (nb::len(fallback))
    parameter.fallback = fallback[0];
  parameter.isConstexpr = nb::cast<bool>(tuple[2]);
  parameter.isVariadic = nb::cast<bool>(tuple[3]);
  parameter.knowsOne = nb::cast<bool>(tuple[4]);
  parameter.knowsMultiples = nb::cast<bool>(tuple[5]);
  parameter.type = typeOf(tuple[6]);
  parameter.isOfThreads = nb::len(tuple) > 7 && nb::cast<bool>(tuple[7]);
  return parameter;
}

void setDescriptorClass(nb::object type) { descriptorClass = type.release().ptr(); }
bool isDescriptor(nb::handle object) { return isInstance(object, descriptorClass); }
void setConstexprClass(nb::object type) { constexprClass = type.release().ptr(); }
void setDtypeClass(nb::object type) { dtypeClass = type.release().ptr(); }
bool isConstexpr(nb::handle object) { return isInstance(object, constexprClass); }

nb::object unwrapped(nb::handle object) {
  return isConstexpr(object) ? unwrapped(nb::getattr(object, "value")) : nb::borrow(object);
}

template <typename T> void LaunchKey::put(char tag, const T &value) {
  size_t at = bytes.size();
  bytes.resize(at + 1 + sizeof(T));
  bytes[at] = tag;
  std::memcpy(bytes.data() + at + 1, &value, sizeof(T));
}

void LaunchKey::add(const ParameterSpec &parameter, nb::handle argument) {
  if (isConstexpr(argument))
    return addConstant(unwrapped(argument));
  if (parameter.isConstexpr)
    addConstant(argument);
  else
    addRuntime(parameter, argument);
}

void LaunchKey::addOption(nb::handle name, nb::handle value) {
  addText(name);
  addConstant(unwrapped(value));
}

void LaunchKey::addConstant(nb::handle value) {
  PyObject *object = value.ptr();
  if (object == Py_None || object == Py_True || object == Py_False)
    return put('c', object);
  if (PyLong_Check(object)) {
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (!overflow)
      return put('n', number);
    bytes.push_back('B'); // 2^64 - 1 is not -1
    return addText(nb::str(value));
  }
  if (PyFloat_Check(object))
    return put('d', PyFloat_AsDouble(object));
  if (PyUnicode_Check(object))
    return addText(value);
  if (PyTuple_Check(object) || PyList_Check(object)) {
    put('(', PySequence_Size(object));
    addTupleClass(value);
    for (nb::handle element : value)
      addConstant(unwrapped(element));
    return;
  }
  if (isNumberObject(value))
    return addConstant(value.attr("item")());
  if (reinterpret_cast<PyObject *>(Py_TYPE(object)) == dtypeClass) { // equal by name
    bytes.push_back('e');
    return addText(value.attr("name"));
  }
  if (!PyCallable_Check(object)) // such objects may be made anew for each launch
    isExact = false;
  identities.push_back(object);
  put('i', object);
}

void LaunchKey::addText(nb::handle text) {
  Py_ssize_t size = 0;
  const char *bytesOfText = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (!bytesOfText)
    throw nb::python_error();
  put('s', size);
  bytes.append(bytesOfText, static_cast<size_t>(size));
}

void LaunchKey::addNumberOfThreads(DType type, uint64_t bits) {
  put('u', type);
  slots.push_back({bits, 0});
}

void LaunchKey::addExtents(const ParameterSpec &parameter, const ArrayView &view) {
  ArgumentType type = arrayType(parameter, view);
  put(type.isContiguous ? 'E' : 'S', view.rank);
  for (unsigned i = 0; i < view.rank; ++i)
    slots.push_back({uint64_t(view.shape[i]), 0});
  for (unsigned i = 0; !type.isContiguous && i < view.rank; ++i)
    slots.push_back({uint64_t(view.strideBytes[i] / int64_t(byteSize(view.dtype))), 0});
}

void LaunchKey::addRuntime(const ParameterSpec &parameter, nb::handle argument) {
  PyObject *object = argument.ptr();
  if (object == Py_None)
    return bytes.push_back('N');
  if (parameter.isOfThreads && !PyTuple_Check(object) && !PyUnicode_Check(object)) {
    if (nb::handle parts = tupleInstead(*this, argument))
      return addTuple(parameter, parts);
    if (auto number = numberOfThreads(parameter, argument))
      return addNumberOfThreads(number->type, number->bits);
    ArrayView view = requireArray(*this, parameter, argument);
    if (view.rank == 0)
      if (nb::handle tuple = tupleInstead(*this, argument, /*hasNoDimensions=*/true))
        return addTuple(parameter, tuple);
    addArray(parameter, view, true);
    return addExtents(parameter, view);
  }
  bool isNumber = PyLong_Check(object) || PyFloat_Check(object);
  if (isNumber && parameter.type && !parameter.type->isPointer)
    return addTyped(parameter, argument);
  if (object == Py_True || object == Py_False) {
    bytes.push_back('b');
    return slots.push_back({object == Py_True, 0});
  }
  if (PyLong_Check(object))
    return addInteger(parameter, object);
  if (PyFloat_Check(object)) {
    bytes.push_back('f');
    return slots.push_back({floatBits(DType::Float32, PyFloat_AsDouble(object)), 0});
  }
  if (PyTuple_Check(object))
    return addTuple(parameter, argument);
  if (isDescriptor(argument))
    return addDescriptor(parameter, argument);
  if (PyUnicode_Check(object))
    return addConstant(argument);
  if (isNumberObject(argument))
    return addRuntime(parameter, argument.attr("item")());
  if (auto view = viewArray(argument))
    return addArray(parameter, *view, parameter.knowsMultiples);
  addConstant(argument);
}

void LaunchKey::addInteger(const ParameterSpec &parameter, PyObject *object) {
  IntegerArgument integer = readInteger(object);
  if (integer.bits == 1 && parameter.knowsOne)
    return bytes.push_back('1');
  addresses += parameter.type && parameter.type->isPointer && integer.bits;
  bytes.push_back('l');
  bytes.push_back(static_cast<char>(integer.type));
  bytes.push_back(parameter.knowsMultiples && integer.bits % alignment == 0);
  slots.push_back({integer.bits, 0});
}

void LaunchKey::addTyped(const ParameterSpec &parameter, nb::handle argument) {
  DType type = parameter.type->dtype;
  uint64_t bits = isFloat(type) ? floatBits(type, PyFloat_AsDouble(argument.ptr()))
                                : integerBits(type, argument.ptr());
  if (PyErr_Occurred())
    throw nb::python_error();
  bytes.push_back('t');
  bytes.push_back(isInteger(type) && parameter.knowsMultiples && bits % alignment == 0);
  slots.push_back({bits, 0});
}

std::optional<ArrayView> LaunchKey::viewArray(nb::handle argument) {
  for (const auto &[object, view] : owned)
    if (object == argument.ptr())
      return view;
  auto view = python::viewArray(argument);
  if (view && view->owner.is_valid())
    owned.emplace_back(argument.ptr(), *view);
  return view;
}

void LaunchKey::addArray(const ParameterSpec &parameter, const ArrayView &view,
                         bool knowsMultiples) {
  bytes.push_back('p');
  bytes.push_back(static_cast<char>(view.dtype));
  bytes.push_back(knowsMultiples && view.address % alignment == 0);
  bytes.push_back(view.isReadOnly);
  if (view.isReadOnly && view.extentBytes)
    readOnly.push_back(nb::cast<std::string>(parameter.name) + path);
  slots.push_back({view.address, view.extentBytes, view.bytesBelow});
  pointers.push_back({view.address - view.bytesBelow, view.address + view.extentBytes,
                      view.cudaDevice, view.isExtentKnown, &parameter, view.library, view.stream});
}

/// Tuples of other classes have names for their elements.
void LaunchKey::addTupleClass(nb::handle tuple) {
  if (PyTuple_CheckExact(tuple.ptr()) || !PyTuple_Check(tuple.ptr()))
    return;
  auto *type = reinterpret_cast<PyObject *>(Py_TYPE(tuple.ptr()));
  identities.push_back(type);
  put('C', type);
}

void LaunchKey::addTuple(const ParameterSpec &parameter, nb::handle tuple) {
  put('T', PyTuple_Size(tuple.ptr()));
  addTupleClass(tuple);
  std::string outside = path;
  size_t number = 0;
  for (nb::handle element : tuple) {
    path = outside + "." + std::to_string(number++);
    if (isConstexpr(element))
      addConstant(unwrapped(element));
    else
      addRuntime(parameter, element);
  }
  path = std::move(outside);
}

/// Its address and each stride in bytes, but that of the last dimension.
static bool isAligned(nb::handle descriptor, const ArrayView &view) {
  bool result = view.address % alignment == 0;
  nb::object strides = nb::getattr(descriptor, "strides");
  for (size_t i = 0; i + 1 < nb::len(strides); ++i)
    result &= readInteger(nb::int_(strides[i]).ptr()).bits * byteSize(view.dtype) % alignment == 0;
  return result;
}

void LaunchKey::addDescriptor(const ParameterSpec &parameter, nb::handle descriptor) {
  auto view = viewArray(nb::getattr(descriptor, "base"));
  if (!view)
    throw nb::type_error("the base of a tensor descriptor is no array");
  nb::object block = nb::getattr(descriptor, "block_shape");
  bytes.push_back('D');
  addConstant(block);
  addConstant(nb::getattr(descriptor, "padding"));
  addArray(parameter, *view, isAligned(descriptor, *view));
  for (nb::handle extent : nb::getattr(descriptor, "shape")) {
    IntegerArgument integer = readInteger(nb::int_(extent).ptr());
    if (integer.type != DType::Int32)
      host::requireExtent(nb::cast<std::string>(parameter.name),
                          static_cast<int64_t>(std::min<uint64_t>(integer.bits, INT64_MAX)));
    slots.push_back({integer.bits, 0});
  }
  for (nb::handle stride : nb::getattr(descriptor, "strides"))
    slots.push_back({readInteger(nb::int_(stride).ptr()).bits, 0});
  slots.pop_back(); // the last stride is 1
}

/// Pinned memory of the host is a GPU's as well, and so may another GPU's be. Only the driver knows
/// which is.
void LaunchKey::requireReach(const Pointer &pointer, const Pointer &first) const {
  // Open from now on: its memory is reached as long as that.
  static auto &peers = *new std::map<int, Device>();
  if (pointer.device >= 0 && !peers.contains(pointer.device))
    peers.emplace(pointer.device, Device::open("cuda:" + std::to_string(pointer.device)));
  // Libraries that map memory piece by piece have arrays that lie in several pieces.
  size_t size = pointer.device < 0 ? pointer.end - pointer.begin : 0;
  std::string why = whyOutOfReach(static_cast<unsigned>(cudaDevice),
                                  reinterpret_cast<void *>(pointer.begin), size);
  if (why.empty())
    return;
  auto place = [](const Pointer &of) {
    return "'" + nb::cast<std::string>(of.parameter->name) + "' lies " +
           (of.device < 0 ? "in the host's memory" : "on cuda:" + std::to_string(of.device));
  };
  std::string text = "argument " + place(pointer.device < 0 ? first : pointer);
  if (pointer.device < 0)
    text += ", and " + place(pointer) + "; the arrays of one launch lie on one device";
  else
    text += ", and the launch is on cuda:" + std::to_string(cudaDevice) + ": " + why;
  throw nb::value_error(text.c_str());
}

bool LaunchKey::Pointer::mayOverlap(const Pointer &other) const {
  auto isEmpty = [](const Pointer &pointer) {
    return pointer.isExtentKnown ? pointer.begin == pointer.end : !pointer.begin;
  };
  if (isEmpty(*this) || isEmpty(other))
    return false;
  return !isExtentKnown || !other.isExtentKnown || (begin < other.end && other.begin < end);
}

/// On which the arrays of the launch's device are ready; one of another device's is no stream
/// there.
void LaunchKey::takeStream() {
  for (const Pointer &pointer : pointers)
    if (pointer.device == cudaDevice) {
      library = library ? library : pointer.library;
      stream = stream ? stream : pointer.stream;
    }
}

void LaunchKey::findDevice(const std::function<int()> &current) {
  mayOverlap = addresses > 0 && addresses + pointers.size() > 1;
  const Pointer *first = nullptr; // on a GPU
  for (size_t i = 0; i < pointers.size(); ++i) {
    const Pointer &pointer = pointers[i];
    if (pointer.device >= 0 && !first)
      first = &pointer;
    if (!pointer.begin) // stands for an array, where a kernel is only compiled
      continue;
    for (size_t j = 0; j < i; ++j)
      mayOverlap |= pointer.mayOverlap(pointers[j]);
  }
  if (!first)
    return;
  cudaDevice = first->device;
  bool isSpread = std::ranges::any_of(pointers, [&](const Pointer &pointer) {
    return pointer.device >= 0 && pointer.device != cudaDevice && pointer.begin != pointer.end;
  });
  if (int chosen = isSpread ? current() : -1; chosen >= 0)
    cudaDevice = chosen;
  takeStream();
  for (const Pointer &pointer : pointers)
    if (pointer.device != cudaDevice && pointer.begin != pointer.end)
      requireReach(pointer, *first);
}

void LaunchKey::finish(bool isDebugging) {
  put(mayOverlap ? 'O' : 'A', cudaDevice);
  bytes.push_back(isDebugging);
}

// The same for the compiler

static host::Argument constant(nb::handle argument, nb::handle toConstant) {
  if (isNumberObject(argument))
    return constant(argument.attr("item")(), toConstant);
  return {toValue(toConstant(unwrapped(argument)))};
}

static host::Argument describeRuntime(LaunchKey &key, const ParameterSpec &parameter,
                                      nb::handle argument, nb::handle toConstant);

static host::Argument describeDescriptor(LaunchKey &key, nb::handle descriptor) {
  auto view = key.viewArray(nb::getattr(descriptor, "base"));
  host::DescriptorArgument result{view->dtype, isAligned(descriptor, *view), {}, false};
  for (nb::handle extent : nb::getattr(descriptor, "block_shape"))
    result.block.push_back(nb::cast<int64_t>(nb::int_(extent)));
  result.padsWithNan = nb::getattr(descriptor, "padding").equal(nb::str("nan"));
  return {std::move(result)};
}

static host::Argument describeRuntime(LaunchKey &key, const ParameterSpec &parameter,
                                      nb::handle argument, nb::handle toConstant) {
  PyObject *object = argument.ptr();
  auto number = [](DType type, bool isMultiple) {
    return host::Argument{ArgumentType{type, false, isMultiple}};
  };
  bool isOfThreads = parameter.isOfThreads && object != Py_None && !PyTuple_Check(object) &&
                     !PyUnicode_Check(object);
  if (isOfThreads) {
    if (nb::handle parts = tupleInstead(key, argument))
      return describeRuntime(key, parameter, parts, toConstant);
    if (auto given = numberOfThreads(parameter, argument))
      return number(given->type, false);
    ArrayView view = *key.viewArray(argument);
    if (view.rank == 0)
      if (nb::handle tuple = tupleInstead(key, argument, /*hasNoDimensions=*/true))
        return describeRuntime(key, parameter, tuple, toConstant);
    return {arrayType(parameter, view)};
  }
  bool isNumber = PyLong_Check(object) || PyFloat_Check(object);
  if (isNumber && parameter.type && !parameter.type->isPointer) {
    DType type = parameter.type->dtype;
    return number(type, isInteger(type) && parameter.knowsMultiples &&
                            integerBits(type, object) % alignment == 0);
  }
  if (PyBool_Check(object))
    return number(DType::Int1, false);
  if (PyLong_Check(object)) {
    IntegerArgument integer = readInteger(object);
    if (integer.bits == 1 && parameter.knowsOne)
      return {host::Value{int64_t(1)}};
    return number(integer.type, parameter.knowsMultiples && integer.bits % alignment == 0);
  }
  if (PyFloat_Check(object))
    return number(DType::Float32, false);
  if (PyTuple_Check(object)) {
    host::TupleArgument tuple;
    if (!PyTuple_CheckExact(object))
      if (nb::object type = toConstant(argument.type()); nb::isinstance<host::Record>(type))
        tuple.record = nb::cast<host::Record>(type);
    for (nb::handle element : argument)
      tuple.elements.push_back(isConstexpr(element)
                                   ? constant(element, toConstant)
                                   : describeRuntime(key, parameter, element, toConstant));
    return {std::move(tuple)};
  }
  if (isDescriptor(argument))
    return describeDescriptor(key, argument);
  if (isNumberObject(argument))
    return describeRuntime(key, parameter, argument.attr("item")(), toConstant);
  if (object != Py_None && !PyUnicode_Check(object))
    if (auto view = key.viewArray(argument)) {
      DType type =
          parameter.type && parameter.type->isPointer ? parameter.type->dtype : view->dtype;
      return {ArgumentType{type, true, parameter.knowsMultiples && view->address % alignment == 0}};
    }
  return constant(argument, toConstant);
}

host::Argument describeArgument(LaunchKey &key, const ParameterSpec &parameter, nb::handle argument,
                                nb::handle toConstant) {
  if (parameter.isConstexpr || isConstexpr(argument))
    return constant(argument, toConstant);
  return describeRuntime(key, parameter, argument, toConstant);
}

} // namespace nereid::python
