// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Layout.h"
#include "jit/State.h"
#include "jit/launch/Convert.h"

namespace nereid {
namespace {

void requireContiguous(const detail::ArrayState &state) {
  if (!state.isContiguous())
    throw Error(Error::Kind::Usage,
                "only contiguous arrays can be copied whole; this one has shape " +
                    jit::toString(state.shape) + " and strides " + jit::toString(state.strides));
}

void requireHost(const void *host, const detail::ArrayState &state) {
  if (!host && state.size)
    throw Error(Error::Kind::Usage, "elements cannot be copied from or to a null pointer");
}

runtime::Stream &streamFor(const detail::ArrayState &array, const Stream &stream) {
  const detail::StreamState &state = detail::StreamState::of(stream);
  if (state.device->device->memoryName() != array.memoryName)
    throw Error(Error::Kind::Usage, "an array in " + std::string(array.memoryName) +
                                        " memory cannot be copied by a stream of device '" +
                                        state.device->name + "'");
  return *state.stream;
}

/// The elements of a view may be many more than its memory holds.
std::vector<double> makeDoubles(int64_t count) {
  try {
    return std::vector<double>(static_cast<size_t>(count));
  } catch (const std::length_error &) {
    throw Error(Error::Kind::Usage,
                std::to_string(count) + " elements are more than a vector can hold");
  }
}

/// Steps `index` to the next one in row-major order.
void advance(std::vector<int64_t> &index, const std::vector<int64_t> &shape) {
  for (size_t i = shape.size(); i-- > 0;) {
    if (++index[i] < shape[i])
      return;
    index[i] = 0;
  }
}

std::vector<double> gather(const detail::ArrayState &state, const char *elements) {
  std::vector<double> values = makeDoubles(state.size);
  std::vector<int64_t> index(state.shape.size());
  for (double &value : values) {
    int64_t offset = 0;
    for (size_t i = 0; i < index.size(); ++i)
      offset += index[i] * state.strides[i];
    value = jit::loadElement(state.dtype, elements + offset * byteSize(state.dtype));
    advance(index, state.shape);
  }
  return values;
}

} // namespace

std::vector<int64_t> detail::ArrayState::strideBytes() const {
  std::vector<int64_t> result(strides);
  for (int64_t &stride : result)
    stride *= byteSize(dtype);
  return result;
}

bool detail::ArrayState::isContiguous() const {
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0 && size > 0;) {
    if (shape[i] != 1 && strides[i] != stride)
      return false;
    stride *= shape[i];
  }
  return true;
}

DType Array::dtype() const { return state->dtype; }
const std::vector<int64_t> &Array::shape() const { return state->shape; }
const std::vector<int64_t> &Array::strides() const { return state->strides; }
int64_t Array::size() const { return state->size; }
size_t Array::bytes() const { return static_cast<size_t>(state->size) * byteSize(state->dtype); }

void *Array::data() const {
  state->memory->hostMayWrite();
  return state->memory->data();
}

bool Array::sharesMemoryWith(const Array &other) const {
  return state->memory->data() == other.state->memory->data();
}

void Array::countAsUnwritten() const { state->memory->countAsUnwritten(); }

void Array::copyFrom(const void *host) const {
  requireContiguous(*state);
  requireHost(host, *state);
  state->memory->copyFromHost(host, bytes());
}

void Array::copyTo(void *host) const {
  requireContiguous(*state);
  requireHost(host, *state);
  state->memory->copyToHost(host, bytes());
}

void Array::copyFrom(const void *host, const Stream &stream) const {
  requireContiguous(*state);
  requireHost(host, *state);
  streamFor(*state, stream).copyFromHost(state->memory, host, bytes());
}

void Array::copyTo(void *host, const Stream &stream) const {
  requireContiguous(*state);
  requireHost(host, *state);
  streamFor(*state, stream).copyToHost(host, state->memory, bytes());
}

std::vector<double> Array::toDoubles() const {
  std::vector<char> elements(state->extentBytes);
  state->memory->copyToHost(elements.data(), elements.size());
  if (!state->isContiguous())
    return gather(*state, elements.data());
  std::vector<double> values = makeDoubles(state->size);
  jit::loadElements(state->dtype, elements.data(), values.size(), values.data());
  return values;
}

void Array::requireElements(DType type) const {
  if (type != state->dtype)
    throw Error(Error::Kind::Usage, "the array holds " + std::string(nereid::name(state->dtype)) +
                                        ", not " + std::string(nereid::name(type)));
  requireContiguous(*state);
}

} // namespace nereid
