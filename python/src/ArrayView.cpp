// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ArrayView.h"

#include "DLPack.h"

#include "nereid/devices.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <unordered_map>
#include <vector>

namespace nereid::python {
namespace {

struct Extent {
  uint64_t above = 0, below = 0;
  bool isEmpty = false;

  void add(int64_t count, int64_t strideBytes) {
    isEmpty |= count == 0;
    if (count > 1)
      (strideBytes > 0 ? above : below) +=
          static_cast<uint64_t>((count - 1) * std::abs(strideBytes));
  }
  /// Of dimension `i`, which need not come in order.
  void add(ArrayView &view, unsigned i, int64_t count, int64_t strideBytes) {
    add(count, strideBytes);
    view.rank = std::max(view.rank, i + 1);
    if (i < ArrayView::mostDimensions) {
      view.shape[i] = count;
      view.strideBytes[i] = strideBytes;
    }
  }
  void setOf(ArrayView &view, uint64_t elementBytes) const {
    view.extentBytes = isEmpty ? 0 : above + elementBytes;
    view.bytesBelow = isEmpty ? 0 : below;
  }
};

[[noreturn]] void failType(const std::string &name) {
  throw nb::type_error(("arrays of " + name + " are no arguments of a kernel").c_str());
}

// DLPack

DType dtypeOf(dlpack::DataType type) {
  auto pick = [&](std::initializer_list<DType> byWidth) {
    for (DType dtype : byWidth)
      if (bitWidth(dtype) == type.bits)
        return dtype;
    failType("DLPack's type " + std::to_string(type.code) + " of " + std::to_string(type.bits) +
             " bits");
  };
  switch (type.code) {
  case dlpack::Int:
    return pick({DType::Int8, DType::Int16, DType::Int32, DType::Int64});
  case dlpack::UInt:
    return pick({DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64});
  case dlpack::Float:
    return pick({DType::Float16, DType::Float32, DType::Float64});
  case dlpack::BFloat:
    return pick({DType::BFloat16});
  case dlpack::Bool:
    return DType::Int1;
  case dlpack::Float8E4M3FN:
    return DType::Float8E4M3FN;
  case dlpack::Float8E5M2:
    return DType::Float8E5M2;
  }
  return pick({});
}

void setView(ArrayView &view, const dlpack::Tensor &tensor) {
  view.address = reinterpret_cast<uint64_t>(tensor.data) + tensor.byteOffset;
  view.dtype = dtypeOf(tensor.dtype);
  bool isCuda = tensor.device.type == dlpack::Cuda || tensor.device.type == dlpack::CudaManaged;
  view.cudaDevice = isCuda ? tensor.device.number : -1;
  unsigned size = byteSize(view.dtype);
  Extent extent;
  int64_t packed = size;
  for (int i = tensor.dimensions - 1; i >= 0; --i) {
    extent.add(view, unsigned(i), tensor.shape[i],
               tensor.strides ? tensor.strides[i] * size : packed);
    packed *= tensor.shape[i];
  }
  extent.setOf(view, size);
}

// The buffer protocol

std::optional<DType> dtypeOfFormat(const char *format, Py_ssize_t size) {
  std::string_view text = format ? format : "B";
  if (!text.empty() && std::string_view("@=<").find(text[0]) != std::string_view::npos)
    text.remove_prefix(1);
  if (text.size() != 1)
    return std::nullopt;
  auto pick = [&](std::initializer_list<DType> byWidth) -> std::optional<DType> {
    for (DType dtype : byWidth)
      if (byteSize(dtype) == static_cast<size_t>(size))
        return dtype;
    return std::nullopt;
  };
  if (text == "?")
    return DType::Int1;
  if (std::string_view("bhilq").find(text[0]) != std::string_view::npos)
    return pick({DType::Int8, DType::Int16, DType::Int32, DType::Int64});
  if (std::string_view("BHILQ").find(text[0]) != std::string_view::npos)
    return pick({DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64});
  if (std::string_view("efd").find(text[0]) != std::string_view::npos)
    return pick({DType::Float16, DType::Float32, DType::Float64});
  return std::nullopt;
}

std::optional<ArrayView> viewBuffer(PyObject *object) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(object, &buffer, PyBUF_FORMAT | PyBUF_STRIDES)) {
    PyErr_Clear();
    return std::nullopt;
  }
  std::optional<ArrayView> view;
  if (auto dtype = dtypeOfFormat(buffer.format, buffer.itemsize)) {
    view.emplace();
    view->address = reinterpret_cast<uint64_t>(buffer.buf);
    view->dtype = *dtype;
    view->isReadOnly = buffer.readonly;
    Extent extent;
    for (int i = 0; i < buffer.ndim; ++i)
      extent.add(*view, unsigned(i), buffer.shape[i], buffer.strides[i]);
    extent.setOf(*view, static_cast<uint64_t>(buffer.itemsize));
  }
  PyBuffer_Release(&buffer);
  return view;
}

// Attributes

DType requireDType(nb::handle dtype) {
  std::string text = nb::cast<std::string>(nb::str(dtype));
  if (auto known = dtypeOfText(text))
    return *known;
  failType(text);
}

std::vector<int64_t> integers(nb::handle sequence) {
  std::vector<int64_t> result;
  for (nb::handle element : sequence)
    result.push_back(nb::cast<int64_t>(nb::int_(element)));
  return result;
}

void setExtent(ArrayView &view, const std::vector<int64_t> &shape,
               const std::vector<int64_t> &strideBytes) {
  uint64_t size = byteSize(view.dtype);
  Extent extent;
  int64_t packed = static_cast<int64_t>(size);
  for (size_t i = shape.size(); i-- > 0; packed *= shape[i])
    extent.add(view, unsigned(i), shape[i], i < strideBytes.size() ? strideBytes[i] : packed);
  extent.setOf(view, size);
}

/// 1 of "cuda:1", -1 of "cpu".
int cudaNumber(std::string_view device) {
  if (!device.starts_with("cuda"))
    return -1;
  int number = 0;
  if (size_t colon = device.find(':'); colon != std::string_view::npos)
    std::from_chars(device.data() + colon + 1, device.data() + device.size(), number);
  return number;
}

/// A tensor in PyTorch's manner, or something that wraps one.
std::optional<ArrayView> viewDataPointer(nb::handle object) {
  nb::object pointer = nb::getattr(object, "data_ptr", nb::none());
  nb::object dtype = nb::getattr(object, "dtype", nb::none());
  if (pointer.is_none() || dtype.is_none())
    return std::nullopt;
  ArrayView view;
  view.address = nb::cast<uint64_t>(pointer());
  view.dtype = requireDType(dtype);
  nb::object shape = nb::getattr(object, "shape", nb::none());
  nb::object stride = nb::getattr(object, "stride", nb::none());
  view.isExtentKnown = !shape.is_none() && !stride.is_none();
  if (view.isExtentKnown) {
    std::vector<int64_t> strides = integers(stride());
    for (int64_t &step : strides)
      step *= byteSize(view.dtype);
    setExtent(view, integers(shape), strides);
  }
  nb::object device = nb::getattr(object, "device", nb::none());
  if (!device.is_none())
    view.cudaDevice = cudaNumber(nb::cast<std::string>(nb::str(device)));
  return view;
}

std::optional<ArrayView> viewInterface(nb::handle object, const char *attribute) {
  nb::object given = nb::getattr(object, attribute, nb::none());
  if (given.is_none())
    return std::nullopt;
  nb::dict interface = nb::cast<nb::dict>(given);
  ArrayView view;
  view.address = nb::cast<uint64_t>(nb::int_(interface["data"][0]));
  view.isReadOnly = nb::cast<bool>(nb::bool_(interface["data"][1]));
  std::string type = nb::cast<std::string>(interface["typestr"]);
  auto known = dtypeOfText(type);
  if (!known) // what NumPy lacks has a type of its own, which knows its name
    known = requireDType(nb::getattr(object, "dtype", nb::str(type.c_str())));
  view.dtype = *known;
  nb::object strides =
      interface.contains("strides") ? nb::object(interface["strides"]) : nb::none();
  setExtent(view, integers(interface["shape"]),
            strides.is_none() ? std::vector<int64_t>() : integers(strides));
  return view;
}

/// The interface does not say which GPU an address is of, but the driver does. It names the legacy
/// default stream 1, the driver null.
ArrayView onCuda(ArrayView view, nb::handle object) {
  auto *address = reinterpret_cast<const void *>(view.address);
  view.cudaDevice = static_cast<int>(gpuOf(address).value_or(0));
  nb::dict interface = nb::cast<nb::dict>(nb::getattr(object, "__cuda_array_interface__"));
  nb::object stream = interface.contains("stream") ? nb::object(interface["stream"]) : nb::none();
  if (!stream.is_none())
    view.stream = nb::cast<uint64_t>(nb::int_(stream));
  if (view.stream == uint64_t(1))
    view.stream = 0;
  return view;
}

/// Of version 1 if the library has it, which says what may be written.
nb::object makeCapsule(const nb::object &make) {
  try {
    return make(nb::arg("max_version") = nb::make_tuple(1, 0));
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_TypeError))
      throw;
  }
  return make();
}

std::optional<ArrayView> viewCapsule(nb::handle object) {
  nb::object make = nb::getattr(object, "__dlpack__", nb::none());
  if (make.is_none())
    return std::nullopt;
  nb::object capsule = makeCapsule(make);
  ArrayView view;
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")) {
    auto *managed = static_cast<dlpack::VersionedTensor *>(
        PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    if (managed->version.major != 1)
      throw nb::type_error(
          ("DLPack of version " + std::to_string(managed->version.major) + " is not known; 1 is")
              .c_str());
    setView(view, managed->tensor);
    view.isReadOnly = managed->flags & (dlpack::ReadOnly | dlpack::Copied);
  } else {
    auto *managed =
        static_cast<dlpack::ManagedTensor *>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
    if (!managed)
      throw nb::python_error();
    setView(view, managed->tensor);
  }
  view.owner = capsule; // which may be all that keeps it
  if (view.cudaDevice >= 0)
    view.stream = 0; // on which the elements are there, where none is asked for
  return view;
}

// Which way a type is read

enum class Reader { Held, Exchange, Buffer, Attributes, Number };
struct TypeReader {
  Reader reader;
  const dlpack::ExchangeApi *exchange = nullptr;
  /// Its arrays never change, whatever their capsules say.
  bool isImmutable = false;
};

/// The capsules of these are of the kind that cannot say it, or were in versions that are about.
bool isImmutableType(nb::handle type) {
  nb::object module = nb::getattr(type, "__module__", nb::none());
  if (!nb::isinstance<nb::str>(module))
    return false;
  auto name = nb::cast<std::string>(module);
  constexpr std::string_view libraries[] = {"jaxlib.", "pyarrow.", "tensorflow."};
  return std::ranges::any_of(libraries, [&](auto library) { return name.starts_with(library); });
}

/// numpy.generic is what the types of NumPy's numbers have in common.
bool isNumberType(nb::handle type) {
  for (nb::handle base : nb::getattr(type, "__mro__"))
    if (nb::getattr(base, "__name__").equal(nb::str("generic")) &&
        nb::getattr(base, "__module__").equal(nb::str("numpy")))
      return true;
  return false;
}

TypeReader readerOf(PyTypeObject *type) {
  auto *object = reinterpret_cast<PyObject *>(type);
  if (PyObject_IsSubclass(object, nb::type<HeldArray>().ptr()) == 1)
    return {Reader::Held};
  if (isNumberType(object))
    return {Reader::Number};
  if (PyObject_HasAttrString(object, dlpack::exchangeAttribute)) {
    nb::object capsule = nb::getattr(nb::handle(object), dlpack::exchangeAttribute);
    auto *api = static_cast<const dlpack::ExchangeApi *>(
        PyCapsule_GetPointer(capsule.ptr(), dlpack::exchangeName));
    if (api && api->version.major == 1 && api->describe)
      return {Reader::Exchange, api};
    PyErr_Clear();
  }
  bool isNumpy = PyObject_HasAttrString(object, "__array_interface__");
  return {isNumpy ? Reader::Buffer : Reader::Attributes, nullptr, isImmutableType(object)};
}

/// Arrays below 4 GiB that were found to have memory, by object and address. Python that is no
/// position-independent program has its heap there, and each launch of small arrays would ask
/// anew: a third of its time. Who is given an object's place, or loses its memory, has another
/// address. Under the interpreter's lock.
class FoundMemory {
public:
  bool holds(nb::handle object, uint64_t address) const {
    const Place &place = places[placeOf(object)];
    return place.object == object.ptr() && place.address == address;
  }
  void add(nb::handle object, uint64_t address) {
    places[placeOf(object)] = {object.ptr(), address};
  }

private:
  struct Place {
    const PyObject *object = nullptr; // compared alone: it may be gone
    uint64_t address = 0;
  };
  static constexpr size_t count = 256;
  static size_t placeOf(nb::handle object) {
    return reinterpret_cast<uintptr_t>(object.ptr()) / alignof(std::max_align_t) % count;
  }
  std::array<Place, count> places;
};

bool hasStorageAtNull(nb::handle object) {
  if (!nb::hasattr(object, "untyped_storage"))
    return false;
  try {
    return nb::cast<uint64_t>(object.attr("untyped_storage")().attr("data_ptr")()) == 0;
  } catch (nb::python_error &) {
    return true; // a fake tensor's storage, which refuses to say
  }
}

/// Whether an address is an offset from null, of an array that has a shape and no memory: on
/// PyTorch's device "meta", of its fake tensors, of a storage of no size. The lowest pages are
/// nobody's.
bool isOffsetFromNull(uint64_t address, nb::handle object) {
  static FoundMemory found;
  if (address >> 16 == 0)
    return true;
  if (address >> 32 != 0 || found.holds(object, address))
    return false;
  if (hasStorageAtNull(object))
    return true;
  found.add(object, address);
  return false;
}

/// Where a kernel is only compiled, the shape and the dtype are enough.
void requireMemory(const ArrayView &view, nb::handle object) {
  if (!view.extentBytes || !isOffsetFromNull(view.address, object) ||
      nb::cast<bool>(nb::module_::import_("nereid.compiled").attr("is_compiling_ahead")()))
    return;
  nb::object device = nb::getattr(object, "device", nb::none());
  std::string text = "an array without memory is no argument of a launch: " +
                     nb::cast<std::string>(nb::getattr(object.type(), "__name__")) + " of shape " +
                     nb::cast<std::string>(nb::str(nb::getattr(object, "shape", nb::none())));
  if (!device.is_none())
    text += " on " + nb::cast<std::string>(nb::str(device));
  throw nb::value_error(text.c_str());
}

/// Types are few and live long; each is kept alive by its place here. Most arguments are of the
/// type of the one before.
const TypeReader &knownReader(PyTypeObject *type) {
  using Readers = std::unordered_map<PyTypeObject *, TypeReader>;
  static auto &readers = *new Readers();
  static const Readers::value_type *last = nullptr; // stays where it is while others are added
  if (last && last->first == type)
    return last->second;
  auto known = readers.find(type);
  if (known == readers.end()) {
    const TypeReader reader = readerOf(type);
    Py_INCREF(reinterpret_cast<PyObject *>(type));
    known = readers.emplace(type, reader).first;
  }
  last = &*known;
  return last->second;
}

} // namespace

std::optional<DType> dtypeOfText(std::string_view text) {
  text = text.substr(text.rfind('.') + 1);
  if (auto known = parseDType(text))
    return known;
  if (text == "bool" || text == "bool_")
    return DType::Int1;
  if (text == "float8_e4m3fn")
    return DType::Float8E4M3FN;
  if (text == "float8_e5m2")
    return DType::Float8E5M2;
  for (DType type : allDTypes())
    if (!numpyDescriptor(type).empty() && text == numpyDescriptor(type))
      return type;
  return std::nullopt;
}

bool isNumberObject(nb::handle object) {
  return knownReader(Py_TYPE(object.ptr())).reader == Reader::Number;
}

static std::optional<ArrayView> findArray(nb::handle object) {
  const TypeReader &reader = knownReader(Py_TYPE(object.ptr()));
  if (reader.reader == Reader::Held)
    return nb::inst_ptr<HeldArray>(object)->view;
  if (reader.reader == Reader::Exchange) {
    dlpack::Tensor tensor;
    if (reader.exchange->describe(object.ptr(), &tensor) == 0) {
      std::optional<ArrayView> view(std::in_place); // 200 bytes, which are not copied
      setView(*view, tensor);
      view->library = reader.exchange;
      return view;
    }
    PyErr_Clear(); // a kind of tensor that cannot say; its attributes may
  }
  if (reader.reader == Reader::Buffer)
    if (auto view = viewBuffer(object.ptr()))
      return view;
  if (auto view = viewDataPointer(object))
    return view;
  if (auto view = viewInterface(object, "__cuda_array_interface__"))
    return onCuda(*view, object);
  if (auto view = viewInterface(object, "__array_interface__"))
    return view;
  if (reader.reader != Reader::Buffer && PyObject_CheckBuffer(object.ptr()))
    if (auto view = viewBuffer(object.ptr()))
      return view;
  auto view = viewCapsule(object);
  if (view)
    view->isReadOnly |= reader.isImmutable;
  return view;
}

std::optional<ArrayView> viewArray(nb::handle object) {
  auto view = findArray(object);
  if (view)
    requireMemory(*view, object);
  return view;
}

} // namespace nereid::python
