// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of the fake driver: memory, copies and what is known of an address.
#include "State.h"

#include <algorithm>
#include <cstring>

using namespace nereid::fake_cuda;

namespace nereid::runtime::cuda {

/// No address that a program can use has this bit: who mistakes one for the host's crashes.
static constexpr uint64_t deviceBit = uint64_t(1) << 60;

static size_t bytesUsed(int ordinal) {
  size_t used = 0;
  for (const auto &[address, block] : state().blocks)
    used += block.ordinal == ordinal ? block.size : 0;
  return used;
}

static uint64_t addBlock(int ordinal, size_t bytes, uint64_t bit) {
  Block block{currentContext(), ordinal, std::make_unique<Line[]>(bytes / sizeof(Line) + 1), bytes};
  std::memset(block.bytes(), 0xa5, bytes); // what others left there
  uint64_t address = reinterpret_cast<uint64_t>(block.bytes()) | bit;
  state().blocks.emplace(address, std::move(block));
  return address;
}

FAKE_CUDA_FUNCTION cuMemGetInfo_v2(size_t *free, size_t *total) {
  ENTER(cuMemGetInfo_v2);
  *total = state().deviceOf(currentContext()).memory;
  *free = *total - bytesUsed(currentContext()->ordinal);
  return 0;
}

FAKE_CUDA_FUNCTION cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  ENTER(cuMemAlloc_v2);
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult refused = refuseInCapture())
    return refused;
  int ordinal = currentContext()->ordinal;
  if (bytes > state().deviceOf(currentContext()).memory - bytesUsed(ordinal))
    return CUDA_ERROR_OUT_OF_MEMORY;
  *address = addBlock(ordinal, bytes, deviceBit);
  return 0;
}

/// A real driver frees nothing before the device is done with it.
static void finishAll() {
  for (const auto &[handle, stream] : state().streams)
    runUpTo(stream, stream->queued);
  for (const auto &[context, stream] : state().defaultStreams)
    runUpTo(stream, stream->queued);
}

FAKE_CUDA_FUNCTION cuMemFree_v2(CUdeviceptr address) {
  ENTER(cuMemFree_v2);
  if (CUresult refused = refuseInCapture())
    return refused;
  finishAll();
  return state().blocks.erase(address) ? 0 : CUDA_ERROR_INVALID_VALUE;
}

FAKE_CUDA_FUNCTION cuMemHostAlloc(void **address, size_t bytes, unsigned) {
  ENTER(cuMemHostAlloc);
  *address = reinterpret_cast<void *>(addBlock(-1, bytes, 0));
  return 0;
}

FAKE_CUDA_FUNCTION cuMemFreeHost(void *address) {
  ENTER(cuMemFreeHost);
  finishAll();
  return state().blocks.erase(reinterpret_cast<uint64_t>(address)) ? 0 : CUDA_ERROR_INVALID_VALUE;
}

/// Puts `work` into the stream, if the ranges of device memory that it needs are there.
static CUresult enqueue(CUstream handle, std::initializer_list<CUdeviceptr> addresses, size_t bytes,
                        std::function<void()> work) {
  std::shared_ptr<CUstream_st> stream = findStream(handle);
  if (!stream || stream->context != currentContext())
    return CUDA_ERROR_INVALID_HANDLE;
  for (CUdeviceptr address : addresses)
    if (!state().find(address, bytes))
      return CUDA_ERROR_INVALID_VALUE;
  stream->add([work = std::move(work)] {
    work();
    return 0;
  });
  return 0;
}

FAKE_CUDA_FUNCTION cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                                        CUstream stream) {
  ENTER(cuMemcpyHtoDAsync_v2);
  if (state().find(reinterpret_cast<uint64_t>(from), bytes)) // pinned: read when its turn comes
    return enqueue(stream, {to}, bytes, [=] { std::memcpy(hostAddress(to), from, bytes); });
  std::vector<char> copy(static_cast<const char *>(from), static_cast<const char *>(from) + bytes);
  return enqueue(stream, {to}, bytes,
                 [=, copy = std::move(copy)] { std::memcpy(hostAddress(to), copy.data(), bytes); });
}

FAKE_CUDA_FUNCTION cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  ENTER(cuMemcpyDtoHAsync_v2);
  return enqueue(stream, {from}, bytes, [=] { std::memcpy(to, hostAddress(from), bytes); });
}

FAKE_CUDA_FUNCTION cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                        CUstream stream) {
  ENTER(cuMemcpyDtoDAsync_v2);
  return enqueue(stream, {to, from}, bytes,
                 [=] { std::memmove(hostAddress(to), hostAddress(from), bytes); });
}

FAKE_CUDA_FUNCTION cuMemcpyPeerAsync(CUdeviceptr to, CUcontext toContext, CUdeviceptr from,
                                     CUcontext fromContext, size_t bytes, CUstream stream) {
  ENTER(cuMemcpyPeerAsync);
  if (!toContext || !fromContext)
    return CUDA_ERROR_INVALID_CONTEXT;
  return enqueue(stream, {to, from}, bytes,
                 [=] { std::memcpy(hostAddress(to), hostAddress(from), bytes); });
}

FAKE_CUDA_FUNCTION cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes,
                                   CUstream stream) {
  ENTER(cuMemsetD8Async);
  return enqueue(stream, {to}, bytes, [=] { std::memset(hostAddress(to), value, bytes); });
}

FAKE_CUDA_FUNCTION cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location,
                                  CUdeviceptr address) {
  ENTER(cuMemGetAccess);
  const auto *found = state().find(address, 0);
  if (!found || location->type != CU_MEM_LOCATION_TYPE_DEVICE)
    return CUDA_ERROR_INVALID_VALUE;
  // Of other memory nothing is promised.
  const auto &devices = found->second.mappedFor;
  bool isMapped = devices && std::ranges::count(*devices, location->id) != 0;
  *flags = isMapped ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : 0;
  return 0;
}

FAKE_CUDA_FUNCTION cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes,
                                          void **values, CUdeviceptr address) {
  ENTER(cuPointerGetAttributes);
  const auto *found = state().find(address, 0);
  for (unsigned i = 0; i < count; ++i) {
    switch (attributes[i]) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<unsigned *>(values[i]) = !found                      ? 0
                                            : found->second.ordinal < 0 ? CU_MEMORYTYPE_HOST
                                                                        : CU_MEMORYTYPE_DEVICE;
      break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      *static_cast<int *>(values[i]) = 0;
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *static_cast<int *>(values[i]) = found ? found->second.ordinal : -2;
      break;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      *static_cast<int *>(values[i]) =
          found && found->second.ordinal >= 0 && !found->second.mappedFor;
      break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      *static_cast<CUdeviceptr *>(values[i]) = found ? found->first : 0;
      break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      *static_cast<size_t *>(values[i]) = found ? found->second.size : 0;
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  return 0;
}

} // namespace nereid::runtime::cuda
