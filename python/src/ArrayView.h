// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of whatever library: where their elements lie.
#pragma once

#include "nereid/DType.h"

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <optional>

namespace nereid::python {

namespace nb = nanobind;

namespace dlpack {
struct ExchangeApi;
}

struct ArrayView {
  /// Of the element at index 0.
  uint64_t address = 0;
  /// From there to the end of the highest element; 0 where that is not known or there is none.
  uint64_t extentBytes = 0;
  /// From the lowest element, which negative strides lead to, up to `address`.
  uint64_t bytesBelow = 0;
  bool isExtentKnown = true;
  /// Its extents and byte strides, as far as there is room; more dimensions are no argument of a
  /// kernel of threads.
  static constexpr unsigned mostDimensions = 8;
  unsigned rank = 0;
  std::array<int64_t, mostDimensions> shape, strideBytes;
  DType dtype = DType::Float32;
  /// -1: the host's memory; otherwise the number of a CUDA device.
  int cudaDevice = -1;
  /// On a CUDA device: the library that can say on which stream it works, or the stream on which
  /// the elements are there, if its interface says so (a CUstream).
  const dlpack::ExchangeApi *library = nullptr;
  std::optional<uint64_t> stream = {};
  /// Nothing may be stored there: the memory is to stay as it is, or is a copy that goes.
  bool isReadOnly = false;
  /// Keeps the memory, if the object does not; valid until the launch is done.
  nb::object owner = {};
};

/// An object with DLPack's interface for types, the buffer protocol, `data_ptr()` and `dtype`,
/// `__array_interface__` or `__cuda_array_interface__`; nothing for anything else. Element types
/// that kernels do not have are a TypeError, and an array that has elements and no memory is a
/// ValueError where a kernel is to be launched.
std::optional<ArrayView> viewArray(nb::handle object);

/// What arrays of Python classes that are made here have: a view that no attribute has to be asked
/// for.
struct HeldArray {
  ArrayView view;
};

/// Whether the object is one number of an array library's own type (numpy.int64), which `item()`
/// makes a number of Python.
bool isNumberObject(nb::handle object);

/// "float32", "torch.float32", "<f4", "fp32": the dtype that a library calls so.
std::optional<DType> dtypeOfText(std::string_view text);

} // namespace nereid::python
