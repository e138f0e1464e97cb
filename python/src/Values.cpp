// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Values.h"

#include "ArrayView.h"
#include "Lock.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nereid::python {
namespace {

/// A function of Python's that runs while kernels are compiled. It gets positional arguments and
/// named ones, and gives what toValue() takes.
struct PythonCall {
  std::string name, key;
  nb::object function;
  /// By each program, on what it has: a tile is (bytes, NumPy's type, shape), in float32 what NumPy
  /// has no type for.
  bool isByPrograms = false;
  std::optional<std::string> resultMatters = {};
};

/// An object of a class of tuples with names.
struct RecordObject {
  host::Record record;
  nb::tuple elements;
};

/// A Python object that C++ code may drop without holding the interpreter's lock.
std::shared_ptr<nb::object> share(nb::object object) {
  return {new nb::object(std::move(object)), [](nb::object *held) {
            Locked lock;
            delete held;
          }};
}

host::Value callPython(nb::handle function,
                       std::span<const std::pair<std::string, host::Value>> given) {
  Locked lock;
  nb::list positional;
  nb::dict named;
  for (const auto &[name, value] : given) {
    if (name.empty())
      positional.append(fromValue(value));
    else
      named[name.c_str()] = fromValue(value);
  }
  return toValue(function(*positional, **named));
}

nb::object fromTile(const host::TileView &tile) {
  DType type = tile.isPointer ? DType::UInt64 : tile.dtype;
  size_t count = 1;
  nb::list shape;
  for (int64_t extent : tile.shape) {
    count *= static_cast<size_t>(extent);
    shape.append(extent);
  }
  const void *elements = tile.elements;
  std::vector<float> widened;
  if (numpyDescriptor(type).empty()) {
    widened.resize(count);
    convertElements(type, elements, DType::Float32, widened.data(), count);
    elements = widened.data();
    type = DType::Float32;
  }
  return nb::make_tuple(nb::bytes(elements, count * byteSize(type)),
                        std::string(numpyDescriptor(type)), nb::tuple(shape));
}

void runPython(nb::handle function, std::span<const host::Call::Given> given) {
  Locked lock;
  nb::list positional;
  nb::dict named;
  for (const host::Call::Given &argument : given) {
    nb::object value = argument.constant ? fromValue(*argument.constant) : fromTile(argument.tile);
    if (argument.name.empty())
      positional.append(value);
    else
      named[argument.name.c_str()] = value;
  }
  function(*positional, **named);
}

host::Value toCall(const PythonCall &call) {
  auto function = share(call.function);
  auto run = [function](std::span<const std::pair<std::string, host::Value>> given) {
    return callPython(*function, given);
  };
  host::Call result{call.name, call.key, run};
  result.resultMatters = call.resultMatters;
  if (call.isByPrograms)
    result.run = [function](std::span<const host::Call::Given> given) {
      runPython(*function, given);
    };
  return {std::make_shared<const host::Call>(std::move(result))};
}

host::Value toInteger(nb::handle object) {
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  if (!overflow)
    return {static_cast<int64_t>(value)};
  unsigned long long large = PyLong_AsUnsignedLongLong(object.ptr());
  if (!PyErr_Occurred())
    return {static_cast<uint64_t>(large)};
  PyErr_Clear();
  return {host::Foreign{"the integer " + nb::cast<std::string>(nb::str(object)) +
                        ", which has more than 64 bits"}};
}

std::string describeType(nb::handle object) {
  return "a " + nb::cast<std::string>(nb::str(nb::getattr(object.type(), "__name__")));
}

struct FromValue {
  nb::object operator()(std::monostate) const { return nb::none(); }
  nb::object operator()(bool boolean) const { return nb::bool_(boolean); }
  nb::object operator()(int64_t integer) const { return nb::int_(integer); }
  nb::object operator()(uint64_t integer) const { return nb::int_(integer); }
  nb::object operator()(double number) const { return nb::float_(number); }
  nb::object operator()(const std::string &text) const {
    return nb::str(text.c_str(), text.size());
  }
  nb::object operator()(const std::shared_ptr<const host::Tuple> &tuple) const {
    nb::list elements;
    for (const host::Value &element : tuple->elements)
      elements.append(fromValue(element));
    if (tuple->record)
      return nb::cast(RecordObject{*tuple->record, nb::tuple(elements)});
    return nb::tuple(elements);
  }
  nb::object operator()(const std::shared_ptr<const host::Namespace> &space) const {
    return nb::cast(*space);
  }
  nb::object operator()(const std::shared_ptr<const host::Call> &call) const {
    return nb::str(call->name.c_str());
  }
  nb::object operator()(const std::shared_ptr<const host::ConstantArray> &array) const {
    return nb::cast(*array);
  }
  nb::object operator()(const auto &value) const { return nb::cast(value); }
};

} // namespace

host::Value toValue(nb::handle object) {
  if (object.is_none())
    return {};
  if (nb::isinstance<nb::bool_>(object))
    return {nb::cast<bool>(object)};
  if (nb::isinstance<nb::int_>(object))
    return toInteger(object);
  if (nb::isinstance<nb::float_>(object))
    return {nb::cast<double>(object)};
  if (nb::isinstance<nb::str>(object))
    return {nb::cast<std::string>(object)};
  if (nb::isinstance<nb::tuple>(object) || nb::isinstance<nb::list>(object)) {
    auto tuple = std::make_shared<host::Tuple>();
    for (nb::handle element : object)
      tuple->elements.push_back(toValue(element));
    return {std::shared_ptr<const host::Tuple>(std::move(tuple))};
  }
  if (nb::isinstance<RecordObject>(object)) {
    const auto &given = nb::cast<const RecordObject &>(object);
    auto tuple = std::make_shared<host::Tuple>();
    for (nb::handle element : given.elements)
      tuple->elements.push_back(toValue(element));
    tuple->record = given.record;
    return {std::shared_ptr<const host::Tuple>(std::move(tuple))};
  }
  if (nb::isinstance<host::Record>(object))
    return {nb::cast<host::Record>(object)};
  if (nb::isinstance<host::LanguagePart>(object))
    return {nb::cast<host::LanguagePart>(object)};
  if (nb::isinstance<host::ElementType>(object))
    return {nb::cast<host::ElementType>(object)};
  if (nb::isinstance<host::Function>(object))
    return {nb::cast<host::Function>(object)};
  if (nb::isinstance<host::Namespace>(object))
    return {std::make_shared<const host::Namespace>(nb::cast<const host::Namespace &>(object))};
  if (nb::isinstance<PythonCall>(object))
    return toCall(nb::cast<const PythonCall &>(object));
  if (nb::isinstance<host::ConstantArray>(object))
    return {
        std::make_shared<const host::ConstantArray>(nb::cast<const host::ConstantArray &>(object))};
  if (nb::isinstance<host::Foreign>(object))
    return {nb::cast<host::Foreign>(object)};
  return {host::Foreign{describeType(object)}};
}

nb::object fromValue(const host::Value &value) { return std::visit(FromValue(), value.content); }

host::Names toNames(nb::dict names) {
  host::Names result;
  for (auto [name, value] : names)
    result.emplace_back(nb::cast<std::string>(name), toValue(value));
  return result;
}

static DType requireDType(const std::string &name) {
  if (auto dtype = parseDType(name))
    return *dtype;
  throw nb::value_error(("no dtype '" + name + "'").c_str());
}

static void addFunctionClass(nb::module_ &module) {
  using host::Function;
  nb::class_<Function>(module, "Function")
      .def(
          "__init__",
          [](Function *self, std::string text, std::string path, std::string name, unsigned line) {
            new (self) Function({std::move(text), std::move(path), std::move(name), line});
          },
          nb::arg("text"), nb::arg("path"), nb::arg("name"), nb::arg("first_line"))
      .def(
          "explain",
          [](const Function &self, nb::dict globals, nb::dict defaults) {
            self.explain(toNames(globals), toNames(defaults));
          },
          nb::arg("globals"), nb::arg("defaults"))
      .def_prop_ro("name", &Function::name)
      .def_prop_ro("parameters",
                   [](const Function &self) {
                     std::vector<std::tuple<std::string, bool, bool>> list;
                     for (const Parameter &parameter : self.parameters())
                       list.emplace_back(parameter.name, parameter.isConstexpr,
                                         parameter.hasDefault);
                     return list;
                   })
      .def("digest", &Function::digest);
}

static void addRecordClasses(nb::module_ &module) {
  using host::Record;
  nb::class_<Record>(module, "Record")
      .def(nb::init<std::string>(), nb::arg("name"))
      .def(
          "explain",
          [](const Record &self, std::vector<std::string> fields, nb::dict defaults,
             nb::dict methods, std::vector<Record> bases) {
            self.explain(fields, toNames(defaults), toNames(methods), bases);
          },
          nb::arg("fields"), nb::arg("defaults"), nb::arg("methods"), nb::arg("bases"))
      .def("digest", &Record::digest)
      .def_prop_ro("identity", [](const Record &self) {
        return reinterpret_cast<uintptr_t>(self.get().get());
      });
  nb::class_<RecordObject>(module, "RecordObject")
      .def(
          "__init__",
          [](RecordObject *self, Record record, nb::tuple elements) {
            new (self) RecordObject{std::move(record), std::move(elements)};
          },
          nb::arg("record"), nb::arg("elements"))
      .def_ro("record", &RecordObject::record)
      .def_ro("elements", &RecordObject::elements);
}

void addValueClasses(nb::module_ &module) {
  using namespace host;
  nb::class_<LanguagePart>(module, "LanguagePart")
      .def("__init__", [](LanguagePart *self, std::string path) { new (self) LanguagePart{path}; })
      .def_ro("path", &LanguagePart::path);
  nb::class_<ElementType>(module, "ElementType")
      .def(
          "__init__",
          [](ElementType *self, std::string name, bool isPointer) {
            new (self) ElementType{requireDType(name), isPointer};
          },
          nb::arg("name"), nb::arg("is_pointer") = false)
      .def_prop_ro("name", [](const ElementType &self) { return std::string(name(self.dtype)); })
      .def_ro("is_pointer", &ElementType::isPointer);
  nb::class_<Namespace>(module, "Namespace")
      .def("__init__", [](Namespace *self, std::string name, nb::dict members) {
        new (self) Namespace{std::move(name), toNames(members)};
      });
  nb::class_<PythonCall>(module, "Call")
      .def(
          "__init__",
          [](PythonCall *self, std::string name, std::string key, nb::object function,
             bool isByPrograms, std::optional<std::string> resultMatters) {
            new (self) PythonCall{std::move(name), std::move(key), std::move(function),
                                  isByPrograms, std::move(resultMatters)};
          },
          nb::arg("name"), nb::arg("key"), nb::arg("function"), nb::arg("is_by_programs") = false,
          nb::arg("result_matters") = nb::none());
  nb::class_<ConstantArray>(module, "ConstantArray")
      .def(
          "__init__",
          [](ConstantArray *self, std::string dtype, std::vector<int64_t> shape, nb::bytes bytes) {
            new (self) ConstantArray{requireDType(dtype), std::move(shape),
                                     std::string(bytes.c_str(), bytes.size())};
          },
          nb::arg("dtype"), nb::arg("shape"), nb::arg("bytes"));
  nb::class_<Foreign>(module, "Foreign")
      .def("__init__",
           [](Foreign *self, std::string description) { new (self) Foreign{description}; })
      .def_ro("description", &Foreign::description);
  addFunctionClass(module);
  addRecordClasses(module);
}

} // namespace nereid::python
