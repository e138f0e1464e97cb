// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Layout.h"
#include "jit/State.h"
#include "jit/devices/CpuChoice.h"
#include "jit/launch/Convert.h"
#include "jit/launch/Tuning.h"
#include "support/EnvironmentVariables.h"

#include <map>
#include <mutex>
#include <tuple>

namespace nereid {
namespace {

constexpr unsigned mostThreads = 1024;

std::shared_ptr<detail::DeviceState> openNew(const jit::FoundDevice &found,
                                             const DeviceOptions &options, uint64_t id) {
  auto state = std::make_shared<detail::DeviceState>();
  state->name = found.name();
  state->device = found.entry->open(options, found.number);
  state->id = id;
  return state;
}

/// Opening a device again with the same options while it is open gives the same one, with its
/// threads and kernels. What a device takes from the environment as it is opened is an option, too.
std::shared_ptr<detail::DeviceState> openShared(const jit::FoundDevice &found,
                                                DeviceOptions options) {
  static std::mutex mutex;
  using Key = std::tuple<std::string, unsigned, std::string, bool, bool, std::string>;
  static std::map<Key, std::weak_ptr<detail::DeviceState>> open;
  static uint64_t nextId = 0;
  std::lock_guard lock(mutex);
  if (!options.check.isDefault())
    return openNew(found, options, nextId++);
  std::string cpu = found.entry->compilesForCpu ? jit::effectiveCpuName(options.cpu) : "";
  const char *policy = readVariable(KnownVariable::NEREID_POLICY);
  Key key(found.name(), options.threads, std::move(cpu), options.usesDiskCache,
          options.checksAsserts || jit::checksAsserts(), policy ? policy : "");
  std::weak_ptr<detail::DeviceState> &slot = open[std::move(key)];
  if (auto state = slot.lock())
    return state;
  auto state = openNew(found, options, nextId++);
  slot = state;
  return state;
}

Array makeArray(const detail::DeviceState &state, DType type, jit::Layout layout,
                std::shared_ptr<runtime::Memory> memory) {
  return detail::ArrayState::wrap({type, std::move(layout.shape), std::move(layout.strides),
                                   layout.size, layout.extent * byteSize(type), std::move(memory),
                                   state.device->memoryName()});
}

/// The shape for `count` values: as given, or one dimension if none is.
std::vector<int64_t> shapeFor(size_t count, std::vector<int64_t> shape) {
  if (shape.empty())
    return {static_cast<int64_t>(count)};
  return shape;
}

/// Generated code accesses elements where their type may lie, and nowhere else.
void requireAligned(const void *data, DType type) {
  unsigned alignment = byteSize(type);
  if (reinterpret_cast<uintptr_t>(data) % alignment)
    throw Error(Error::Kind::Usage, "cannot borrow " + std::string(name(type)) +
                                        " elements at an address that is no multiple of " +
                                        std::to_string(alignment));
}

void requireCount(const Array &array, size_t count) {
  if (static_cast<size_t>(array.size()) != count)
    throw Error(Error::Kind::Usage, std::to_string(count) + " values given for an array of shape " +
                                        jit::toString(array.shape()) + ", which has " +
                                        std::to_string(array.size()) + " elements");
}

} // namespace

Device Device::open(std::string_view name, DeviceOptions options) {
  jit::FoundDevice found = jit::findDevice(name);
  if (options.threads > mostThreads)
    throw Error(Error::Kind::Usage, std::to_string(options.threads) +
                                        " threads are too many; up to " +
                                        std::to_string(mostThreads) + " are accepted");
  return Device(openShared(found, options));
}

const std::string &Device::name() const { return state->name; }
unsigned Device::threads() const { return state->device->threads(); }

Array Device::empty(DType type, std::vector<int64_t> shape) const {
  jit::Layout layout = jit::rowMajor(std::move(shape), byteSize(type));
  auto memory = state->device->allocate(layout.extent * byteSize(type));
  return makeArray(*state, type, std::move(layout), std::move(memory));
}

Array Device::zeros(DType type, std::vector<int64_t> shape) const {
  // Memory comes zeroed from every device, because what others left in it is nobody's business.
  Array array = empty(type, std::move(shape));
  detail::ArrayState::of(array).memory->hostMayWrite();
  return array;
}

Array Device::copyOf(const void *values, size_t count, DType type,
                     std::vector<int64_t> shape) const {
  Array array = empty(type, shapeFor(count, std::move(shape)));
  requireCount(array, count);
  array.copyFrom(values);
  return array;
}

Array Device::arrayFromDoubles(DType type, std::span<const double> values,
                               std::vector<int64_t> shape) const {
  Array array = empty(type, shapeFor(values.size(), std::move(shape)));
  requireCount(array, values.size());
  std::vector<char> elements(array.bytes());
  jit::storeElements(type, elements.data(), values.size(), values.data());
  array.copyFrom(elements.data());
  return array;
}

Array Device::borrow(void *data, DType type, std::vector<int64_t> shape,
                     std::vector<int64_t> strides) const {
  jit::Layout layout = strides.empty()
                           ? jit::rowMajor(std::move(shape), byteSize(type))
                           : jit::strided(std::move(shape), std::move(strides), byteSize(type));
  if (!data && layout.extent)
    throw Error(Error::Kind::Usage, "cannot borrow an array at a null pointer");
  requireAligned(data, type);
  auto memory = state->device->borrow(data, layout.extent * byteSize(type));
  return makeArray(*state, type, std::move(layout), std::move(memory));
}

Stream Device::stream() const {
  return detail::StreamState::wrap(
      {state, state->device->openStream(runtime::DefaultStream::Ignored)});
}

Stream Device::streamInOrderWithDefault() const {
  return detail::StreamState::wrap(
      {state, state->device->openStream(runtime::DefaultStream::Ordered)});
}

Stream Device::borrowStream(void *handle) const {
  return detail::StreamState::wrap({state, state->device->borrowStream(handle)});
}

} // namespace nereid
