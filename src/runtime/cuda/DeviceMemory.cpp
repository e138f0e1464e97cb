// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/DeviceMemory.h"

#include "nereid/error.h"
#include "runtime/cuda/Pointer.h"
#include "runtime/cuda/Results.h"

#include <algorithm>

namespace nereid::runtime::cuda {
namespace {

CUdeviceptr toDevice(const void *address) { return reinterpret_cast<CUdeviceptr>(address); }
void *toAddress(CUdeviceptr pointer) { return reinterpret_cast<void *>(pointer); }

std::string freeText(Context &context) {
  size_t free = 0, total = 0;
  if (context.attempt(context.driver().memGetInfo, &free, &total))
    return {};
  return sizeText(free) + " of its " + sizeText(total) +
         " are free; fewer or smaller arrays, or ending other processes there, would help";
}

CUdeviceptr allocate(Context &context, size_t bytes) {
  CUdeviceptr pointer = 0;
  const auto &function = context.driver().memAlloc;
  // The driver refuses to allocate nothing.
  CUresult result = context.attempt(function, &pointer, std::max(bytes, size_t(1)));
  if (result)
    context.fail(function.symbol, result,
                 "cannot allocate " + sizeText(bytes) + " on " + context.properties().fullName(),
                 result == CUDA_ERROR_OUT_OF_MEMORY ? freeText(context) : "");
  return pointer;
}

void *allocateHostPinned(Context &context, size_t bytes) {
  void *address = nullptr;
  const auto &function = context.driver().memHostAlloc;
  CUresult result = context.attempt(function, &address, std::max(bytes, size_t(1)),
                                    CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
  if (result)
    context.fail(function.symbol, result,
                 "cannot allocate " + sizeText(bytes) + " of pinned host memory",
                 "the limit on locked memory (ulimit -l) and the machine's memory count");
  return address;
}

/// A copy or fill; if it fails, the reason may be what the driver knows of `device`.
template <typename... P, typename... A>
void transfer(const Stream &stream, const DriverFunction<P...> &function, const void *device,
              size_t bytes, A... arguments) {
  if (!bytes)
    return;
  Context &context = stream.context();
  CUresult result = context.attempt(function, arguments..., stream.handle());
  if (!result)
    return;
  std::string why;
  if (result == CUDA_ERROR_INVALID_VALUE)
    why = whyUnreachable(context, device, bytes);
  context.fail(function.symbol, result,
               "cannot copy " + std::to_string(bytes) + " bytes on " +
                   context.properties().deviceName(),
               why);
}

class DeviceMemory : public Memory {
public:
  DeviceMemory(std::shared_ptr<Stream> stream, void *address, size_t bytes)
      : Memory(address, bytes), stream(std::move(stream)) {}

  void copyFromHost(const void *host, size_t count) override {
    copyToDevice(*stream, data(), host, count);
    stream->synchronize();
  }
  void copyToHost(void *host, size_t count) const override {
    cuda::copyToHost(*stream, host, data(), count);
    stream->synchronize();
  }

protected:
  Context &context() const { return stream->context(); }

private:
  std::shared_ptr<Stream> stream;
};

class BorrowedDeviceMemory final : public DeviceMemory {
public:
  using DeviceMemory::DeviceMemory;

  std::string whyGone() const override {
    return bytes() ? whyUnreachable(context(), data(), bytes()) : "";
  }
};

using DeviceBlock = Handle<CUdeviceptr, &Driver::memFree>;

class OwnedDeviceMemory final : public DeviceMemory {
public:
  OwnedDeviceMemory(const std::shared_ptr<Stream> &stream, DeviceBlock owned, size_t bytes)
      : DeviceMemory(stream, toAddress(owned.get()), bytes), block(std::move(owned)) {}

private:
  DeviceBlock block;
};

using PinnedBlock = Handle<void *, &Driver::memFreeHost>;

class PinnedMemory final : public Memory {
public:
  PinnedMemory(PinnedBlock owned, size_t bytes)
      : Memory(owned.get(), bytes), block(std::move(owned)) {}

  void copyFromHost(const void *host, size_t count) override {
    std::copy_n(static_cast<const char *>(host), count, static_cast<char *>(data()));
  }
  void copyToHost(void *host, size_t count) const override {
    std::copy_n(static_cast<const char *>(data()), count, static_cast<char *>(host));
  }

private:
  PinnedBlock block;
};

} // namespace

std::shared_ptr<Memory> allocateDevice(const std::shared_ptr<Stream> &stream, size_t bytes) {
  DeviceBlock block(stream->sharedContext(), allocate(stream->context(), bytes));
  auto memory = std::make_shared<OwnedDeviceMemory>(stream, std::move(block), bytes);
  // Other streams may use the memory as soon as it is returned, so the zeros must be there.
  fillBytes(*stream, memory->data(), 0, bytes);
  stream->synchronize();
  return memory;
}

std::shared_ptr<Memory> borrowDevice(const std::shared_ptr<Stream> &stream, void *address,
                                     size_t bytes) {
  auto memory = std::make_shared<BorrowedDeviceMemory>(stream, address, bytes);
  if (std::string reason = memory->whyGone(); !reason.empty())
    throw Error(Error::Kind::Usage, "cannot borrow memory: " + reason);
  return memory;
}

std::shared_ptr<Memory> allocatePinned(const std::shared_ptr<Context> &context, size_t bytes) {
  return std::make_shared<PinnedMemory>(PinnedBlock(context, allocateHostPinned(*context, bytes)),
                                        bytes);
}

void copyToDevice(const Stream &stream, void *device, const void *host, size_t bytes) {
  transfer(stream, stream.context().driver().memcpyHtoDAsync, device, bytes, toDevice(device), host,
           bytes);
}

void copyToHost(const Stream &stream, void *host, const void *device, size_t bytes) {
  transfer(stream, stream.context().driver().memcpyDtoHAsync, device, bytes, host, toDevice(device),
           bytes);
}

void copyOnDevice(const Stream &stream, void *to, const void *from, size_t bytes) {
  transfer(stream, stream.context().driver().memcpyDtoDAsync, to, bytes, toDevice(to),
           toDevice(from), bytes);
}

void copyBetween(const Stream &stream, void *to, Context &source, const void *from, size_t bytes) {
  transfer(stream, stream.context().driver().memcpyPeerAsync, to, bytes, toDevice(to),
           stream.context().handle(), toDevice(from), source.handle(), bytes);
}

void fillBytes(const Stream &stream, void *device, unsigned char value, size_t bytes) {
  transfer(stream, stream.context().driver().memsetD8Async, device, bytes, toDevice(device), value,
           bytes);
}

} // namespace nereid::runtime::cuda
