// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a device for arrays that the package makes itself, and what they are to launches.
#include "DeviceMemory.h"

#include "ArrayView.h"
#include "Lock.h"

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
      : array(device.empty(DType::UInt8, {std::max<int64_t>(bytes, 1)})), size(bytes) {}

  uint64_t address() const { return reinterpret_cast<uint64_t>(array.data()); }
  int64_t bytes() const { return size; }
  void copyFrom(nb::handle source) { copy(source, PyBUF_ANY_CONTIGUOUS, true); }
  void copyTo(nb::handle target) { copy(target, PyBUF_ANY_CONTIGUOUS | PyBUF_WRITABLE, false); }

private:
  void copy(nb::handle object, int flags, bool isFrom) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(object.ptr(), &buffer, flags))
      throw nb::python_error();
    bool fits = buffer.len == size;
    if (fits && size) {
      Unlocked unlocked;
      isFrom ? array.copyFrom(buffer.buf) : array.copyTo(buffer.buf);
    }
    PyBuffer_Release(&buffer);
    if (!fits)
      throw nb::value_error(
          ("memory of " + std::to_string(size) + " bytes is copied as a whole").c_str());
  }

  Array array;
  int64_t size;
};

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
      .def_prop_ro("address", &DeviceMemory::address)
      .def_prop_ro("bytes", &DeviceMemory::bytes)
      .def("copy_from", &DeviceMemory::copyFrom, nb::arg("source"))
      .def("copy_to", &DeviceMemory::copyTo, nb::arg("target"));
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
