// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is used of DLPack's binary interface (dmlc/dlpack, version 1): how a library describes a
// tensor, and the function by which a type of tensors gives such a description without a copy or an
// allocation.
#pragma once

#include <cstdint>

namespace nereid::python::dlpack {

enum DeviceType : int32_t { Cpu = 1, Cuda = 2, CudaHost = 3, CudaManaged = 13 };

struct Device {
  int32_t type;
  int32_t number;
};

enum TypeCode : uint8_t {
  Int = 0,
  UInt = 1,
  Float = 2,
  BFloat = 4,
  Bool = 6,
  Float8E4M3FN = 10,
  Float8E5M2 = 12,
};

struct DataType {
  uint8_t code, bits;
  uint16_t lanes;
};

struct Tensor {
  void *data;
  Device device;
  int32_t dimensions;
  DataType dtype;
  int64_t *shape;
  int64_t *strides; ///< null: row-major
  uint64_t byteOffset;
};

struct ManagedTensor {
  Tensor tensor;
  void *context;
  void (*deleter)(ManagedTensor *self);
};

struct Version {
  uint32_t major, minor;
};

enum Flags : uint64_t { ReadOnly = 1, Copied = 2 };

struct VersionedTensor {
  Version version;
  void *context;
  void (*deleter)(VersionedTensor *self);
  uint64_t flags;
  Tensor tensor;
};

struct ExchangeApi {
  Version version;
  ExchangeApi *previous;
  void *allocate;
  void *fromObject;
  void *toObject;
  /// Fills `out` for as long as the object lives; not 0 after a Python error.
  int (*describe)(void *object, Tensor *out);
  /// The stream on which the library gives work to a device at present, as the device's own handle;
  /// not 0 after a Python error.
  int (*currentStream)(DeviceType type, int32_t number, void **stream);
};

/// The attribute of a type that holds the table above, and the name of its capsule.
constexpr const char *exchangeAttribute = "__dlpack_c_exchange_api__";
constexpr const char *exchangeName = "dlpack_exchange_api";

} // namespace nereid::python::dlpack
