// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Pointer.h"

#include "nereid/error.h"

#include <cinttypes>
#include <cstdio>

namespace nereid::runtime::cuda {

PointerInfo inspect(Context &context, const void *address) {
  unsigned memoryType = 0;
  int isManaged = 0, ordinal = 0, isPlain = 0;
  PointerInfo info;
  CUpointer_attribute attributes[] = {
      CU_POINTER_ATTRIBUTE_MEMORY_TYPE,    CU_POINTER_ATTRIBUTE_IS_MANAGED,
      CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
      CU_POINTER_ATTRIBUTE_RANGE_SIZE,     CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE};
  void *values[] = {&memoryType, &isManaged, &ordinal, &info.start, &info.bytes, &isPlain};
  context.call(context.driver().pointerGetAttributes, 6u, attributes, values,
               reinterpret_cast<CUdeviceptr>(address));
  info.ordinal = static_cast<unsigned>(ordinal);
  info.isPlain = isPlain;
  if (isManaged)
    info.kind = PointerInfo::Kind::Managed;
  else if (memoryType == CU_MEMORYTYPE_DEVICE)
    info.kind = PointerInfo::Kind::Device;
  else if (memoryType == CU_MEMORYTYPE_HOST)
    info.kind = PointerInfo::Kind::PinnedHost;
  return info;
}

PointerInfo inspect(const void *address) {
  for (;;) {
    std::shared_ptr<Context> context = Context::openAny();
    try {
      return inspect(*context, address);
    } catch (const Error &) {
      if (context->isUsable())
        throw;
      // It was lost before, and this noticed it; it says nothing of others' memory.
    }
  }
}

std::string whyUnreachable(Context &context, const void *address, size_t bytes) {
  PointerInfo info = inspect(context, address);
  std::string device = context.properties().deviceName();
  auto begin = reinterpret_cast<CUdeviceptr>(address);
  char text[32];
  std::snprintf(text, sizeof text, "0x%" PRIx64, begin);
  std::string place = text;
  if (info.kind == PointerInfo::Kind::Unknown)
    return place +
           " is in no memory that the driver knows: it was freed, or is the host's own; "
           "memory of " +
           device + ", managed or pinned memory is accepted";
  if (info.kind == PointerInfo::Kind::Device && info.ordinal != context.properties().ordinal)
    if (std::string why = whyNoAccess(context, info, begin); !why.empty())
      return place + " lies in memory of cuda:" + std::to_string(info.ordinal) + ", which " +
             device + " cannot reach: " + why + "; use it there, or copy it";
  if (size_t left = info.start + info.bytes - begin; info.bytes && bytes > left)
    return std::to_string(bytes) + " bytes are asked for at " + place + ", where the allocation " +
           "ends after " + std::to_string(left);
  return {};
}

} // namespace nereid::runtime::cuda
