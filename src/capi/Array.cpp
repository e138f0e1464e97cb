// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capi/Arguments.h"
#include "capi/Error.h"
#include "capi/Handles.h"

#include <algorithm>

using namespace nereid;

static std::vector<int64_t> extents(const int64_t *values, size_t rank, const char *what) {
  if (rank)
    capi::require(values, what);
  return rank ? std::vector<int64_t>(values, values + rank) : std::vector<int64_t>();
}

static const Array &arrayOf(const nereid_array *array) {
  return capi::require(array, "array")->array;
}

static const Device &deviceOf(const nereid_device *device) {
  return capi::require(device, "device")->device;
}

/// Reading or writing past the host's memory is what a wrong count would mean.
static void requireCount(size_t given, size_t needed, const char *unit) {
  if (given != needed)
    throw Error(Error::Kind::Usage, std::to_string(given) + " " + unit + " given for an array of " +
                                        std::to_string(needed));
}

nereid_status nereid_array_empty(const nereid_device *device, nereid_dtype type,
                                 const int64_t *shape, size_t rank, nereid_array **array,
                                 nereid_error **error) {
  return capi::guardMaking(array, error, [&] {
    return deviceOf(device).empty(capi::toDType(type), extents(shape, rank, "shape"));
  });
}

nereid_status nereid_array_zeros(const nereid_device *device, nereid_dtype type,
                                 const int64_t *shape, size_t rank, nereid_array **array,
                                 nereid_error **error) {
  return capi::guardMaking(array, error, [&] {
    return deviceOf(device).zeros(capi::toDType(type), extents(shape, rank, "shape"));
  });
}

nereid_status nereid_array_borrow(const nereid_device *device, void *data, nereid_dtype type,
                                  const int64_t *shape, const int64_t *strides, size_t rank,
                                  nereid_array **array, nereid_error **error) {
  return capi::guardMaking(array, error, [&] {
    return deviceOf(device).borrow(data, capi::toDType(type), extents(shape, rank, "shape"),
                                   strides ? extents(strides, rank, "strides")
                                           : std::vector<int64_t>());
  });
}

nereid_dtype nereid_array_dtype(const nereid_array *array) {
  return array ? static_cast<nereid_dtype>(array->array.dtype()) : 0;
}

size_t nereid_array_rank(const nereid_array *array) {
  return array ? array->array.shape().size() : 0;
}

const int64_t *nereid_array_shape(const nereid_array *array) {
  return array ? array->array.shape().data() : nullptr;
}

const int64_t *nereid_array_strides(const nereid_array *array) {
  return array ? array->array.strides().data() : nullptr;
}

int64_t nereid_array_size(const nereid_array *array) { return array ? array->array.size() : 0; }

size_t nereid_array_bytes(const nereid_array *array) { return array ? array->array.bytes() : 0; }

void *nereid_array_data(const nereid_array *array) { return array ? array->array.data() : nullptr; }

nereid_status nereid_array_copy_from(const nereid_array *array, const void *host, size_t bytes,
                                     nereid_error **error) {
  return capi::guard(error, [&] {
    requireCount(bytes, arrayOf(array).bytes(), "bytes");
    if (bytes)
      arrayOf(array).copyFrom(capi::require(host, "memory to copy from"));
  });
}

nereid_status nereid_array_copy_to(const nereid_array *array, void *host, size_t bytes,
                                   nereid_error **error) {
  return capi::guard(error, [&] {
    requireCount(bytes, arrayOf(array).bytes(), "bytes");
    if (bytes)
      arrayOf(array).copyTo(capi::require(host, "memory to copy to"));
  });
}

nereid_status nereid_array_copy_from_on(const nereid_array *array, const void *host, size_t bytes,
                                        const nereid_stream *stream, nereid_error **error) {
  return capi::guard(error, [&] {
    requireCount(bytes, arrayOf(array).bytes(), "bytes");
    const Stream &on = capi::require(stream, "stream")->stream;
    if (bytes)
      arrayOf(array).copyFrom(capi::require(host, "memory to copy from"), on);
  });
}

nereid_status nereid_array_copy_to_on(const nereid_array *array, void *host, size_t bytes,
                                      const nereid_stream *stream, nereid_error **error) {
  return capi::guard(error, [&] {
    requireCount(bytes, arrayOf(array).bytes(), "bytes");
    const Stream &on = capi::require(stream, "stream")->stream;
    if (bytes)
      arrayOf(array).copyTo(capi::require(host, "memory to copy to"), on);
  });
}

nereid_status nereid_array_to_doubles(const nereid_array *array, double *values, size_t count,
                                      nereid_error **error) {
  return capi::guard(error, [&] {
    requireCount(count, static_cast<size_t>(arrayOf(array).size()), "doubles");
    if (count)
      std::ranges::copy(arrayOf(array).toDoubles(), capi::require(values, "memory to copy to"));
  });
}

void nereid_array_release(nereid_array *array) { delete array; }
