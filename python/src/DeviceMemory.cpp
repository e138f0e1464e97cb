// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a device for arrays that the package makes itself, and what they are to launches.
#include "DeviceMemory.h"

#include "ArrayView.h"
#include "Lock.h"
#include "Streams.h"

#include "nereid/nereid.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdlib>

namespace nereid::python {
namespace {

/// Bytes of a device, of which none may be asked for.
class DeviceMemory {
public:
  DeviceMemory(const Device &device, int64_t bytes)
      : device(device), array(device.empty(DType::UInt8, {std::max<int64_t>(bytes, 1)})),
        size(bytes) {}

  /// Memory that somebody else keeps.
  static DeviceMemory borrow(const Device &device, uint64_t address, int64_t bytes) {
    if (!bytes)
      return {device, 0};
    auto *begin = reinterpret_cast<void *>(address);
    return {device, device.borrow(begin, DType::UInt8, {bytes}), bytes};
  }

  uint64_t address() const { return reinterpret_cast<uint64_t>(array.data()); }
  int64_t bytes() const { return size; }

  enum class Way { ToDevice, ToHost };
  /// What lies in the host's buffer, to or from `offset`, in the order of the stream's work. Copies
  /// of all bytes keep the memory; of others, the caller keeps it until they are done.
  void copy(void *host, int64_t count, int64_t offset, const Stream &stream, Way way) const {
    if (offset < 0 || count > size - offset)
      throw nb::value_error((std::to_string(count) + " bytes from " + std::to_string(offset) +
                             " on are not within memory of " + std::to_string(size))
                                .c_str());
    if (!count)
      return;
    Unlocked unlocked;
    Array part = count == size ? array : partOf(offset, count);
    way == Way::ToDevice ? part.copyFrom(host, stream) : part.copyTo(host, stream);
  }

private:
  DeviceMemory(Device device, Array array, int64_t size)
      : device(std::move(device)), array(std::move(array)), size(size) {}

  Array partOf(int64_t offset, int64_t count) const {
    return device.borrow(static_cast<char *>(array.data()) + offset, DType::UInt8, {count});
  }

  Device device;
  Array array;
  int64_t size;
};

/// Returns at once; the memory and the host's object stay until the stream has come by.
void copy(nb::handle memory, nb::handle object, int64_t offset, const Stream &stream,
          DeviceMemory::Way way) {
  Py_buffer buffer;
  bool isWritten = way == DeviceMemory::Way::ToHost;
  if (PyObject_GetBuffer(object.ptr(), &buffer,
                         PyBUF_ANY_CONTIGUOUS | (isWritten ? PyBUF_WRITABLE : PyBUF_SIMPLE)))
    throw nb::python_error();
  try {
    nb::inst_ptr<DeviceMemory>(memory)->copy(buffer.buf, buffer.len, offset, stream, way);
  } catch (...) {
    PyBuffer_Release(&buffer);
    throw;
  }
  PyBuffer_Release(&buffer);
  keepUntilDone(stream, nb::make_tuple(memory, object));
}

HeldArray makeArray(uint64_t address, const std::string &dtype, const std::vector<int64_t> &shape,
                    const std::vector<int64_t> &strides, int cudaDevice) {
  auto type = dtypeOfText(dtype);
  if (!type)
    throw nb::type_error(("arrays of " + dtype + " are no arguments of a kernel").c_str());
  if (shape.size() > ArrayView::mostDimensions || shape.size() != strides.size())
    throw nb::value_error("an array has up to 8 dimensions, and a stride for each");
  ArrayView view;
  view.address = address;
  view.dtype = *type;
  view.cudaDevice = cudaDevice;
  view.rank = unsigned(shape.size());
  bool isEmpty = false;
  uint64_t above = 0;
  if (cudaDevice >= 0)
    view.stream = 0; // where nobody names one
  for (size_t i = 0; i < shape.size(); ++i) {
    view.shape[i] = shape[i];
    view.strideBytes[i] = strides[i];
    isEmpty |= shape[i] == 0;
    if (shape[i] > 1)
      (strides[i] > 0 ? above : view.bytesBelow) += uint64_t((shape[i] - 1) * std::abs(strides[i]));
  }
  view.extentBytes = isEmpty ? 0 : above + byteSize(*type);
  return {view};
}

} // namespace

void addDeviceMemory(nb::module_ &module) {
  nb::class_<DeviceMemory>(module, "DeviceMemory")
      .def(nb::init<const Device &, int64_t>(), nb::arg("device"), nb::arg("bytes"))
      .def_static("borrow", &DeviceMemory::borrow, nb::arg("device"), nb::arg("address"),
                  nb::arg("bytes"))
      .def_prop_ro("address", &DeviceMemory::address)
      .def_prop_ro("bytes", &DeviceMemory::bytes)
      .def(
          "copy_from",
          [](nb::handle self, nb::handle source, int64_t offset, const Stream &stream) {
            copy(self, source, offset, stream, DeviceMemory::Way::ToDevice);
          },
          nb::arg("source"), nb::arg("offset"), nb::arg("stream"))
      .def(
          "copy_to",
          [](nb::handle self, nb::handle target, int64_t offset, const Stream &stream) {
            copy(self, target, offset, stream, DeviceMemory::Way::ToHost);
          },
          nb::arg("target"), nb::arg("offset"), nb::arg("stream"));
  nb::class_<HeldArray>(module, "HeldArray")
      .def(
          "__init__",
          [](HeldArray *self, uint64_t address, const std::string &dtype,
             const std::vector<int64_t> &shape, const std::vector<int64_t> &strides, int device) {
            new (self) HeldArray(makeArray(address, dtype, shape, strides, device));
          },
          nb::arg("address"), nb::arg("dtype"), nb::arg("shape"), nb::arg("strides"),
          nb::arg("cuda_device") = -1);
}

} // namespace nereid::python
