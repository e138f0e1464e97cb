// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of the fake driver: the library itself, devices and contexts.
#include "State.h"

#include <cstdio>

using namespace nereid::fake_cuda;

static thread_local std::vector<CUcontext> currentContexts;

CUcontext nereid::fake_cuda::currentContext() {
  return currentContexts.empty() ? nullptr : currentContexts.back();
}

namespace nereid::runtime::cuda {

static bool isDevice(CUdevice device) {
  return device >= 0 && static_cast<size_t>(device) < state().config.devices.size();
}

FAKE_CUDA_FUNCTION cuDriverGetVersion(int *version) {
  *version = state().config.version; // works before cuInit
  return 0;
}

FAKE_CUDA_FUNCTION cuInit(unsigned) {
  ENTER(cuInit, false);
  if (state().config.devices.empty())
    return CUDA_ERROR_NO_DEVICE;
  state().isInitialized = true;
  return 0;
}

static const struct {
  CUresult number;
  const char *name;
} resultRows[] = {
#define RESULT(number, name, effect, text) {number, "CUDA_ERROR_" #name},
#include "runtime/cuda/results.def"
};

FAKE_CUDA_FUNCTION cuGetErrorName(CUresult result, const char **name) {
  for (const auto &row : resultRows)
    if (row.number == result) {
      *name = row.name;
      return 0;
    }
  return CUDA_ERROR_INVALID_VALUE;
}

FAKE_CUDA_FUNCTION cuGetErrorString(CUresult result, const char **words) {
  const char *name = nullptr;
  if (CUresult unknown = cuGetErrorName(result, &name))
    return unknown;
  static std::map<CUresult, std::string> texts;
  std::lock_guard lock(state().mutex);
  *words = texts.try_emplace(result, std::string("fake words for ") + name).first->second.c_str();
  return 0;
}

FAKE_CUDA_FUNCTION cuDeviceGetCount(int *count) {
  ENTER(cuDeviceGetCount, false);
  *count = static_cast<int>(state().config.devices.size());
  return 0;
}

FAKE_CUDA_FUNCTION cuDeviceGet(CUdevice *device, int ordinal) {
  ENTER(cuDeviceGet, false);
  *device = ordinal;
  return isDevice(ordinal) ? 0 : CUDA_ERROR_INVALID_DEVICE;
}

FAKE_CUDA_FUNCTION cuDeviceGetName(char *name, int bytes, CUdevice device) {
  ENTER(cuDeviceGetName, false);
  std::snprintf(name, static_cast<size_t>(bytes), "%s",
                state().config.devices.at(device).name.c_str());
  return 0;
}

FAKE_CUDA_FUNCTION cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  ENTER(cuDeviceTotalMem_v2, false);
  *bytes = state().config.devices.at(device).memory;
  return 0;
}

FAKE_CUDA_FUNCTION cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  ENTER(cuDeviceGetAttribute, false);
  const DeviceConfig &config = state().config.devices.at(device);
  const std::map<CUdevice_attribute, int> values = {
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, config.smMajor},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, config.smMinor},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, config.threadsPerBlock},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, config.registersPerBlock},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, config.sharedPerBlock},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, config.grid[0]},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, config.grid[1]},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, config.grid[2]},
      {CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, config.largestCluster > 0},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
      {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1980000},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 228 << 10},
  };
  auto found = values.find(attribute);
  *value = found == values.end() ? 1 : found->second;
  return 0;
}

FAKE_CUDA_FUNCTION cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  ENTER(cuDevicePrimaryCtxRetain, false);
  if (!isDevice(device))
    return CUDA_ERROR_INVALID_DEVICE;
  *context = &state().contexts.try_emplace(device, CUctx_st{device}).first->second;
  if (!(*context)->fault) // which no release heals
    ++(*context)->retained;
  return (*context)->fault;
}

FAKE_CUDA_FUNCTION cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  ENTER(cuDevicePrimaryCtxRelease_v2, false);
  CUctx_st &context = state().contexts.at(device);
  if (--context.retained == 0) { // it is gone, and with it what was said of it
    context.peers.clear();
    for (auto &[ordinal, other] : state().contexts)
      other.peers.erase(&context);
  }
  return 0;
}

FAKE_CUDA_FUNCTION cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  ENTER(cuDeviceCanAccessPeer, false);
  if (!isDevice(device) || !isDevice(peer))
    return CUDA_ERROR_INVALID_DEVICE;
  const std::vector<DeviceConfig> &devices = state().config.devices;
  *can = device != peer && devices[device].hasPeers && devices[peer].hasPeers;
  return 0;
}

FAKE_CUDA_FUNCTION cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  ENTER(cuCtxEnablePeerAccess);
  if (CUresult refused = refuseInCapture())
    return refused;
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (!peer || !peer->retained || peer == currentContext())
    return CUDA_ERROR_INVALID_CONTEXT;
  if (!state().deviceOf(peer).hasPeers || !state().deviceOf(currentContext()).hasPeers)
    return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
  return currentContext()->peers.insert(peer).second ? 0 : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

FAKE_CUDA_FUNCTION cuCtxGetCurrent(CUcontext *context) {
  *context = currentContext(); // too frequent to be recorded
  return 0;
}

FAKE_CUDA_FUNCTION cuCtxPushCurrent_v2(CUcontext context) {
  ENTER(cuCtxPushCurrent_v2, false);
  currentContexts.push_back(context);
  return 0;
}

FAKE_CUDA_FUNCTION cuCtxPopCurrent_v2(CUcontext *context) {
  ENTER(cuCtxPopCurrent_v2, false);
  if (currentContexts.empty())
    return CUDA_ERROR_INVALID_CONTEXT;
  *context = currentContexts.back();
  currentContexts.pop_back();
  return 0;
}

} // namespace nereid::runtime::cuda
