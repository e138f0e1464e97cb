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

void takeAnnotation(nb::handle text, specialize::ParameterRules &rules) {
  if (text.is_none())
    return;
  std::string name = nb::cast<std::string>(text);
  bool isPointer = name.starts_with('*');
  (isPointer ? rules.element : rules.number) = parseDType(isPointer ? name.substr(1) : name);
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
  parameter.rules.knowsOne = nb::cast<bool>(tuple[4]);
  parameter.rules.knowsMultiples = nb::cast<bool>(tuple[5]);
  parameter.rules.isOfThreads = nb::len(tuple) > 8 && nb::cast<bool>(tuple[8]);
  takeAnnotation(tuple[6], parameter.rules);
  parameter.isOption =
      nb::len(tuple) > 7 && nb::cast<bool>(tuple[7]) && !parameter.rules.isOfThreads;
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
  addConstantKey(unwrapped(value));
}

host::Argument LaunchKey::describe(const ParameterSpec &parameter, nb::handle argument) {
  std::vector<host::Argument> found;
  described = &found;
  add(parameter, argument);
  described = nullptr;
  return std::move(found.front());
}

static host::Argument constant(nb::handle argument, nb::handle toConstant) {
  if (isNumberObject(argument))
    return constant(argument.attr("item")(), toConstant);
  return {toValue(toConstant(unwrapped(argument)))};
}

void LaunchKey::addConstant(nb::handle value) {
  addConstantKey(value);
  if (described)
    described->push_back(constant(value, toConstant));
}

void LaunchKey::addType(const ArgumentType &type) {
  specialize::appendKey(bytes, type);
  if (described)
    described->push_back({type});
}

void LaunchKey::addConstantKey(nb::handle value) {
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
      addConstantKey(unwrapped(element));
    return;
  }
  if (isNumberObject(value))
    return addConstantKey(value.attr("item")());
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

/// A number for which the rules say a type; or one that is a constant.
void LaunchKey::addSpecialized(nb::handle argument, const specialize::SpecializedNumber &number) {
  using Outcome = specialize::SpecializedNumber::Outcome;
  if (number.outcome == Outcome::Constant) {
    bytes.push_back('1');
    if (described)
      described->push_back({host::Value{int64_t(1)}});
    return;
  }
  if (number.outcome != Outcome::Runtime)
    failNumber(number, argument.ptr());
  addType(number.argumentType());
  slots.push_back({number.bits, 0});
}

void LaunchKey::addNumber(const ParameterSpec &parameter, nb::handle argument) {
  const specialize::ParameterRules &rules = parameter.rules;
  specialize::Number number = readNumber(argument.ptr(), rules);
  bool isAddress = rules.element && number.kind == specialize::Number::Kind::Integer;
  addresses += isAddress && number.integer;
  addSpecialized(argument, specialize::specializeNumber(rules, number));
}

void LaunchKey::addOfThreads(const ParameterSpec &parameter, nb::handle argument) {
  if (nb::handle parts = tupleInstead(*this, argument))
    return addTuple(parameter, parts);
  if (auto number = numberOfThreads(parameter, argument))
    return addSpecialized(argument, *number);
  ArrayView view = requireArray(*this, parameter, argument);
  if (view.rank == 0)
    if (nb::handle tuple = tupleInstead(*this, argument, /*hasNoDimensions=*/true))
      return addTuple(parameter, tuple);
  ArgumentType type = arrayType(parameter, view);
  addArray(parameter, view, type);
  for (unsigned i = 0; i < view.rank; ++i)
    slots.push_back({uint64_t(view.shape[i]), 0});
  for (unsigned i = 0; !type.isContiguous && i < view.rank; ++i)
    slots.push_back({uint64_t(view.strideBytes[i] / int64_t(byteSize(view.dtype))), 0});
}

void LaunchKey::addRuntime(const ParameterSpec &parameter, nb::handle argument) {
  PyObject *object = argument.ptr();
  if (object == Py_None || PyUnicode_Check(object))
    return addConstant(argument);
  if (PyTuple_Check(object))
    return addTuple(parameter, argument);
  if (parameter.rules.isOfThreads)
    return addOfThreads(parameter, argument);
  if (PyLong_Check(object) || PyFloat_Check(object)) // booleans are integers there
    return addNumber(parameter, argument);
  if (isDescriptor(argument))
    return addDescriptor(parameter, argument);
  if (isNumberObject(argument))
    return addRuntime(parameter, argument.attr("item")());
  if (auto view = viewArray(argument))
    return addArray(parameter, *view,
                    specialize::specializeArray(parameter.rules, view->dtype, view->address));
  addConstant(argument);
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
                         const ArgumentType &type) {
  addType(type);
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
  host::TupleArgument parts;
  std::vector<host::Argument> *around =
      std::exchange(described, described ? &parts.elements : nullptr);
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
  described = around;
  if (!described)
    return;
  if (!PyTuple_CheckExact(tuple.ptr()))
    if (nb::object type = toConstant(tuple.type()); nb::isinstance<host::Record>(type))
      parts.record = nb::cast<host::Record>(type);
  described->push_back({std::move(parts)});
}

void LaunchKey::addDescriptor(const ParameterSpec &parameter, nb::handle descriptor) {
  auto view = viewArray(nb::getattr(descriptor, "base"));
  if (!view)
    throw nb::type_error("the base of a tensor descriptor is no array");
  std::vector<int64_t> block, strideBytes;
  for (nb::handle extent : nb::getattr(descriptor, "block_shape"))
    block.push_back(nb::cast<int64_t>(nb::int_(extent)));
  std::vector<host::Slot> numbers;
  for (nb::handle extent : nb::getattr(descriptor, "shape")) {
    specialize::SpecializedNumber integer = readInteger(nb::int_(extent).ptr());
    if (integer.type != DType::Int32)
      host::requireExtent(nb::cast<std::string>(parameter.name),
                          static_cast<int64_t>(std::min<uint64_t>(integer.bits, INT64_MAX)));
    numbers.push_back({integer.bits, 0});
  }
  for (nb::handle stride : nb::getattr(descriptor, "strides")) {
    numbers.push_back({readInteger(nb::int_(stride).ptr()).bits, 0});
    strideBytes.push_back(static_cast<int64_t>(numbers.back().bits * byteSize(view->dtype)));
  }
  bool padsWithNan = nb::getattr(descriptor, "padding").equal(nb::str("nan"));
  addArray(parameter, *view,
           specialize::specializeDescriptor(view->dtype, view->address, strideBytes,
                                            std::move(block), padsWithNan));
  slots.insert(slots.end(), numbers.begin(), numbers.end() - 1); // the last stride is 1
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

} // namespace nereid::python
