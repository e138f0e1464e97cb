// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of the fake driver: launches, refused for what a real one refuses.
#include "State.h"

#include <algorithm>
#include <cstring>
#include <sstream>

using namespace nereid::fake_cuda;

namespace nereid::runtime::cuda {
namespace {

CUresult whyNot(const CUfunc_st &function, const KernelRun &run) {
  const DeviceConfig &device = state().deviceOf(function.module->context);
  for (int i = 0; i < 3; ++i) {
    if (!run.grid[i] || run.grid[i] > static_cast<unsigned>(device.grid[i]))
      return CUDA_ERROR_INVALID_VALUE;
    if (run.grid[i] % run.cluster[i])
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  }
  unsigned blocks = run.cluster[0] * run.cluster[1] * run.cluster[2];
  if (blocks > 1 && (blocks > static_cast<unsigned>(device.largestCluster) ||
                     (blocks > 8 && !function.isClusterFree)))
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  if (run.sharedBytes > static_cast<unsigned>(function.dynamicShared))
    return CUDA_ERROR_INVALID_VALUE;
  auto threads = static_cast<int>(run.threads);
  return threads > device.threadsPerBlock ||
                 threads * function.kernel.registers > device.registersPerBlock
             ? CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
             : 0;
}

void recordLaunch(const std::string &name, const KernelRun &run, CUstream stream) {
  std::ostringstream line;
  line << name << " grid " << run.grid[0] << ' ' << run.grid[1] << ' ' << run.grid[2] << " threads "
       << run.threads << " stream " << reinterpret_cast<uint64_t>(stream) << " values ";
  for (size_t i = 0; i < run.values.size(); ++i) {
    uint64_t value = 0;
    std::memcpy(&value, run.values[i].data(), std::min(sizeof(value), run.values[i].size()));
    line << (i ? "," : "") << value;
  }
  state().launches += line.str() + "\n";
}

CUresult launch(const CUlaunchConfig &config, CUfunction function, void **parameters) {
  std::shared_ptr<CUstream_st> stream = findStream(config.hStream);
  if (!stream || stream->context != function->module->context)
    return CUDA_ERROR_INVALID_HANDLE;
  KernelRun run{{config.gridDimX, config.gridDimY, config.gridDimZ},
                config.blockDimX,
                config.sharedMemBytes,
                {1, 1, 1},
                false,
                {}};
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute &attribute = config.attrs[i];
    const auto &cluster = attribute.value.clusterDim;
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      run.cluster[0] = cluster.x, run.cluster[1] = cluster.y, run.cluster[2] = cluster.z;
    else
      run.overlapsPrevious = attribute.value.programmaticStreamSerializationAllowed;
  }
  if (CUresult result = whyNot(*function, run))
    return result;
  const std::vector<size_t> &sizes = function->kernel.parameterBytes;
  for (size_t i = 0; i < sizes.size(); ++i) {
    auto *first = static_cast<const char *>(parameters[i]);
    run.values.emplace_back(first, first + sizes[i]);
  }
  recordLaunch(function->name, run, config.hStream);
  stream->add([context = stream->context, code = function->kernel.run, run = std::move(run)] {
    return runKernel(context, [&] { return code(run); });
  });
  return 0;
}

} // namespace

FAKE_CUDA_FUNCTION cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                                  unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ,
                                  unsigned sharedBytes, CUstream stream, void **parameters,
                                  void **) {
  if (areLaunchesIgnored())
    return 0;
  ENTER(cuLaunchKernel);
  return launch({gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, nullptr, 0},
                function, parameters);
}

FAKE_CUDA_FUNCTION cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                                    void **parameters, void **) {
  if (areLaunchesIgnored())
    return 0;
  ENTER(cuLaunchKernelEx);
  return launch(*config, function, parameters);
}

} // namespace nereid::runtime::cuda
